#include "cli/diff_command.h"

#include <unistd.h>

#include <map>
#include <set>

#include <paddock/limits.h>

#include "base/display.h"
#include "cli/log_command.h"
#include "cli/workspace_options.h"
#include "journal/history.h"
#include "json/write.h"
#include "text/diff.h"
#include "text/encoding.h"
#include "text/names.h"

namespace paddock::cli {
namespace {

using journal::ModelNode;
using journal::Object;
using journal::Presence;
using journal::Version;

constexpr std::uint64_t kShownBytesMax = std::uint64_t{4} << 20;

class DiffParser final : public CommandParser {
public:
    void declare(Parser& parser) override {
        options_.declare(parser, {"workspace.root"});
        parser.output(request_.output);
    }
    Request finish(Parser& parser) override {
        request_.settings = options_.take(parser);
        request_.words = past_words(std::move(parser.operands()));
        return std::move(request_);
    }

private:
    SettingOptions options_;
    DiffRequest request_;
};

struct FileDiff {
    std::string path;
    std::string from = {};  // of a move
    std::string_view change;
    std::string text = {};
    bool is_binary = false;
};

std::string label(char side, const std::string& path, const ModelNode& node) {
    if (node.presence == Presence::kAbsent) return "/dev/null";
    return text::quote_if_needed(std::string(1, side) + '/' + path);
}

bool is_text(const std::string& content) {
    return text::format_of(content).encoding != text::Encoding::kBinary;
}

// A link is its target, without the line feed that a text ends with.
void append_content(FileDiff& file, int workspace, const Version& version) {
    const auto before = read_version(workspace, version.before, kShownBytesMax);
    const auto after = read_version(workspace, version.after, kShownBytesMax);
    if (!before || !after) {
        const Failure& failure = before ? after.error() : before.error();
        file.text += failure.code == Code::kTooLarge
                         ? "Too large to show.\n"
                         : "Cannot be read: " + std::string(code_name(failure.code)) + ".\n";
        return;
    }
    if (*before == *after) return;
    file.is_binary = !is_text(*before) || !is_text(*after);
    if (file.is_binary) {
        file.text += "Binary content differs.\n";
        return;
    }
    const std::string& old_path = file.from.empty() ? file.path : file.from;
    file.text += displayable_lines(
        text::unified_diff(*before, *after, label('a', old_path, version.before),
                           label('b', file.path, version.after), {.bytes_max = kShownBytesMax})
            .text);
}

std::string kind_text(const ModelNode& node) {
    return std::string(node.type == FileType::kRegular ? "file" : file_type_name(node.type)) + " " +
           octal_mode(node.mode);
}

FileDiff diff_of(int workspace, const std::string& path, const Version& version,
                 const std::string& from) {
    FileDiff file{.path = path, .from = from, .change = "changed"};
    const bool was_there = version.before.presence != Presence::kAbsent;
    const bool is_there = version.after.presence != Presence::kAbsent;
    if (!from.empty()) {
        file.change = "moved";
        file.text += "moved from " + text::quote_if_needed(from) + '\n';
    } else if (!was_there) {
        file.change = "made";
        file.text += "made: " + kind_text(version.after) + '\n';
    } else if (!is_there) {
        file.change = "removed";
        file.text += "removed: " + kind_text(version.before) + '\n';
    } else if (version.before.type != version.after.type) {
        file.text += kind_text(version.before) + " became " + kind_text(version.after) + '\n';
    }
    if (was_there && is_there && version.before.mode != version.after.mode) {
        file.text += "mode " + octal_mode(version.before.mode) + " became " +
                     octal_mode(version.after.mode) + '\n';
    }
    append_content(file, workspace, version);
    return file;
}

// What lost one name and got another was moved: one of them is enough.
std::vector<FileDiff> diffs_of(int workspace, std::map<std::string, Version> versions) {
    std::map<Object, std::string> gone;
    for (const auto& [path, version] : versions) {
        if (version.after.presence == Presence::kAbsent) gone.emplace(version.before.object, path);
    }
    std::map<std::string, std::string> sources;
    std::set<std::string> moved;
    for (auto& [path, version] : versions) {
        if (version.before.presence != Presence::kAbsent) continue;
        const auto source = gone.find(version.after.object);
        if (source == gone.end() || !moved.insert(source->second).second) continue;
        sources[path] = source->second;
        version.before = versions.at(source->second).before;
    }
    std::vector<FileDiff> files;
    for (const auto& [path, version] : versions) {
        if (moved.contains(path)) continue;
        const auto source = sources.find(path);
        FileDiff file = diff_of(workspace, path, version,
                                source == sources.end() ? std::string() : source->second);
        if (!file.text.empty()) files.push_back(std::move(file));
    }
    return files;
}

std::string painted(const std::string& text, const Paint& paint) {
    std::string lines;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        const std::string line = text.substr(begin, end - begin);
        const Tone tone = line.starts_with("@@")  ? Tone::kQuiet
                          : line.starts_with('+') ? Tone::kGood
                          : line.starts_with('-') ? Tone::kBad
                                                  : Tone::kPlain;
        lines += tone == Tone::kPlain ? line : paint(tone, line);
        lines += '\n';
        begin = end + 1;
    }
    return lines;
}

std::string as_text(const std::vector<FileDiff>& files, const Paint& paint) {
    std::string text;
    for (const FileDiff& file : files) {
        text += paint(Tone::kStrong, "== " + text::quote_if_needed(file.path)) + '\n';
        text += painted(file.text, paint);
    }
    return text;
}

std::string as_json(const journal::UndoTarget& target, const std::vector<FileDiff>& files) {
    json::Array list;
    for (const FileDiff& file : files) {
        json::Object object{{"path", displayable(file.path)},
                            {"change", file.change},
                            {"binary", file.is_binary},
                            {"diff", file.text}};
        if (!file.from.empty()) object["from"] = displayable(file.from);
        list.emplace_back(std::move(object));
    }
    return json::to_text(json::Object{{"of", target.text()}, {"files", std::move(list)}}) + "\n";
}

// The last session that has changed something, an undo too.
std::string last_session(const journal::Timeline& timeline) {
    const auto& entries = timeline.entries();
    return entries.empty() ? std::string() : timeline.sessions()[entries.back().session].id;
}

}  // namespace

