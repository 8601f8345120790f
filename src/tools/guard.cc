// Every path that is protected now is compared with what was known. What is new or different is
// judged in an order that keeps hostile files from turning innocent ones into parts of a
// repository: first what a rule names, which needs no judgement, then what leads git elsewhere,
// then configs, then all else that has its own place, and at last what of these that were accepted
// leads to. After each step that undid something everything is looked at again.
#include "tools/guard.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <mutex>
#include <new>
#include <set>
#include <utility>

#include <paddock/limits.h>

#include "base/outcome.h"
#include "fs/rel_path.h"
#include "search/git_layout.h"
#include "text/quote.h"
#include "tools/closed_directories.h"
#include "tools/git_judgement.h"
#include "tools/host_sockets.h"
#include "tools/judged_object.h"
#include "tools/kept_tree.h"
#include "tools/known_paths.h"
#include "tools/quarantine.h"
#include "tools/unlocked.h"

namespace paddock::tools {
namespace {

using policy::Trusted;
using search::ProtectedKind;
using search::ProtectedPath;
using search::Protection;

constexpr Failure kTooLittleMemory{Code::kLimitReached, 0,
                                   "takes more memory than there is to be looked through"};

// A path in the detail of a record.
std::string told_path(const std::string& path) { return text::quote_in_sentence(path, " ,;"); }

std::string why_left(const Failure& why, std::string_view operation, const std::string& path) {
    return as_error(why, operation, text::quote_in_sentence(path)).explanation();
}

}  // namespace

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

