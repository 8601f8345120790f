#include "tools/arguments.h"
#include "tools/registry.h"
#include "tools/session.h"
#include "tools/text_answer.h"
#include "tools/two_paths.h"

namespace paddock::tools {
namespace {

Attempt<Answer> run_move_path(Session& session, const Arguments& arguments,
                              const CallOptions& options) {
    if (are_in_different_roots(session, arguments)) {
        return take_between(session, arguments, true);
    }
    const Files& files = session.files_for(arguments.text("source"));
    const auto paths = two_paths(files, arguments);
    if (!paths) return paths.error();
    const bool overwrite = arguments.flag("overwrite");
    const auto moved = files.move(paths->source, paths->destination, overwrite, options.cancel);
    if (!moved && moved.error().code == Code::kAlreadyExists) return occupied(files, *paths);
    if (!moved) return moved.error();
    return text_answer("Moved " + files.shown(paths->source) + " to " +
                       files.shown(paths->destination) + ".");
}

}  // namespace

const Declaration& move_path() {
    static const Declaration kTool{
        .name = "move_path",
        .title = "Move or rename",
        .summary = "Move or rename a file or directory.",
        .description =
            "Atomic. An existing destination is refused unless 'overwrite' is set and it was read. "
            "A "
            "symbolic link is moved itself. Missing directories above the destination are made.",
        .manners = {.destructive = true, .pace = Pace::kChanging},
        .arguments = two_path_arguments(),
        .errors = {Code::kAlreadyExists, Code::kIsADirectory, Code::kNotRegularFile, Code::kNotRead,
                   Code::kStaleRead},
        .example = R"({"source": "src/greet.c", "destination": "src/lib/greet.c"})",
        .run = run_move_path};
    return kTool;
}

}  // namespace paddock::tools
