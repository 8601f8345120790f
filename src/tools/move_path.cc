#include "tools/answer.h"
#include "tools/call.h"
#include "tools/declaration.h"
#include "tools/session.h"

namespace paddock::tools {
namespace {

Result<Answer> run_move_path(Session& session, const Arguments& arguments,
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
            "Atomic. An existing destination is refused, unless it was read and 'overwrite' is "
            "set. A symbolic link itself is moved. Missing directories above the destination are "
            "made.",
        .traits = {.destructive = true, .pace = Pace::kChanging},
        .arguments = two_path_arguments(),
        .errors = {Code::kAlreadyExists, Code::kIsADirectory, Code::kNotRegularFile, Code::kNotRead,
                   Code::kStaleRead},
        .example = R"({"source": "src/greet.c", "destination": "src/lib/greet.c"})",
        .run = run_move_path};
    return kTool;
}

namespace {

Result<Answer> run_copy_path(Session& session, const Arguments& arguments,
                             const CallOptions& options) {
    if (are_in_different_roots(session, arguments)) {
        return take_between(session, arguments, false);
    }
    const Files& files = session.files_for(arguments.text("source"));
    const auto paths = two_paths(files, arguments);
    if (!paths) return paths.error();
    const bool overwrite = arguments.flag("overwrite");
    const auto copied = files.copy(paths->source, paths->destination, overwrite, options.cancel);
    if (!copied && !overwrite && copied.error().code == Code::kAlreadyExists) {
        return occupied(files, *paths);
    }
    if (!copied) return copied.error();
    std::string text =
        "Copied " + files.shown(paths->source) + " to " + files.shown(paths->destination) + ".";
    if (copied->files > 1) text += " " + std::to_string(copied->files) + " files.";
    if (copied->left_out > 0) {
        text +=
            " Left out " + std::to_string(copied->left_out) + ": " + copied->left_out_names + ".";
    }
    return text_answer(std::move(text));
}

}  // namespace

const Declaration& copy_path() {
    static const Declaration kTool{
        .name = "copy_path",
        .title = "Copy",
        .summary = "Copy a file, or a directory with everything in it.",
        .description =
            "An existing destination is refused unless 'overwrite' is set, which replaces a file "
            "that was read. Symbolic links are copied as links. Missing directories above the "
            "destination are made.",
        .traits = {.destructive = true, .pace = Pace::kChanging},
        .arguments = two_path_arguments(),
        .errors = {Code::kAlreadyExists, Code::kIsADirectory, Code::kNotRegularFile, Code::kNotRead,
                   Code::kStaleRead, Code::kTooLarge},
        .example = R"({"source": "src", "destination": "backup"})",
        .run = run_copy_path};
    return kTool;
}

}  // namespace paddock::tools