    Result<std::vector<ProtectedPath>> before(Since since);
    void not_bound(const std::vector<ProtectedPath>& paths);
    GuardReport after();

private:
    using List = KnownPaths::List;
    using Clock = std::chrono::steady_clock;

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
    void clean(const ProtectedPath& entry, const policy::GitVerdict& verdict);
    void record(const std::string& path, Undone what, const std::string& rule,
                std::string detail = {}, std::string kept = {}) {
        const bool is_mended = what == Undone::kCleaned || what == Undone::kRestored;
        if (is_mended && mended_.insert(path).second) advanced_ = true;
        report_.add({path, what, rule, std::move(detail), std::move(kept)});
    }

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

void Guard::Impl::trust(const List& list, Trust trust) {
    known_.trust(list, trust);
    sockets_.trust(paths_.sockets());
    closed_.leave(paths_.snapshot().unreadable());
    began_ = true;
}

// What is known is of no use after that has failed half way.
Done Guard::Impl::trust_all(Trust kind) try {
    PADDOCK_ASSIGN(list, look());
    PADDOCK_TRY(seen_all());
    is_broken_ = true;
    trust(list, kind);
    is_broken_ = false;
    return {};
} catch (const std::bad_alloc&) {
    return kTooLittleMemory;
}

Result<std::vector<ProtectedPath>> Guard::Impl::before(Since since) {
    const std::lock_guard lock(mutex_);
    Done done;
    if (is_broken_) {
        done = kTooLittleMemory;
    } else if (began_ && since == Since::kBusy) {
        done = undo();
    } else {
        done = trust_all(since == Since::kBusy ? Trust::kBesideOthers : Trust::kFull);
    }
    if (done && known_.size() + sockets_.size() > limits::kProtectedPathsMax) {
        done = refuse(Code::kLimitReached, "has too many protected paths");
    }
    if (!done) return error_of(done.error());
    std::vector<ProtectedPath> fresh = known_.bind();
    std::vector<ProtectedPath> sockets = sockets_.bind();
    if (!kernel_holds_) return fresh;
    fresh.insert(fresh.end(), std::make_move_iterator(sockets.begin()),
                 std::make_move_iterator(sockets.end()));
    return fresh;
}

void Guard::Impl::not_bound(const std::vector<ProtectedPath>& paths) {
    const std::lock_guard lock(mutex_);
    known_.unbind(paths);
    sockets_.unbind(paths);
}

// --- looking -----------------------------------------------------------------------------------

GuardReport Guard::Impl::after() {
    const std::lock_guard lock(mutex_);
    const Done done = is_broken_ ? Done(kTooLittleMemory) : undo();
    if (!done) report_.unfinished = error_of(done.error());
    return std::exchange(report_, {});
}

Error Guard::Impl::error_of(const Failure& failure) const {
    const std::string cut = paths_.snapshot().cut().value_or("");
    return as_error(failure, "look for protected paths",
                    cut.empty() ? "." : text::quote_in_sentence(cut));
}

Done Guard::Impl::seen_all() const {
    if (!paths_.snapshot().cut() && !paths_.is_cut()) return {};
    return refuse(Code::kLimitReached,
                  "holds too many protected names, sockets, links of hooks, files of remotes or "
                  "places that git's settings lead to, and no command runs until some are gone");
}

// All that is hostile is bounded, but who makes it may have left too little memory all the same.
// Then what is not known goes without a judgement, which takes the least.
Done Guard::Impl::undo() {
    for (const bool is_short : {false, true}) try {
            is_short_ = is_short;
            return undo_all();
        } catch (const std::bad_alloc&) {
        }
    return kTooLittleMemory;
}

// There is an end to what can be taken away, moved back or mended, unless somebody makes more.
Done Guard::Impl::undo_all() {
    left_.clear();
    mended_.clear();
    moved_back_.clear();
    const Clock::time_point deadline = Clock::now() + patience_;
    bool was_flooded = false;
    for (int passes = 1, vain = 0;; ++passes) {
        PADDOCK_ASSIGN(list, find());
        // Whoever makes more of what git obeys than can be judged hides something among it.
        judges_nothing_ = is_short_ || paths_.is_flooded();
        if (!began_) trust(list);
        sockets_.admit(paths_.sockets());
        for (const auto& left : paths_.snapshot().left()) left_.emplace(key_of(left.stat), left);
        if (!pass(list)) {
            // What had been moved is known by now, and costs the next look nothing.
            if (!paths_.is_flooded() || was_flooded) return seen_all();
            was_flooded = true;
        }
        vain = advanced_ ? 0 : vain + 1;
        const bool is_late = passes >= limits::kGuardPassesMax && Clock::now() >= deadline;
        if (vain == limits::kGuardPassesMax || (is_late && alive_())) {
            return refuse(Code::kRace,
                          "holds protected names that keep appearing, and no command runs "
                          "until that ends");
        }
    }
}

Outcome<Guard::Impl::List> Guard::Impl::find() {
    auto list = look();
    if (list || list.error().code != Code::kPermissionDenied) return list;
    if (!make_readable(root_, {})) return list;
    record(".", Undone::kMadeReadable, {});
    return look();
}

Outcome<Guard::Impl::List> Guard::Impl::look() {
    return paths_.find(limits::kProtectedLookTimeMax, [this](const std::string& path) {
        const KnownPath* known = known_.find(path);
        return known != nullptr && !known->made_inside;
    });
}

// True if something was undone.
bool Guard::Impl::pass(const List& list) {
    acted_ = false;
    advanced_ = false;
    known_.follow(list);
    const auto settle_all = [&](auto wanted) {
        for (const ProtectedPath& entry : list) {
            if (entry.named_by.empty() && wanted(entry)) settle(entry);
        }
    };
    const auto is_of = [](ProtectedKind kind) {
        return [kind](const ProtectedPath& entry) { return entry.kind == kind; };
    };
    open_closed_directories();
    if (!acted_) move_pinned_back();
    if (!acted_) settle_all([&](const ProtectedPath& entry) { return is_named_itself(entry); });
    if (!acted_) settle_all(is_of(ProtectedKind::kGitPointer));
    if (!acted_) settle_all(is_of(ProtectedKind::kGitConfig));
    if (!acted_) {
        settle_all([&](const ProtectedPath& entry) {
            const bool is_other = entry.kind == ProtectedKind::kNamed && !is_named_itself(entry);
            return entry.kind == ProtectedKind::kGitHooks || is_other;
        });
    }
    if (!acted_) settle_named(list);
    if (!acted_) look_for_missing();
    return acted_;
}

void Guard::Impl::open_closed_directories() {
    for (const auto& [path, why] : paths_.snapshot().unreadable()) {
        if (closed_.is_left(path)) continue;
        const auto below = closed_.open(path, why);
        if (below) {
            acted_ = true;
            record(path, Undone::kMadeReadable, {},
                   *below == 0 ? std::string() : std::to_string(*below) + " more below");
        } else {
            record(path, Undone::kLeft, {}, why_left(why, "read", path));
        }
    }
}

// Where the kernel does not hold them: a repository that was renamed goes back, whatever has taken
// its place.
void Guard::Impl::move_pinned_back() {
    if (kernel_holds_) return;
    for (const std::string& path : known_.gone()) {
        const KnownPath& known = *known_.find(path);
        if (known.at.protection != Protection::kPinned || known.made_inside) continue;
        const std::string now = paths_.snapshot().path_of(known.at.stat);
        if (now.empty() || now == path) continue;
        const Unlocked from(root_, fs::parent_of(now));
        const Unlocked to(root_, fs::parent_of(path));
        if (const auto there = root_.lstat(path)) take_away(path, *there, known.at.rule);
        if (!rename_judged(root_, now, known.at.stat, path)) continue;
        record(path, Undone::kMovedBack, known.at.rule, "from " + told_path(now));
        acted_ = true;
        advanced_ = moved_back_.insert(key_of(known.at.stat)).second || advanced_;
    }
}

// What configs name, and pointers and links lead to: each after what leads there has been accepted.
// What was undone leads nowhere before the next look.
void Guard::Impl::settle_named(const List& list) {
    std::vector<const ProtectedPath*> waiting;
    for (const ProtectedPath& entry : list) {
        if (!entry.named_by.empty()) waiting.push_back(&entry);
    }
    std::set<std::string> settled;
    bool acted = false;
    for (bool progress = true; progress;) {
        progress = false;
        std::vector<const ProtectedPath*> left;
        for (const ProtectedPath* entry : waiting) {
            const KnownPath* source = known_.find(entry->named_by);
            const auto there = root_.lstat(entry->named_by);
            const bool stays =
                source != nullptr && there && is_same_object(source->at.stat, *there);
            const bool accepted =
                stays && (source->at.named_by.empty() || settled.contains(entry->named_by));
            if (!accepted) {
                left.push_back(entry);
                continue;
            }
            acted_ = false;
            settle(*entry);
            if (!acted_) progress = settled.insert(entry->path).second;
            acted = acted || acted_;
        }
        waiting = std::move(left);
    }
    acted_ = acted;
}

void Guard::Impl::look_for_missing() {
    for (const std::string& path : known_.gone()) {
        const KnownPath* known = known_.find(path);
        // What the kernel holds was moved out of sight, or taken away by somebody outside.
        if (known == nullptr || known->bound || root_.lstat(path)) continue;
        const bool restorable = !known->made_inside && !known->may_be_planted &&
                                known->at.protection != Protection::kPinned;
        const Unlocked unlocked(root_, fs::parent_of(path));
        if (restorable && known_.restore(*known)) {
            record(path, Undone::kRestored, known->at.rule);
            acted_ = true;
            continue;
        }
        if (restorable) record(path, Undone::kMissing, known->at.rule);
        known_.forget(path);
    }
}

// --- judgement ---------------------------------------------------------------------------------

// Not, for one, as a link among what may turn out to be no hooks.
bool Guard::Impl::is_named_itself(const ProtectedPath& entry) const {
    return entry.kind == ProtectedKind::kNamed &&
           rules_.decide(entry.path).access != policy::Access::kAllow;
}

void Guard::Impl::settle(const ProtectedPath& entry) {
    KnownPath* known = known_.find(entry.path);
    const bool same = known != nullptr && is_same_object(known->at.stat, entry.stat);
    // Moved while we looked: the next look knows it under this path.
    if (!same && known_.holds(entry.stat)) return;
    if (entry.protection == Protection::kPinned) {
        if (!same) known_.accept(entry);
        return;
    }
    if (known == nullptr) {
        if (!move_back(entry)) judge(entry, nullptr);
        return;
    }
    const bool held = known->bound && !known->judged && same;
    const bool is_config = entry.kind == ProtectedKind::kGitConfig;
    if (held && (!is_config || is_unchanged(known->at.stat, entry.stat))) {
        known_.update(*known, entry);
    } else if (!same && entry.kind == ProtectedKind::kNamed &&
               known_.was_replaced_outside(*known, entry.stat)) {
        record(entry.path, Undone::kReplaced, entry.rule);
        known_.update(*known, entry);
    } else if (!same && known->bound && entry.kind == ProtectedKind::kNamed) {
        take_away(entry);
    } else {
        judge(entry, known);
    }
}

void Guard::Impl::judge(const ProtectedPath& entry, KnownPath* known) {
    if (entry.stat.type == FileType::kSymlink) return judge_link(entry, known);
    switch (entry.kind) {
        case ProtectedKind::kGitPointer: judge_pointer(entry, known); break;
        case ProtectedKind::kGitConfig: judge_config(entry, known); break;
        case ProtectedKind::kGitHooks: judge_tree(entry, known); break;
        case ProtectedKind::kNamed:
            if (known != nullptr) {
                judge_tree(entry, known);
            } else {
                take_away(entry);
            }
            break;
    }
}

// Whatever it leads to: none is made inside.
void Guard::Impl::judge_link(const ProtectedPath& entry, KnownPath* known) {
    const bool is_trusted = known != nullptr && !known->made_inside;
    if (is_trusted && known->kept.difference(root_, held_).changed.empty()) {
        known_.update(*known, entry);
    } else {
        take_away(entry.path, entry.stat, entry.rule, is_trusted ? known : nullptr);
    }
}

void Guard::Impl::judge_pointer(const ProtectedPath& entry, KnownPath* known) {
    const bool is_trusted = known != nullptr && !known->made_inside;
    const bool is_common = !search::is_git_directory_name(fs::leaf_of(entry.path));
    if (is_trusted && entry.stat.type == known->at.stat.type &&
        known->kept.difference(root_, held_).changed.empty()) {
        known_.update(*known, entry);
    } else if (!judges_nothing_ && leads_to_repository(root_, entry.path) &&
               !redirects_repository(root_, entry.path) && !(is_trusted && is_common)) {
        known_.accept(entry);
    } else {
        take_away(entry.path, entry.stat, entry.rule, is_trusted ? known : nullptr);
    }
}

void Guard::Impl::judge_config(const ProtectedPath& entry, const KnownPath* known) {
    const bool is_trusted = known != nullptr && !known->made_inside;
    if (judges_nothing_ && !is_trusted) {
        take_away(entry);
        return;
    }
    auto judged = judge_config_file(
        root_, entry.path, is_trusted && known->config ? *known->config : std::string(),
        is_trusted && !kernel_holds_ ? Trusted::kStays : Trusted::kMayChange);
    if (!judged) {
        take_away(entry);
    } else if (judged->verdict.is_clean()) {
        known_.accept(entry, std::move(judged->text));
    } else {
        clean(entry, judged->verdict);
    }
}

// What is new or different in a directory of hooks, or in what is trusted.
void Guard::Impl::judge_tree(const ProtectedPath& entry, KnownPath* known) {
    const bool is_trusted = known != nullptr && !known->made_inside;
    KeptTree nothing(entry.path);
    KeptTree& before = is_trusted ? known->kept : nothing;
    const bool of_hooks = entry.kind == ProtectedKind::kGitHooks;
    const KeptTree::Difference difference = before.difference(root_, held_);
    bool stays = true;
    for (const auto& [path, stat] : difference.changed) {
        const bool is_hook = of_hooks && fs::parent_of(path) == entry.path;
        if (is_hook && search::is_sample_hook(fs::leaf_of(path))) continue;
        stays = take_away(path, stat, entry.rule, is_trusted ? known : nullptr) && stays;
    }
    if (!stays) known_.doubt(entry.stat);
    if (acted_ || !stays) return;
    if (!is_trusted) return known_.accept(entry);
    for (const std::string& path : difference.missing) {
        const Unlocked unlocked(root_, fs::parent_of(path));
        if (known->may_be_planted || !before.restore(root_, path)) continue;
        record(path, Undone::kRestored, entry.rule);
        acted_ = true;
    }
    if (entry.stat.type == known->at.stat.type) known_.update(*known, entry);
}

// --- acts --------------------------------------------------------------------------------------

// False if it is still there. What has moved meanwhile is looked for again.
bool Guard::Impl::take_away(const std::string& path, const Stat& judged, const std::string& rule,
                            const KnownPath* known) {
    const Unlocked unlocked(root_, fs::parent_of(path));
    auto [kept, removed] = quarantine_.take(path, judged);
    if (!removed && removed.error().code == Code::kRace) {
        acted_ = true;
        return false;
    }
    if (!removed) {
        // What is gone from it has changed it.
        const auto now = root_.lstat(path);
        known_.doubt(now ? *now : judged);
        record(path, Undone::kLeft, rule, why_left(removed.error(), "remove", path),
               std::move(kept));
        return false;
    }
    acted_ = true;
    if (known == nullptr) advanced_ = true;
    const bool restored =
        known != nullptr && !known->may_be_planted && known->kept.restore(root_, path);
    const Undone what = restored       ? Undone::kRestored
                        : kept.empty() ? Undone::kRemoved
                                       : Undone::kQuarantined;
    record(path, what, rule, {}, std::move(kept));
    return true;
}

// A directory that was renamed to a protected name goes back where it was, once: there git may obey
// it as well.
bool Guard::Impl::move_back(const ProtectedPath& entry) {
    if (entry.stat.type != FileType::kDirectory || moved_back_.contains(key_of(entry.stat)))
        return false;
    const auto [begin, end] = left_.equal_range(key_of(entry.stat));
    const auto found = std::find_if(begin, end, [&](const auto& each) {
        const auto& left = each.second;
        return is_same_object(left.stat, entry.stat) && left.path != entry.path &&
               rules_.decide(left.path).access == policy::Access::kAllow;
    });
    if (found == end) return false;
    const std::string& was = found->second.path;
    const Unlocked from(root_, fs::parent_of(entry.path));
    const Unlocked to(root_, fs::parent_of(was));
    if (!rename_judged(root_, entry.path, entry.stat, was)) return false;
    record(entry.path, Undone::kMovedBack, entry.rule, "to " + told_path(was));
    moved_back_.insert(key_of(entry.stat));
    acted_ = advanced_ = true;
    return true;
}

void Guard::Impl::clean(const ProtectedPath& entry, const policy::GitVerdict& verdict) {
    if (verdict.unreadable && verdict.cleaned.empty()) {
        take_away(entry);
        return;
    }
    const Unlocked unlocked(root_, fs::parent_of(entry.path));
    std::string kept = quarantine_.keep(entry.path, entry.stat);
    WriteOptions options;
    options.replaces = entry.stat;
    options.durability = Durability::kNone;  // a power cut may bring it back, as it may any file
    const Status written = root_.write_file(entry.path, verdict.cleaned, options);
    const bool has_changed = !written && (written.error().code == Code::kStaleRead ||
                                          written.error().code == Code::kRace);
    if (!written && !has_changed) {
        take_away(entry);
        return;
    }
    acted_ = true;
    if (has_changed) return;
    record(entry.path, Undone::kCleaned, entry.rule, verdict.summary(), std::move(kept));
}

Guard::Guard(const Root& linkless, const policy::PathRules& rules, HeldObjects& held,
             GuardOptions options)
    : impl_(std::make_unique<Impl>(linkless, rules, held, std::move(options))) {}
Guard::~Guard() = default;

Result<std::vector<ProtectedPath>> Guard::before(Since since) { return impl_->before(since); }
void Guard::not_bound(const std::vector<ProtectedPath>& paths) { impl_->not_bound(paths); }
GuardReport Guard::after() { return impl_->after(); }

}  // namespace paddock::tools