int run(const DiffRequest& request) {
    const auto past = open_past(request.settings, request.words.target);
    if (!past) {
        complain(past.error().text);
        return past.error().exit_code;
    }
    auto target = target_of(*past, request.words);
    if (!target) {
        complain(target.error().text);
        return target.error().exit_code;
    }
    if (target->session.empty()) target->session = last_session(past->timeline);
    if (target->session.empty()) {
        complain("no session has changed anything here");
        return kRefused;
    }
    auto versions = journal::versions_of(past->workspace.get(), past->timeline, *target);
    if (!versions) {
        complain(as_error(versions.error(), "compare", target->text()).message());
        return kUsageError;
    }
    const auto files = diffs_of(past->workspace.get(), std::move(*versions));
    const std::string text = request.output.json
                                 ? as_json(*target, files)
                                 : as_text(files, Paint(STDOUT_FILENO, request.output.colours));
    return print(text) ? 0 : kUsageError;
}

Command diff_command() {
    return {
        {.name = "diff",
         .summary = "Show what a session or call changed, line by line.",
         .description = "Without an argument: the last session. Later changes by others to the "
                        "same files are shown too." +
                        std::string(kHowToName),
         .operands = {{.name = "CALL|SESSION", .required = false},
                      {.name = "FILE", .offers = Offers::kPath, .required = false, .many = true}},
         .examples = {"paddock diff", "paddock diff 3f2a/7", "paddock diff 3f2a src/main.c --json"},
         .no = "no session changed anything"},
        [] { return std::make_unique<DiffParser>(); }};
}

}  // namespace paddock::cli
