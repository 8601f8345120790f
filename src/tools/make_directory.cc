#include "tools/arguments.h"
#include "tools/path_argument.h"
#include "tools/registry.h"
#include "tools/session.h"
#include "tools/text_answer.h"

namespace paddock::tools {
namespace {

Attempt<Answer> run_make_directory(Session& session, const Arguments& arguments,
                                   const CallOptions&) {
    const Files& files = session.files_for(arguments.text("path"));
    const auto target = files.target(arguments.text("path"));
    if (!target) return target.error();
    if (target->exists && target->type == FileType::kDirectory) {
        return text_answer("The directory " + files.shown(target->path) + " is already there.");
    }
    if (target->exists) {
        return Problem(Code::kAlreadyExists, "'" + files.shown(target->path) +
                                                 "' already exists and is a " +
                                                 std::string(file_type_name(target->type)) +
                                                 ", not a directory. Choose another name.");
    }
    if (auto made = files.make_directory(target->path); !made) return made.error();
    return text_answer("Made the directory " + files.shown(target->path) + ".");
}

}  // namespace

const Declaration& make_directory() {
    static const Declaration kTool{
        .name = "make_directory",
        .title = "Make directory",
        .summary = "Make a directory, with the directories above it that are missing.",
        .description = "Succeeds if it is already there.",
        .manners = {.idempotent = true, .pace = Pace::kChanging},
        .arguments = {path_argument("The directory to make")},
        .errors = {Code::kAlreadyExists},
        .example = R"({"path": "docs/images"})",
        .run = run_make_directory};
    return kTool;
}

}  // namespace paddock::tools
