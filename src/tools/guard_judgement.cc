// What becomes of a path that is new or not as it was known: it is accepted, mended or taken away.
#include <algorithm>
#include <utility>

#include "fs/rel_path.h"
#include "search/git_layout.h"
#include "text/quote.h"
#include "tools/git_judgement.h"
#include "tools/guard_impl.h"
#include "tools/unlocked.h"

namespace paddock::tools {
namespace {

using git::Trusted;
using search::ProtectedKind;
using search::ProtectedPath;
using search::Protection;

}  // namespace

std::string Guard::Impl::told_path(const std::string& path) {
    return text::quote_in_sentence(path, " ,;");
}

std::string Guard::Impl::why_left(const Failure& why, std::string_view operation,
                                  const std::string& path) {
    return as_error(why, operation, text::quote_in_sentence(path)).explanation();
}

// Not, for one, as a link among what may turn out to be no hooks.
bool Guard::Impl::is_named_itself(const ProtectedPath& entry) const {
    return entry.kind == ProtectedKind::kNamed &&
           rules_.decide(entry.path).access != policy::Access::kAllow;
}

void Guard::Impl::settle(const ProtectedPath& entry) {
    KnownPath* known = known_.find(entry.path);
    const bool same = known != nullptr && is_same_object(known->at.stat, entry.stat);
    // What was first met beside another session at work excuses nothing but itself.
    const bool is_itself = same && (entry.stat.type == FileType::kDirectory ||
                                    is_unchanged(known->at.stat, entry.stat));
    if (known != nullptr && known->may_be_planted && !is_itself) known = nullptr;
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

void Guard::Impl::clean(const ProtectedPath& entry, const git::GitVerdict& verdict) {
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

}  // namespace paddock::tools
