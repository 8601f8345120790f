#include "cli/log_command.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>
#include <utility>

#include "base/display.h"
#include "base/utf8.h"
#include "cli/undo_command.h"
#include "cli/workspace_options.h"
#include "fs/rel_path.h"
#include "journal/history.h"
#include "journal/prune.h"
#include "json/write.h"
#include "sys/files.h"

namespace paddock::cli {
namespace {

constexpr std::size_t kShortIdSize = 4;

ExitMessage failed(const Failure& failure, std::string_view operation, const std::string& path) {
    return {kUsageError, as_error(failure, operation, path).message()};
}

std::string time_text(journal::Time time, bool is_local, const char* form) {
    const auto seconds = std::chrono::floor<std::chrono::seconds>(time).time_since_epoch().count();
    const std::time_t when = seconds;
    std::tm parts = {};
    if ((is_local ? ::localtime_r(&when, &parts) : ::gmtime_r(&when, &parts)) == nullptr) return "";
    std::array<char, 64> text = {};
    return std::string(text.data(), std::strftime(text.data(), text.size(), form, &parts));
}

bool is_hex(std::string_view text) {
    return std::all_of(text.begin(), text.end(),
                       [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

bool is_number(std::string_view text) {
    return !text.empty() &&
           std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool looks_like_target(std::string_view word) {
    const std::size_t slash = word.find('/');
    const std::string_view session = word.substr(0, slash);
    const bool is_session =
        journal::is_session_id(session) || (session.size() == kShortIdSize && is_hex(session));
    if (slash != word.npos) return is_session && is_number(word.substr(slash + 1));
    return is_session || is_number(word);
}

}  // namespace

tl::expected<Past, ExitMessage> open_past(const SettingWords& words, std::string_view target,
                                          RewrittenIndexes rewritten) {
    const auto made = configuration(words, StateDirectory::kLeave);
    if (!made) return tl::unexpected(ExitMessage(made.error()));
    const std::string& root = made->workspace.root;
    const auto real = sys::real_path(root.c_str());
    if (!real) return tl::unexpected(failed(real.error(), "open", root));
    auto directory = sys::openat(AT_FDCWD, real->c_str(), O_PATH | O_DIRECTORY);
    if (!directory) return tl::unexpected(failed(directory.error(), "open", root));
    const bool compares = rewritten == RewrittenIndexes::kCompare;
    auto timeline = journal::Timeline::read(
        directory->get(), compares ? same_index_in(directory->get()) : journal::IsSameIndex(),
        target.substr(0, target.find('/')));
    if (!timeline) return tl::unexpected(failed(timeline.error(), "read the journal of", root));
    return Past{std::move(*directory), *real, std::move(*timeline)};
}

std::optional<std::string> path_in(const Past& past, const std::string& path) {
    fs::PathRules rules;
    if (const auto spelling = fs::spelling_of(past.root)) rules.spellings.push_back(*spelling);
    const auto parsed = fs::parse_path(path, rules);
    if (!parsed || parsed->is_root()) return std::nullopt;
    return parsed->text;
}

PastWords past_words(std::vector<std::string> operands) {
    PastWords words;
    auto first = operands.begin();
    if (first != operands.end() && looks_like_target(*first)) words.target = std::move(*first++);
    words.files.assign(std::make_move_iterator(first), std::make_move_iterator(operands.end()));
    return words;
}

tl::expected<journal::UndoTarget, ExitMessage> target_of(const Past& past, const PastWords& words) {
    journal::UndoTarget target;
    if (!words.target.empty()) {
        auto parsed = journal::parse_target(past.timeline, words.target);
        if (!parsed) {
            return tl::unexpected(ExitMessage{kUsageError, "'" + displayable(words.target) + "': " +
                                                               std::string(parsed.error().reason) +
                                                               ". See 'paddock log'"});
        }
        target = std::move(*parsed);
    }
    for (const std::string& file : words.files) {
        const auto path = path_in(past, file);
        if (!path) {
            return tl::unexpected(ExitMessage{
                kUsageError, "'" + displayable(file) + "' is not a file in the workspace"});
        }
        target.files.push_back(*path);
    }
    return target;
}

std::string short_name(const journal::Timeline& timeline, std::string_view id_and_call) {
    const std::string_view id = id_and_call.substr(0, id_and_call.find('/'));
    const std::string_view call = id_and_call.substr(id.size());
    const std::string_view end = id.substr(id.size() - std::min(id.size(), kShortIdSize));
    const bool is_unique = timeline.find_session(end).has_value();
    return std::string(is_unique ? end : id).append(call);
}

std::string local_time(journal::Time time) { return time_text(time, true, "%Y-%m-%d %H:%M:%S"); }
std::string utc_time(journal::Time time) { return time_text(time, false, "%Y-%m-%dT%H:%M:%SZ"); }

std::string octal_mode(std::uint32_t mode) {
    std::string text;
    for (int shift = 9; shift >= 0; shift -= 3) {
        text += static_cast<char>('0' + ((mode >> shift) & 7U));
    }
    return text;
}

std::string counts_text(const journal::Changes& changes) {
    std::string text;
    const auto add = [&text](std::uint64_t count, std::string_view what) {
        if (count == 0) return;
        if (!text.empty()) text += ", ";
        text += std::to_string(count);
        text += ' ';
        text += what;
    };
    add(changes.made, "made");
    add(changes.changed, "changed");
    add(changes.removed, "removed");
    add(changes.not_kept, "cannot be undone");
    return text.empty() ? "nothing" : text;
}

namespace {

using journal::CallHistory;
using journal::FileChange;
using journal::NameChange;
using journal::SessionHistory;
using journal::Undone;

constexpr std::size_t kNamesShown = 5;
constexpr std::size_t kDetailBytes = 60;
constexpr std::int64_t kSessionsMax = 100'000;

class LogParser final : public CommandParser {
public:
    void declare(Parser& parser) override {
        parser.integer({.names = {"-n", "--sessions"},
                        .help = "Show the last N sessions",
                        .default_value = std::to_string(sessions_)},
                       sessions_, 1, kSessionsMax);
        parser.flag({.names = {"--prune"}, .help = "Remove old sessions from the journal"},
                    request_.prune);
        options_.declare(parser, {"workspace.root"});
        parser.output(request_.output);
    }

    Request finish(Parser& parser) override {
        request_.settings = options_.take(parser);
        request_.sessions = static_cast<int>(sessions_);
        if (!parser.operands().empty()) request_.file = parser.operands().front();
        if (request_.prune && !request_.file.empty()) {
            return complaint("--prune takes no FILE", "log");
        }
        return std::move(request_);
    }

private:
    SettingOptions options_;
    LogRequest request_;
    std::int64_t sessions_ = request_.sessions;
};

std::string_view word_of(NameChange::What what) {
    switch (what) {
        case NameChange::What::kMade: return "made";
        case NameChange::What::kChanged: return "changed";
        case NameChange::What::kMoved: return "moved";
        case NameChange::What::kRemoved: return "removed";
    }
    return {};
}

std::string_view word_of(Undone undone) {
    return undone == Undone::kNo ? "no" : undone == Undone::kYes ? "yes" : "partly";
}

std::string name_text(const std::string& path, const std::string& from) {
    return from.empty() ? displayable(path) : displayable(from) + " -> " + displayable(path);
}

std::string call_title(const std::string& tool, const std::string& detail) {
    const std::string text = displayable(detail.empty() ? tool : tool + "  " + detail);
    const std::string_view cut = cut_utf8(text, kDetailBytes);
    return std::string(cut) + (cut.size() < text.size() ? "..." : "");
}

std::string state_text(bool is_running, Undone undone) {
    if (undone == Undone::kYes) return "undone";
    if (undone == Undone::kPartly) return "partly undone";
    return is_running ? "running" : "";
}

// Without the last cell if that is empty.
std::string line(std::vector<Cell> cells, const Paint& paint) {
    if (cells.back().text.empty()) cells.pop_back();
    return table({std::move(cells)}, paint);
}

std::string names_text(const CallHistory& call, const Paint& paint) {
    std::vector<std::vector<Cell>> rows;
    for (const NameChange& name : call.names) {
        if (rows.size() == kNamesShown) break;
        rows.push_back({{"      " + std::string(word_of(name.what)), Tone::kQuiet},
                        {name_text(name.path, name.from), Tone::kPath}});
    }
    std::string text = table(rows, paint);
    if (call.names.size() > kNamesShown) {
        text += "      and " + std::to_string(call.names.size() - kNamesShown) + " more\n";
    }
    return text;
}

std::string as_text(const Past& past, const std::vector<SessionHistory>& sessions,
                    const Paint& paint) {
    std::string text;
    for (auto session = sessions.rbegin(); session != sessions.rend(); ++session) {
        if (!text.empty()) text += "\n";
        std::string title = displayable(session->client.empty() ? "?" : session->client);
        if (!session->undoes.empty()) {
            title += "  of " + displayable(short_name(past.timeline, session->undoes));
        }
        text += line({{short_name(past.timeline, session->id), Tone::kStrong},
                      {local_time(session->started)},
                      {title},
                      {counts_text(session->changes)},
                      {state_text(session->live, session->undone), Tone::kDoubtful}},
                     paint);
        for (const CallHistory& call : session->calls) {
            const std::string id = session->id + '/' + std::to_string(call.id);
            // An undo is one call, and its session has said it all.
            if (session->undoes.empty()) {
                text += line(
                    {{"  " + short_name(past.timeline, id), Tone::kStrong},
                     {call_title(call.tool.empty() ? "?" : call.tool, call.detail)},
                     {counts_text(call.changes)},
                     {state_text(session->live && !call.is_over, call.undone), Tone::kDoubtful}},
                    paint);
            }
            text += names_text(call, paint);
        }
    }
    return text;
}

json::Object counts_json(const journal::Changes& changes) {
    return {{"made", changes.made},
            {"changed", changes.changed},
            {"removed", changes.removed},
            {"not_kept", changes.not_kept}};
}

json::Object call_json(const CallHistory& call) {
    json::Array names;
    for (const NameChange& name : call.names) {
        json::Object object{{"change", word_of(name.what)}, {"path", displayable(name.path)}};
        if (!name.from.empty()) object["from"] = displayable(name.from);
        names.emplace_back(std::move(object));
    }
    return {{"call", std::uint64_t{call.id}},
            {"tool", displayable(call.tool)},
            {"detail", displayable(call.detail)},
            {"time", utc_time(call.time)},
            {"over", call.is_over},
            {"undone", word_of(call.undone)},
            {"counts", counts_json(call.changes)},
            {"names", std::move(names)}};
}

std::string as_json(const Past& past, const std::vector<SessionHistory>& sessions) {
    json::Array list;
    for (auto session = sessions.rbegin(); session != sessions.rend(); ++session) {
        json::Array calls;
        for (const CallHistory& call : session->calls) calls.emplace_back(call_json(call));
        json::Object object{{"session", session->id},
                            {"client", displayable(session->client)},
                            {"started", utc_time(session->started)},
                            {"live", session->live},
                            {"undone", word_of(session->undone)},
                            {"counts", counts_json(session->changes)},
                            {"calls", std::move(calls)}};
        if (!session->undoes.empty()) object["undoes"] = displayable(session->undoes);
        list.emplace_back(std::move(object));
    }
    return json::to_text(
               json::Object{{"sessions", std::move(list)}, {"cut", past.timeline.is_cut()}}) +
           "\n";
}

std::string file_text(const Past& past, const std::vector<FileChange>& changes,
                      const Paint& paint) {
    std::vector<std::vector<Cell>> rows;
    for (auto change = changes.rbegin(); change != changes.rend(); ++change) {
        const std::string id = change->session + '/' + std::to_string(change->call);
        rows.push_back({{short_name(past.timeline, id), Tone::kStrong},
                        {local_time(change->time)},
                        {std::string(word_of(change->what)), Tone::kQuiet},
                        {name_text(change->path, change->from), Tone::kPath},
                        {call_title(change->tool, change->detail)}});
    }
    return table(rows, paint);
}

std::string file_json(const std::vector<FileChange>& changes) {
    json::Array list;
    for (auto change = changes.rbegin(); change != changes.rend(); ++change) {
        json::Object object{{"session", change->session},
                            {"call", std::uint64_t{change->call}},
                            {"time", utc_time(change->time)},
                            {"tool", displayable(change->tool)},
                            {"detail", displayable(change->detail)},
                            {"change", word_of(change->what)},
                            {"path", displayable(change->path)}};
        if (!change->from.empty()) object["from"] = displayable(change->from);
        list.emplace_back(std::move(object));
    }
    return json::to_text(json::Object{{"changes", std::move(list)}}) + "\n";
}

int run_for_file(const LogRequest& request, const Past& past) {
    const auto path = path_in(past, request.file);
    if (!path) {
        complain("'" + displayable(request.file) + "' is not a file in the workspace");
        return kUsageError;
    }
    const auto changes = journal::changes_of_file(past.timeline, *path);
    if (changes.empty() && !request.output.json) {
        complain("no session in the journal has changed '" + displayable(*path) + "'");
        return kRefused;
    }
    const std::string text =
        request.output.json
            ? file_json(changes)
            : file_text(past, changes, Paint(STDOUT_FILENO, request.output.colours));
    if (!print(text)) return kUsageError;
    return changes.empty() ? kRefused : 0;
}

int run_prune(const LogRequest& request, const Past& past) {
    const auto pruned = journal::prune(past.workspace.get(), std::chrono::system_clock::now(), {});
    if (!pruned) {
        complain(as_error(pruned.error(), "prune the journal of", past.root).message());
        return kUsageError;
    }
    std::string text;
    if (request.output.json) {
        json::Object document{{"sessions", std::uint64_t{pruned->sessions}}};
        document["bytes"] = pruned->bytes;
        text = json::to_text(document) + "\n";
    } else {
        text = "Removed " + std::to_string(pruned->sessions) + " old sessions (" +
               std::to_string(pruned->bytes) + " bytes).\n";
    }
    return print(text) ? 0 : kUsageError;
}

}  // namespace

int run(const LogRequest& request) {
    const auto past = open_past(request.settings, {});
    if (!past) {
        complain(past.error().text);
        return past.error().exit_code;
    }
    if (request.prune) return run_prune(request, *past);
    if (!request.file.empty()) return run_for_file(request, *past);
    auto sessions = journal::history_of(past->timeline);
    const auto most = static_cast<std::size_t>(request.sessions);
    if (sessions.size() > most) {
        sessions.erase(sessions.begin(), sessions.end() - static_cast<std::ptrdiff_t>(most));
    }
    if (request.output.json) return print(as_json(*past, sessions)) ? 0 : kUsageError;
    if (sessions.empty()) return print("No session has changed anything here.\n") ? 0 : kUsageError;
    if (past->timeline.is_cut()) complain("the journal is large: older sessions are not shown");
    return print(as_text(*past, sessions, Paint(STDOUT_FILENO, request.output.colours)))
               ? 0
               : kUsageError;
}

Command log_command() {
    return {{.name = "log",
             .summary = "List what sessions and calls changed, newest first.",
             .description =
                 "With FILE: the calls that changed it, also under older names. Old sessions are "
                 "removed automatically, by age and size; --prune removes them now." +
                 std::string(kHowToName),
             .operands = {{.name = "FILE", .offers = Offers::kPath, .required = false}},
             .examples = {"paddock log", "paddock log src/main.c", "paddock log -n 1 --json",
                          "paddock log --prune"},
             .no = "no session changed the FILE"},
            [] { return std::make_unique<LogParser>(); }};
}

}  // namespace paddock::cli
