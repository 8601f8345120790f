// What is refused, in words.
#include <paddock/limits.h>

#include "base/outcome.h"
#include "base/within.h"
#include "fs/rel_path.h"
#include "git/ordinary_names.h"
#include "tools/files.h"

namespace paddock::tools {

namespace {

// What is judged costs time by the length of its path. Of paths that are too long for any call, so
// many bytes are judged for one directory: somebody may have nested names that rules mean.
constexpr std::size_t kLongPathsBytesMax = std::size_t{16} << 20;

}  // namespace

Problem Files::refused(const git::Refusal& refusal, const std::string& shown) const {
    std::string text = "'" + shown + "' is ";
    text += refusal.access == PathAccess::kDeny ? "protected" : "read-only";
    text += " by the workspace's rule '" + refusal.rule + "'";
    if (!refusal.detail.empty()) text += ": " + refusal.detail;
    return Problem(Code::kDeniedByRule, std::move(text) + ". Work with another file.");
}

Attempt<void> Files::allowed(const git::Verdict& verdict, std::string_view canonical) const {
    if (!verdict) return {};
    return refused(*verdict, shown(canonical));
}

// The search for what is hidden takes the turn itself: nobody waits for it with the turn held.
Attempt<Recorder::Change> Files::begin_change() const {
    hidden_.wait_for_search();
    return recorder_.begin();
}

Attempt<void> Files::check(std::string_view canonical, Purpose purpose,
                           std::optional<std::string_view> given) const {
    // Files are replaced, never changed in place.
    const auto verdict = purpose == Purpose::kLook ? judge_.look(canonical)
                                                   : judge_.make(canonical, FileType::kRegular);
    if (!verdict) return {};
    return refused(*verdict, given ? shown_given(*given) : shown(canonical));
}

Attempt<void> Files::check_file(const std::string& canonical, std::string_view content) const {
    if (auto fine = check(canonical, Purpose::kChange); !fine) return fine;
    if (judge_.is_commondir_of_worktree(canonical) && content != git::kCommonOfWorktree) {
        return allowed(git::Refusal{PathAccess::kReadOnly, std::string(git::kConfigRule)},
                       canonical);
    }
    if (!judge_.is_config(canonical)) return {};
    return allowed(judge_.judge_config(canonical, content), canonical);
}

Attempt<void> Files::check_removal(const std::string& canonical) const {
    return allowed(judge_.remove(canonical), canonical);
}

Attempt<void> Files::check_in(const std::string& whole, const git::Verdict& verdict,
                              const std::string& path) const {
    if (!verdict) return {};
    if (verdict->access != PathAccess::kDeny) return refused(*verdict, shown(path));
    return Problem(Code::kDeniedByRule, "'" + shown(whole) +
                                            "' holds something that the workspace's rule '" +
                                            verdict->rule + "' protects. Work with another file.");
}

// What cannot be looked at is not carried away.
Attempt<void> Files::check_below(const std::string& directory, const std::string& named,
                                 const std::stop_token& cancel) const {
    const bool gets_names = named != directory;
    git::OrdinaryNames leaving(judge_, directory);
    git::OrdinaryNames arriving(judge_, named);
    std::size_t long_bytes = 0;
    const auto check_entry = [&](const WalkEntry& entry) -> Attempt<void> {
        if (cancel.stop_requested()) return call_cancelled();
        if (entry.failure != nullptr) {
            return told(as_error(*entry.failure, "look into", std::string(entry.path)));
        }
        const bool leaves_unasked = leaving.include(entry);
        const bool arrives_unasked = !gets_names || arriving.include(entry);
        if (leaves_unasked && arrives_unasked) return {};
        if (entry.path.size() > limits::kPathBytesMax) long_bytes += entry.path.size();
        if (long_bytes > kLongPathsBytesMax) {
            return Problem(Code::kLimitReached,
                           "'" + shown(directory) +
                               "' holds too many names that a rule may mean, too deep to be "
                               "judged. Take its parts one by one.");
        }
        if (!leaves_unasked) {
            const std::string path(entry.path);
            if (auto fine = check_in(directory, judge_.remove(path), path); !fine) return fine;
        }
        if (arrives_unasked) return {};
        const std::string path = named + std::string(entry.path.substr(directory.size()));
        return check_in(named, judge_.carry(path), path);
    };
    Attempt<void> verdict;
    const Status walked = linkless_.walk(directory, [&](const WalkEntry& entry) {
        verdict = check_entry(entry);
        return verdict ? WalkAction::kContinue : WalkAction::kStop;
    });
    if (!verdict) return verdict;
    const bool is_leaf = !walked && (walked.error().code == Code::kNotADirectory ||
                                     walked.error().code == Code::kNotFound ||
                                     walked.error().code == Code::kPathEscape);
    if (!walked && !is_leaf) return told(walked.error());
    return {};
}

}  // namespace paddock::tools
