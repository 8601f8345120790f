// The guard's state, for its two sources: looking, and judging what is found.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/outcome.h"
#include "git/trust.h"
#include "tools/closed_directories.h"
#include "tools/guard.h"
#include "tools/host_sockets.h"
#include "tools/judged_object.h"
#include "tools/kept_tree.h"
#include "tools/known_paths.h"
#include "tools/quarantine.h"

namespace paddock::tools {

class Guard::Impl {
public:
    Impl(const Root& linkless, const policy::PathRules& rules, HeldObjects& held,
         GuardOptions options)
        : root_(linkless),
          rules_(rules),
          kernel_holds_(options.kernel_holds),
          known_(linkless, options.kernel_holds, held),
          held_([this](const Stat& stat) { return known_.holds(stat); }),
          quarantine_(linkless, std::move(options.quarantine), held_),
          paths_(linkless, rules, std::move(options.home)),
          alive_(std::move(options.alive)),
          patience_(options.patience),
          closed_(linkless) {}

    Result<std::vector<search::ProtectedPath>> before(Since since);
    void not_bound(const std::vector<search::ProtectedPath>& paths);
    GuardReport after();

private:
    using ProtectedPath = search::ProtectedPath;
    using List = KnownPaths::List;
    using Clock = std::chrono::steady_clock;

    // Looking, in guard.cc.
    void trust(const List& list, Trust trust = Trust::kFull);
    Done trust_all(Trust trust);
    Error error_of(const Failure& failure) const;
    Done seen_all() const;
    Done undo();
    Done undo_all();
    Outcome<List> look();
    bool pass(const List& list);
    void open_closed_directories();
    Outcome<List> find();
    void move_pinned_back();
    void settle_named(const List& list);
    void look_for_missing();

    // Judging and undoing, in guard_judgement.cc.
    bool is_named_itself(const ProtectedPath& entry) const;
    void settle(const ProtectedPath& entry);
    void judge(const ProtectedPath& entry, KnownPath* known);
    void judge_link(const ProtectedPath& entry, KnownPath* known);
    void judge_pointer(const ProtectedPath& entry, KnownPath* known);
    void judge_config(const ProtectedPath& entry, const KnownPath* known);
    void judge_tree(const ProtectedPath& entry, KnownPath* known);

    bool take_away(const std::string& path, const Stat& judged, const std::string& rule,
                   const KnownPath* known = nullptr);
    bool take_away(const ProtectedPath& entry) {
        return take_away(entry.path, entry.stat, entry.rule);
    }
    bool move_back(const ProtectedPath& entry);
    void clean(const ProtectedPath& entry, const git::GitVerdict& verdict);
    void record(const std::string& path, Undone what, const std::string& rule,
                std::string detail = {}, std::string kept = {}) {
        const bool is_mended = what == Undone::kCleaned || what == Undone::kRestored;
        if (is_mended && mended_.insert(path).second) advanced_ = true;
        report_.add({path, what, rule, std::move(detail), std::move(kept)});
    }
    // For the detail of a record.
    static std::string told_path(const std::string& path);
    static std::string why_left(const Failure& why, std::string_view operation,
                                const std::string& path);

    const Root root_;
    const policy::PathRules& rules_;
    const bool kernel_holds_;
    KnownPaths known_;
    const KeptTree::Spares held_;
    Quarantine quarantine_;
    search::ProtectedPaths paths_;
    const std::function<bool()> alive_;
    const std::chrono::milliseconds patience_;
    HostSockets sockets_;
    std::mutex mutex_;

    bool began_ = false;
    ClosedDirectories closed_;
    GuardReport report_;

    bool is_broken_ = false;       // memory ran out while everything was being trusted
    bool is_short_ = false;        // or while something was judged
    bool judges_nothing_ = false;  // of git's that is not known: it goes as it is

    // During a pass.
    bool acted_ = false;
    bool advanced_ = false;  // something is gone for good, back where it was, or newly mended
    std::set<std::string> mended_;                               // since the first pass
    std::set<ObjectKey> moved_back_;                             // the same
    std::multimap<ObjectKey, search::TreeSnapshot::Left> left_;  // what was renamed or removed
};

}  // namespace paddock::tools
