#include "tools/read_file.h"

#include <paddock/limits.h>

#include "text/encoding.h"
#include "tools/answer.h"
#include "tools/call.h"
#include "tools/declaration.h"
#include "tools/session.h"
#include "tools/text_window.h"

namespace paddock::tools {
namespace {

Lines lines_of(const Session& session, const TextWindow& window) {
    std::int64_t number = window.numbers_from_end
                              ? -static_cast<std::int64_t>(window.lines.lines_seen())
                              : static_cast<std::int64_t>(window.lines.first_number());
    Lines lines;
    lines.rows.resize(window.lines.size());
    bool is_cut = false;
    const char* const begin = window.lines[0].text.data();
    for (std::size_t i = 0; i < window.lines.size(); ++i, ++number) {
        const text::LineWindow::Line line = window.lines[i];
        Line& row = lines.rows[i];
        row.number = number;
        row.begin = static_cast<std::size_t>(line.text.data() - begin);
        row.size = line.text.size();
        row.cut = line.cut;
        is_cut = is_cut || line.cut > 0;
    }
    if (!is_cut) {
        lines.text.assign(begin, lines.rows.back().begin + lines.rows.back().size);
        return lines;
    }
    for (std::size_t i = 0; i < window.lines.size(); ++i) {
        const text::LineWindow::Line line = window.lines[i];
        Line& row = lines.rows[i];
        row.begin = lines.text.size();
        // It must not show a part of a secret that nobody recognises.
        lines.text += line.cut == 0
                          ? std::string(line.text)
                          : session.redact_part(line.text_and_margin, 0, line.text.size());
        row.size = lines.text.size() - row.begin;
        lines.text += '\n';
    }
    return lines;
}

// What the reader cannot see from the lines: the encoding, and that there is more.
std::string closing(const TextWindow& window) {
    Notes notes;
    const bool is_plain = window.format == text::TextFormat() && window.replaced == 0;
    if (!is_plain) {
        notes.add("Encoding: " + std::string(text::format_name(window.format)) +
                  (window.replaced > 0 ? ", malformed in places" : "") + ".");
    }
    const std::uint64_t first = window.lines.first_number();
    const std::uint64_t last = first + window.lines.size() - 1;
    const bool ends_early = !window.total || last < *window.total;
    if (!window.numbers_from_end && ends_early) {
        const std::string all = window.total ? " of " + std::to_string(*window.total) : "";
        notes.add("Lines " + std::to_string(first) + "-" + std::to_string(last) + all +
                  (window.lines.cut_by_bytes() ? " (cut by size)" : "") +
                  "; continue with offset=" + std::to_string(last + 1) + ".");
    }
    if (window.numbers_from_end) notes.add("Line numbers count from the end of the file.");
    return notes.sentences();
}

Error beyond_the_end(const Files& files, const OpenFile& file, std::uint64_t total) {
    return tool_error(Code::kInvalidArgument,
                      files.shown(file.path()) + " has " + std::to_string(total) +
                          (total == 1 ? " line." : " lines.") + " Use a smaller offset.");
}

Result<Answer> medium(const Session& session, const Files& files, OpenFile& file,
                      const text::FileKind& kind) {
    const std::uint64_t size = file.stat().size;
    if (size > limits::kMediaBytesMax) {
        return tool_error(Code::kTooLarge, files.shown(file.path()) + " is a " +
                                               std::string(kind.name) + " of " +
                                               std::to_string(size) + " bytes; at most " +
                                               std::to_string(limits::kMediaBytesMax) +
                                               " can be shown. Make a smaller copy of it.");
    }
    auto bytes = file.read_all(limits::kMediaBytesMax);
    if (!bytes) return bytes.error();
    if (std::string copy = *bytes; session.redact(copy) > 0) {
        return tool_error(Code::kDeniedByRule,
                          files.shown(file.path()) + " begins like a " + std::string(kind.name) +
                              " and holds a secret as plain text, which cannot be left out of it. "
                              "Work with another file.");
    }
    if (files.reads() != nullptr)
        files.reads()->mark_read(file.stat().identity, file.path(), *bytes);
    Answer answer;
    const auto block =
        kind.block == text::MediaBlock::kImage ? BlockKind::kImage : BlockKind::kAudio;
    answer.blocks.push_back({block, std::move(*bytes), std::string(kind.mime)});
    return answer;
}

Error binary(const Files& files, const OpenFile& file, const text::FileKind* kind) {
    const std::string what = kind == nullptr ? "unknown binary" : std::string(kind->name);
    return tool_error(Code::kBinaryFile,
                      files.shown(file.path()) + " is not text (" + what + ", " +
                          std::to_string(file.stat().size) +
                          " bytes). Only text, images and sound can be shown. To replace "
                          "it, remove it first.");
}

Result<Answer> text_of(const Session& session, const Files& files, OpenFile& file,
                       std::string_view head, text::TextFormat format, const Arguments& arguments,
                       const CallOptions& options) {
    const std::int64_t first = arguments.integer("offset");
    if (first == 0) {
        return tool_error(
            Code::kInvalidArgument,
            "read_file: there is no line 0. Count from 1, or from the end with a negative offset.");
    }
    const auto window = read_window(files, file, head, format,
                                    {.first = first,
                                     .count = static_cast<std::size_t>(arguments.integer("limit")),
                                     .margin = session.secret_margin(),
                                     .cancel = options.cancel});
    if (!window) return window.error();
    if (window->total == 0U) {
        return found_answer(FileLines{}, {}, files.shown(file.path()) + " is empty.");
    }
    if (window->lines.size() == 0) {
        return beyond_the_end(files, file, window->lines.lines_seen());
    }
    return found_answer(FileLines{lines_of(session, *window), arguments.flag("line_numbers")},
                        closing(*window));
}

Result<Answer> run_read_file(Session& session, const Arguments& arguments,
                             const CallOptions& options) {
    const std::string& path = arguments.text("path");
    const Files& files = session.files_for(path);
    auto file = files.open(path);
    // To look for near names takes time.
    if (!file && file.error().code == Code::kNotFound && options.only_quick) return deferred();
    if (!file && file.error().code == Code::kNotFound) return files.missing(path);
    if (!file && file.error().code == Code::kIsADirectory) {
        return tool_error(
            Code::kIsADirectory,
            "'" + Files::shown_given(path) + "' is a directory. Look into it with list_directory.");
    }
    if (!file) return file.error();
    if (options.only_quick && file->stat().size > kQuickReadBytesMax) {
        return deferred();
    }
    const auto head = head_of(*file);
    if (!head) return head.error();
    const bool is_whole = file->stat().size <= head->size();
    const text::FileKind* kind = text::file_kind(*head);
    if (kind != nullptr && kind->block != text::MediaBlock::kNone) {
        return medium(session, files, *file, *kind);
    }
    const text::TextFormat format = text::sniff_format(*head, is_whole);
    if (format.encoding == text::Encoding::kBinary) return binary(files, *file, kind);
    return text_of(session, files, *file, *head, format, arguments, options);
}

}  // namespace

const Declaration& read_file() {
    static const Declaration kTool{
        .name = "read_file",
        .title = "Read file",
        .summary = "Read a text file with line numbers, or look at an image or a sound.",
        .description =
            "Shows up to 2000 lines from 'offset', and how to continue. The line number and the "
            "tab after it are not part of the file. UTF-16 and Latin-1 are decoded, and the result "
            "says so. PNG, JPEG, GIF and WebP are returned as images.",
        .traits = {.read_only = true, .idempotent = true, .pace = Pace::kQuick},
        .arguments = {path_argument("The file to read"),
                      {.name = "offset",
                       .type = Type::kInteger,
                       .help = "The first line to show, from 1; negative counts from the end",
                       .default_value = 1,
                       .aliases = {"start_line", "line"},
                       .smallest = -static_cast<std::int64_t>(limits::kReadTailLinesMax)},
                      {.name = "limit",
                       .type = Type::kInteger,
                       .help = "Maximum number of lines to show",
                       .default_value = static_cast<std::int64_t>(limits::kReadLinesMax),
                       .aliases = {"length", "max_lines"},
                       .smallest = 1,
                       .largest = static_cast<std::int64_t>(limits::kReadLinesMax)},
                      {.name = "line_numbers",
                       .type = Type::kFlag,
                       .help = "Number the lines",
                       .default_value = true,
                       .aliases = {"lineNumbers"}}},
        .errors = {Code::kIsADirectory, Code::kNotRegularFile, Code::kBinaryFile, Code::kTooLarge},
        .example = R"({"path": "src/main.c", "offset": 3, "limit": 2})",
        .run = run_read_file};
    return kTool;
}

namespace {

// Each file as read_file answers for it; a problem with one does not hide the others.
Result<Answer> run_read_files(Session& session, const Arguments& arguments,
                              const CallOptions& options) {
    Answer all;
    std::string text;
    std::uint64_t media_bytes = 0;
    const std::vector<std::string> paths = arguments.texts("paths");
    for (std::size_t i = 0; i < paths.size(); ++i) {
        if (options.cancel.stop_requested()) return call_cancelled();
        if (text.size() > limits::kReadFilesTextBytes ||
            media_bytes > limits::kReadFilesMediaBytes) {
            text += "[Cut by size after " + std::to_string(i) + " of " +
                    std::to_string(paths.size()) + " files; ask for the others again.]\n";
            break;
        }
        text += "==> " + Files::shown_given(paths[i]) + " <==\n";
        const auto decoded = decode(read_file(), json::Object{{"path", paths[i]}});
        Result<Answer> answer =
            decoded ? read_file().run(session, *decoded, options) : Result<Answer>(decoded.error());
        if (!answer) {
            text += std::string(code_name(answer.error().code)) + ": " +
                    explanation_for_model(answer.error());
        } else {
            // By itself: a key whose end is not shown would take in the next file.
            print_found(session, *answer);
            all.secrets += answer->secrets;
            text += answer->text();
            for (Block& block : answer->blocks) {
                if (block.kind == BlockKind::kText) continue;
                media_bytes += block.data.size();
                all.blocks.push_back(std::move(block));
            }
        }
        text += "\n\n";
    }
    all.blocks.insert(all.blocks.begin(), {BlockKind::kText, std::move(text), {}});
    return all;
}

}  // namespace

const Declaration& read_files() {
    static const Declaration kTool{
        .name = "read_files",
        .title = "Read several files",
        .summary = "Read several files in one call.",
        .description = "Each file is shown as read_file shows it, from its first line.",
        .traits = {.read_only = true, .idempotent = true},
        .arguments = {{.name = "paths",
                       .type = Type::kTexts,
                       .help = "The files to read",
                       .required = true,
                       .aliases = {"files", "file_paths", "filePaths"},
                       .smallest = 1,
                       .largest = limits::kReadFilesMax}},
        .example = R"({"paths": ["README.md", "src/greet.h", "missing.txt"]})",
        .run = run_read_files};
    return kTool;
}

}  // namespace paddock::tools
