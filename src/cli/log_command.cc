#include "cli/log_command.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "base/display.h"
#include "base/utf8.h"
#include "cli/journal_view.h"
#include "cli/setting_options.h"
#include "journal/history.h"
#include "journal/prune.h"
#include "json/write.h"

namespace paddock::cli {
namespace {

using journal::CallHistory;
using journal::FileChange;
using journal::NameChange;
using journal::SessionHistory;
using journal::Undone;

constexpr std::size_t kNamesShown = 5;
constexpr std::size_t kDetailBytes = 60;
constexpr std::int64_t kSessionsMax = 100'000;

class LogForm final : public Form {
public:
    void declare(Parser& parser) override {
        parser.integer({.names = {"-n", "--sessions"},
                        .help = "Show the last N sessions",
                        .usual = std::to_string(sessions_)},
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
        complain("'" + displayable(request.file) + "' is no file in the workspace");
        return kUsageError;
    }
    const auto changes = journal::changes_of_file(past.timeline, *path);
    if (changes.empty() && !request.output.json) {
        complain("no session that the journal knows has changed '" + displayable(*path) + "'");
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
             .description = "With FILE: the calls that changed it, also under older names. Old "
                            "sessions go by themselves, by age and size; --prune does it now." +
                            std::string(kHowToName),
             .operands = {{.name = "FILE", .offers = Offers::kPath, .required = false}},
             .examples = {"paddock log", "paddock log src/main.c", "paddock log -n 1 --json",
                          "paddock log --prune"},
             .no = "no session changed the FILE"},
            [] { return std::make_unique<LogForm>(); }};
}

}  // namespace paddock::cli
