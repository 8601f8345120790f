// What the shell looks for before a command: files that are to be hidden, and those of others. And
// after it: sealed files that nobody could refuse, and worktrees that will not last.
#include <algorithm>
#include <system_error>
#include <utility>

#include <paddock/limits.h>

#include "base/outcome.h"
#include "base/within.h"
#include "fs/procfs.h"
#include "text/quote.h"
#include "tools/foreign_files.h"
#include "tools/shell.h"

namespace paddock::tools {
namespace {

// Another look costs no more than a tenth of the time.
constexpr int kLookShare = 10;
constexpr std::chrono::seconds kLookPause{1};

constexpr std::string_view kWorktrees = ".git/worktrees";
constexpr std::size_t kWorktreesReported = 8;

}  // namespace

// A directory that another session moves meanwhile could be missed at both of its places. So a
// search counts only if none was moved; the last one is made while nobody can.
Outcome<std::vector<sandbox::Protection>> Shell::search(SessionRoot& root,
                                                        const std::stop_token& cancel) {
    constexpr int kFreeSearches = 2;
    if (root.opened.read_only) return root.hidden.find(cancel);
    const auto opened = root.recorder.journal();
    // Where the user may not write no session of theirs moves anything; it was started for reading.
    if (!opened && is_for_want_of_rights(opened.error())) return root.hidden.find(cancel);
    if (!opened) return opened.error();
    journal::Journal* const journal = *opened;
    const auto moves_so_far = [&journal] {
        const journal::Turn turn(*journal);  // a move is counted before it is made
        return journal->shared_count();
    };
    for (int i = 0; i < kFreeSearches; ++i) {
        const std::uint64_t before = moves_so_far();
        auto found = root.hidden.find(cancel);
        if (!found || journal->shared_count() == before) return found;
    }
    const journal::Turn turn(*journal);
    return root.hidden.find(cancel);
}

// Whoever replaces a path after it was looked at makes us look again.
Attempt<void> Shell::cover(const std::stop_token& cancel) {
    const auto began = Job::Clock::now();
    for (int i = 0; i < limits::kProtectPassesMax; ++i) {
        std::vector<sandbox::Protection> all;
        std::vector<std::string> repositories;
        for (SessionRoot* root : roots_) {
            const std::string& prefix = root->opened.prefix;
            const auto named = [&](const std::string& path) {
                return prefix.empty() ? path : prefix + "/" + path;
            };
            auto found = search(*root, cancel);
            if (!found) return as_error(found.error(), "look for what is hidden", {});
            for (sandbox::Protection& each : *found) {
                each.path = named(each.path);
                all.push_back(std::move(each));
            }
            for (const std::string& directory : root->hidden.repository_directories()) {
                repositories.push_back(named(directory));
            }
        }
        if (cancel.stop_requested()) return call_cancelled();
        const auto told = warden_.know_repositories(repositories);
        if (!told) return told.error();
        const bool can_cover = report().rung == Rung::kFull && !all.empty();
        const auto done = can_cover ? warden_.protect(all) : Status();
        if (!done && done.error().code == Code::kRace) continue;
        if (!done) return done.error();
        for (SessionRoot* root : roots_) root->hidden.set_covered();
        is_covered_ = true;
        looked_ = Job::Clock::now();
        look_took_ = looked_ - began;
        return {};
    }
    return Problem(Code::kRace,
                   "Files that are to be hidden are being replaced all the time, so the command "
                   "was not run. End what replaces them, or try again.");
}

void Shell::look_in_background() try {
    looker_ = std::jthread([this] {
        const std::lock_guard lock(looking_);
        // The next command looks again, and says what is wrong.
        if (!cover(over_.get_token())) is_covered_ = false;
        end_searches();  // of roots that a failure in another one left out
    });
} catch (const std::system_error&) {
    // The next command tries again.
    end_searches();
}

void Shell::end_searches() {
    for (SessionRoot* root : roots_) root->hidden.end_search();
}

void Shell::look_ahead() {
    const std::lock_guard lock(starting_);
    if (looker_.joinable()) return;
    for (SessionRoot* root : roots_) root->hidden.expect_search();
    look_in_background();
}

Attempt<void> Shell::see_to_hiding() {
    bool is_old = false;
    {
        const std::lock_guard lock(looking_);
        if (!is_covered_) return cover(over_.get_token());
        const auto age = Job::Clock::now() - looked_;
        is_old = age > kLookPause && age > kLookShare * look_took_;
    }
    if (is_old) look_in_background();
    return {};
}

Remarks Shell::check_sealed() {
    const std::lock_guard lock(starting_);
    if (sealed_ == nullptr) return {};
    const auto news = sealed_->after();
    if (!news) return {{"What is sealed could not be looked at after the command."}};
    Remarks remarks;
    for (const std::string& path : *news) {
        remarks.lines.push_back("'" + text::quote_in_sentence(path) +
                                "' is new or has changed, and programs obey it without being "
                                "asked. No gate could refuse that on this machine (`paddock "
                                "doctor` says why): look at it before you go on.");
    }
    return remarks;
}

// Where the workspace lies in /tmp, "../x" is a name in the private one: git makes a worktree
// there, which ends with the session.
Remarks Shell::look_at_worktrees() {
    Remarks remarks;
    SessionRoot& root = *roots_.front();
    if (report().rung != Rung::kFull || root.opened.read_only) return remarks;
    const auto worktrees = linkless_.list(kWorktrees);
    if (!worktrees) return remarks;
    std::vector<std::string> lasting;
    for (const SessionRoot* each : roots_) {
        if (auto path = fs::host_path_of(each->opened.workspace.fd())) lasting.push_back(*path);
    }
    const std::lock_guard lock(mutex_);
    for (const ListEntry& entry : worktrees->entries) {
        if (reported_worktrees_.size() >= kWorktreesReported) break;
        const std::string note = std::string(kWorktrees) + '/' + entry.name + "/gitdir";
        const auto stat = linkless_.lstat(note);
        if (!stat || !root.recorder.is_own(*stat)) continue;
        const std::string text =
            linkless_.read_file(note, limits::kPathBytesMax).value_or(std::string());
        const std::string path = text.substr(0, text.rfind("/.git"));
        const auto holds = [&](const std::string& top) { return is_within(path, top); };
        if (!is_within(path, "/tmp") || std::any_of(lasting.begin(), lasting.end(), holds))
            continue;
        if (!reported_worktrees_.insert(entry.name).second) continue;
        remarks.lines.push_back("The git worktree '" + text::quote_in_sentence(path) +
                                "' lies in the private /tmp of this session and ends with it. Make "
                                "it inside the workspace, and remove this one with `git worktree "
                                "remove`.");
    }
    return remarks;
}

void Shell::look_for_foreign_files() {
    if (auto lines = foreign_files(roots_); !lines.empty()) put_aside({std::move(lines)});
}

}  // namespace paddock::tools
