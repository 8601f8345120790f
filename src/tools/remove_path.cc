#include "tools/answer.h"
#include "tools/call.h"
#include "tools/declaration.h"
#include "tools/session.h"

namespace paddock::tools {
namespace {

Result<Answer> run_remove_path(Session& session, const Arguments& arguments,
                               const CallOptions& options) {
    const Files& files = session.files_for(arguments.text("path"));
    const std::string& path = arguments.text("path");
    const bool recursive = arguments.flag("recursive");
    const auto name = files.own_name(path);
    if (!name) return name.error();
    if (*name == ".") {
        return tool_error(Code::kInvalidArgument,
                          "The workspace itself cannot be removed. Name a path in it.");
    }
    const auto stat = files.stat_name(*name);
    if (!stat && stat.error().code == Code::kNotFound) return files.missing(path);
    if (!stat) return stat.error();
    const bool is_directory = stat->type == FileType::kDirectory;
    const auto removed = files.remove(*name, recursive, options.cancel);
    const std::string shown = files.shown(*name);
    if (!removed && is_directory && removed.error().code == Code::kAlreadyExists) {
        return tool_error(
            Code::kAlreadyExists,
            "The directory " + shown +
                " is not empty. Look at its content, then set recursive=true to remove all of it.");
    }
    if (!removed) return removed.error();
    return text_answer("Removed " + std::string(is_directory ? "the directory " : "") + shown +
                       ".");
}

}  // namespace

const Declaration& remove_path() {
    static const Declaration kTool{
        .name = "remove_path",
        .title = "Remove",
        .summary = "Remove a file, a symbolic link or a directory.",
        .description =
            "A link itself is removed, never its target. A directory must be empty unless "
            "'recursive' is set. An agent cannot undo this.",
        .traits = {.destructive = true, .idempotent = true, .pace = Pace::kChanging},
        .arguments = {path_argument("The path to remove"),
                      {.name = "recursive",
                       .type = Type::kFlag,
                       .help = "Remove a directory with everything in it",
                       .default_value = false}},
        .errors = {Code::kAlreadyExists},
        .example = R"({"path": "build", "recursive": true})",
        .run = run_remove_path};
    return kTool;
}

namespace {

Result<Answer> run_make_directory(Session& session, const Arguments& arguments,
                                  const CallOptions&) {
    const Files& files = session.files_for(arguments.text("path"));
    const auto target = files.target(arguments.text("path"));
    if (!target) return target.error();
    if (target->exists && target->type == FileType::kDirectory) {
        return text_answer("The directory " + files.shown(target->path) + " is already there.");
    }
    if (target->exists) {
        return tool_error(Code::kAlreadyExists, "'" + files.shown(target->path) +
                                                    "' already exists and is a " +
                                                    std::string(file_type_name(target->type)) +
                                                    ", not a directory. Choose another name.");
    }
    if (auto made = files.make_directory(target->path); !made) return made.error();
    return text_answer("Made the directory " + files.shown(target->path) + ".");
}

}  // namespace

const Declaration& make_directory() {
    static const Declaration kTool{.name = "make_directory",
                                   .title = "Make directory",
                                   .summary = "Make a directory, and missing directories above it.",
                                   .description = "Succeeds if it already exists.",
                                   .traits = {.idempotent = true, .pace = Pace::kChanging},
                                   .arguments = {path_argument("The directory to make")},
                                   .errors = {Code::kAlreadyExists},
                                   .example = R"({"path": "docs/images"})",
                                   .run = run_make_directory};
    return kTool;
}

}  // namespace paddock::tools
