// What is refused: by a rule, or because git obeys it.
#include "base/outcome.h"
#include "base/within.h"
#include "fs/rel_path.h"
#include "tools/files.h"

namespace paddock::tools {
namespace {

Problem denied(const std::string& shown, PathAccess access, std::string_view pattern) {
    std::string text = "'" + shown + "' is ";
    text += access == PathAccess::kDeny ? "protected" : "read-only";
    text += " by the workspace's rule '" + std::string(pattern) + "'. Work with another file.";
    return Problem(Code::kDeniedByRule, std::move(text));
}

}  // namespace

std::optional<Files::Refusal> Files::refusal(std::string_view canonical, Purpose purpose,
                                             Above above) const {
    const auto own = rules_.decide(ruled(canonical));
    if (own.access == PathAccess::kDeny) return Refusal{own.access, std::string(own.pattern)};
    const auto moved = held(canonical, purpose, above);
    if (moved && moved->protection == search::Protection::kHidden) {
        return Refusal{PathAccess::kDeny, moved->rule};
    }
    if (purpose == Purpose::kChange && own.access != PathAccess::kAllow) {
        return Refusal{own.access, std::string(own.pattern)};
    }
    if (moved) return Refusal{PathAccess::kReadOnly, moved->rule};
    return std::nullopt;
}

Attempt<void> Files::check(std::string_view canonical, Purpose purpose,
                           std::optional<std::string_view> given) const {
    const auto refused = refusal(canonical, purpose, Above::kUnknown);
    if (!refused) return {};
    return denied(given ? shown_given(*given) : shown(canonical), refused->access,
                  refused->pattern);
}

std::optional<search::ProtectedPath> Files::held(std::string_view canonical, Purpose purpose,
                                                 Above above) const {
    const bool looks = purpose == Purpose::kLook;
    if (looks ? !held_.hides_any() : held_.empty()) return std::nullopt;
    for (std::string_view at = canonical; !at.empty(); at = fs::parent_of(at)) {
        const auto stat = linkless_.lstat(at);
        if (stat && (looks ? held_.hides(*stat) : held_.keeps(*stat))) {
            if (auto found = held_.find(*stat)) return found;
        }
        if (above == Above::kPassed) break;
    }
    return std::nullopt;
}

const Root& Files::to_look() const { return held_.hides_any() ? looking_ : linkless_; }

Attempt<void> Files::check_obeyed(const std::string& canonical, search::GitChange change) const {
    if (const auto part = search::obeyed_part(linkless_, canonical, change)) {
        if (auto allowed = check_part(*part, canonical); !allowed) return allowed;
    }
    return check_parts(search::git_parts_above(linkless_, canonical, home_), canonical, change);
}

Attempt<void> Files::check_parts(const search::GitParts& parts, const std::string& canonical,
                                 search::GitChange change) const {
    if (parts.is_cut) return told(as_error(refuse(Code::kLimitReached), "look at", canonical));
    for (const search::GitPart& part : parts.all) {
        const bool is_touched =
            is_within(canonical, part.path) ||
            (change == search::GitChange::kTakeAway && is_within(part.path, canonical));
        if (!is_touched) continue;
        if (auto allowed = check_part(part, canonical); !allowed) return allowed;
    }
    return {};
}

Attempt<void> Files::check_part(const search::GitPart& part, const std::string& path) const {
    const auto own = rules_.decide(ruled(path));
    if (own.by_operator && own.access == PathAccess::kAllow) return {};
    // Where a pointer leads only a link is a part: of a directory its own parts are.
    if (part.kind == search::GitPart::Kind::kPointer && !part.named_by.empty()) {
        const auto stat = linkless_.lstat(part.path);
        if (!stat || stat->type != FileType::kSymlink) return {};
    }
    const auto decision = rules_.decide(ruled(search::name_in_dot_git(part)));
    if (decision.access == PathAccess::kAllow) return {};
    return denied(shown(path), decision.access, decision.pattern);
}

Attempt<void> Files::check_in(const std::string& whole, const std::string& path,
                              Purpose purpose) const {
    const auto refused = refusal(path, purpose, Above::kPassed);
    if (!refused) return {};
    if (refused->access != PathAccess::kDeny) {
        return denied(shown(path), refused->access, refused->pattern);
    }
    return Problem(Code::kDeniedByRule,
                   "'" + shown(whole) + "' holds something that the workspace's rule '" +
                       refused->pattern + "' protects. Work with another file.");
}

Attempt<void> Files::check_link(const std::string& canonical) const {
    for (const auto& below : rules_.restricted_below(ruled(canonical))) {
        const std::string path = fs::joined(canonical, below.path);
        const bool is_known = !below.path.empty();
        if (is_known && rules_.decide(ruled(path)).access == PathAccess::kAllow) continue;
        return Problem(Code::kDeniedByRule, "'" + shown(canonical) +
                                                "' may not be a link: the workspace's rule '" +
                                                std::string(below.pattern) +
                                                "' protects names below it. Choose another name.");
    }
    return {};
}

// What cannot be looked at is not carried away.
Attempt<void> Files::check_below(const std::string& directory, const std::string& named) const {
    if (!rules_.covers_something_below(ruled_directory(named))) return {};
    const bool gets_names = named != directory;
    Attempt<void> verdict;
    search::NotableMap notable;
    const Status walked = linkless_.walk(directory, [&](const WalkEntry& entry) {
        if (!gets_names && search::is_git_name(entry.name, entry.type)) {
            const std::string holder(fs::parent_of(entry.path));
            notable[holder].push_back({std::string(entry.name), entry.type});
        }
        const std::string path = named + std::string(entry.path.substr(directory.size()));
        verdict = check_in(named, path, Purpose::kChange);
        if (verdict && gets_names && entry.type == FileType::kSymlink) verdict = check_link(path);
        if (verdict && !gets_names && entry.failure != nullptr) {
            verdict = Attempt<void>(told(as_error(*entry.failure, "look into", path)));
        }
        return verdict ? WalkAction::kContinue : WalkAction::kStop;
    });
    if (!verdict) return verdict;
    const bool is_leaf = !walked && (walked.error().code == Code::kNotADirectory ||
                                     walked.error().code == Code::kNotFound ||
                                     walked.error().code == Code::kPathEscape);
    if (!walked && !is_leaf) return told(walked.error());
    const search::GitParts parts = search::git_parts(linkless_, notable, home_);
    if (parts.is_cut) return told(as_error(refuse(Code::kLimitReached), "look into", directory));
    for (const search::GitPart& part : parts.all) {
        if (auto allowed = check_part(part, part.path); !allowed) return allowed;
    }
    return {};
}

}  // namespace paddock::tools
