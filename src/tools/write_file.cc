#include "tools/arguments.h"
#include "tools/notes.h"
#include "tools/path_argument.h"
#include "tools/registry.h"
#include "tools/session.h"
#include "tools/text_answer.h"

namespace paddock::tools {
namespace {

std::string size_of(std::size_t bytes) {
    return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
}

Attempt<Answer> run_write_file(Session& session, const Arguments& arguments, const CallOptions&) {
    const Files& files = session.files();
    const std::string& content = arguments.text("content");
    if (content.size() > limits::kReadFileBytesMax) {
        return Problem(Code::kTooLarge, "The content is too long for one call. Write it in parts.");
    }
    const auto change = files.prepare(arguments.text("path"));
    if (!change) return change.error();
    const std::string name = files.shown(change->path);
    if (change->old && change->old->bytes == content) {
        return text_answer(name + " already has exactly this content; nothing had to be written.");
    }
    if (change->old && session.loses_a_secret(change->old->bytes, content)) {
        return Problem(Code::kInvalidArgument,
                       "The content holds [REDACTED:...], which stands for a secret in " + name +
                           " and would replace it. Nothing was written. Change other lines with "
                           "edit_file.");
    }
    if (auto done = files.commit(*change, content); !done) return done.error();
    if (!change->old) return text_answer("Created " + name + " (" + size_of(content.size()) + ").");
    return text_answer("Wrote " + name + " (" + size_of(content.size()) + ", before " +
                       size_of(change->old->bytes.size()) + ")." +
                       closing_for_other_names(change->old->stat.links));
}

}  // namespace

const Declaration& write_file() {
    static const Declaration kTool{
        .name = "write_file",
        .title = "Write file",
        .summary = "Create a file, or replace the whole content of one.",
        .description =
            "Missing directories are made. An existing file must have been read in this session "
            "before it is replaced, and keeps its permissions. The replacement is atomic: nobody "
            "sees half of it. Use edit_file to change a part.",
        .manners = {.destructive = true, .idempotent = true, .pace = Pace::kChanging},
        .arguments = {path_argument("The file to write"),
                      {.name = "content",
                       .help = "The whole new content",
                       .required = true,
                       .aliases = {"contents", "text", "file_text"}}},
        .errors = {Code::kIsADirectory, Code::kNotRegularFile, Code::kAlreadyExists, Code::kNotRead,
                   Code::kStaleRead, Code::kTooLarge},
        .example = R"({"path": "docs/notes.md", "content": "# Notes\n"})",
        .run = run_write_file};
    return kTool;
}

}  // namespace paddock::tools
