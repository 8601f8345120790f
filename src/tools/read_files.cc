#include <paddock/limits.h>

#include "tools/arguments.h"
#include "tools/registry.h"
#include "tools/session.h"
#include "tools/text_answer.h"

namespace paddock::tools {
namespace {

// Each file as read_file answers for it; a problem with one does not hide the others.
Attempt<Answer> run_read_files(Session& session, const Arguments& arguments,
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
        Attempt<Answer> answer = decoded ? read_file().run(session, *decoded, options)
                                         : Attempt<Answer>(decoded.error());
        if (!answer) {
            text += std::string(code_name(answer.error().code)) + ": " + answer.error().text;
        } else {
            std::string content = answer->text();
            // By itself: a key whose end is not shown would take in the next file.
            all.secrets += session.redact(content);
            text += content;
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
        .description = "Each as read_file would show it from its first line.",
        .manners = {.read_only = true, .idempotent = true},
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
