// Every path that is protected now is compared with what was known. What is new or different is
// judged in an order that keeps hostile files from turning innocent ones into parts of a
// repository: first what a rule names, which needs no judgement, then what leads git elsewhere,
// then configs, then all else that has its own place, and at last what of these that were accepted
// leads to. After each step that undid something everything is looked at again.
#include "tools/guard.h"

#include <iterator>
#include <new>
#include <set>
#include <utility>

#include <paddock/limits.h>

#include "fs/rel_path.h"
#include "text/quote.h"
#include "tools/guard_impl.h"
#include "tools/unlocked.h"

namespace paddock::tools {
namespace {

using search::ProtectedKind;
using search::ProtectedPath;
using search::Protection;

constexpr Failure kTooLittleMemory{Code::kLimitReached, 0,
                                   "takes more memory than there is to be looked through"};

}  // namespace

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

Guard::Guard(const Root& linkless, const policy::PathRules& rules, HeldObjects& held,
             GuardOptions options)
    : impl_(std::make_unique<Impl>(linkless, rules, held, std::move(options))) {}
Guard::~Guard() = default;

Result<std::vector<ProtectedPath>> Guard::before(Since since) { return impl_->before(since); }
void Guard::not_bound(const std::vector<ProtectedPath>& paths) { impl_->not_bound(paths); }
GuardReport Guard::after() { return impl_->after(); }

}  // namespace paddock::tools
