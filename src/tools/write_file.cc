#include "text/encoding.h"
#include "tools/answer.h"
#include "tools/call.h"
#include "tools/declaration.h"
#include "tools/session.h"
#include "tools/text_window.h"

namespace paddock::tools {
namespace {

std::string size_of(std::size_t bytes) {
    return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
}

// How the lines of a text end: "" if it has none.
std::string_view line_endings_of(std::string_view text) {
    std::size_t feeds = 0;
    std::size_t returns = 0;
    for (std::size_t at = text.find('\n'); at != text.npos; at = text.find('\n', at + 1)) {
        ++feeds;
        if (at > 0 && text[at - 1] == '\r') ++returns;
    }
    if (feeds == 0) return "";
    return returns == 0 ? "LF" : returns == feeds ? "CRLF" : "LF and CRLF";
}

// Of what a caller did not see and may not have meant to change.
void note_other_format(Notes& notes, std::string_view before, std::string_view after) {
    const text::TextFormat was = text::format_of(before);
    const text::TextFormat is = text::format_of(after);
    const auto old_text = text_to_show(before);
    if (before.empty() || after.empty() || !old_text) return;
    if (was != is) {
        notes.add("The file was " + std::string(text::format_name(was)) + " and is " +
                  std::string(text::format_name(is)) + " now.");
    }
    const std::string_view ended = line_endings_of(*old_text);
    const std::string_view end = line_endings_of(after);
    const bool end_otherwise = !ended.empty() && !end.empty() && ended != end;
    if (end_otherwise) {
        notes.add("Its lines ended in " + std::string(ended) + " and end in " + std::string(end) +
                  " now.");
    }
    if (was != is || end_otherwise) notes.add("Use edit_file to keep them.");
}

Result<Answer> run_write_file(Session& session, const Arguments& arguments, const CallOptions&) {
    const Files& files = session.files_for(arguments.text("path"));
    const std::string& content = arguments.text("content");
    if (content.size() > limits::kReadFileBytesMax) {
        return tool_error(Code::kTooLarge,
                          "The content is too long for one call. Write it in parts.");
    }
    const auto change = files.prepare(arguments.text("path"));
    if (!change) return change.error();
    const std::string name = files.shown(change->path);
    if (change->old && change->old->bytes == content) {
        return text_answer(name + " already has exactly this content; nothing had to be written.");
    }
    if (change->old && session.loses_a_secret(change->old->bytes, content)) {
        return tool_error(
            Code::kInvalidArgument,
            "The content contains the placeholder [REDACTED:...], which would replace a "
            "secret in " +
                name + ". Nothing was written. Change other lines with edit_file.");
    }
    if (auto done = files.commit(*change, content); !done) return done.error();
    if (!change->old) return text_answer("Created " + name + " (" + size_of(content.size()) + ").");
    Notes notes;
    const std::uint64_t names = change->old->stat.links;
    if (names > 1) notes.add("The file " + note_of_other_names(names) + ".");
    note_other_format(notes, change->old->bytes, content);
    return text_answer("Wrote " + name + " (" + size_of(content.size()) + ", before " +
                       size_of(change->old->bytes.size()) + ")." + notes.text());
}

}  // namespace

const Declaration& write_file() {
    static const Declaration kTool{
        .name = "write_file",
        .title = "Write file",
        .summary = "Create a file, or replace its whole content.",
        .description =
            "Missing directories are made. An existing file must have been read in this session "
            "before it is replaced, and keeps its permissions. The replacement is atomic: nobody "
            "sees half of it. Use edit_file to change a part.",
        .traits = {.destructive = true, .idempotent = true, .pace = Pace::kChanging},
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
