#include "text/path_pattern.h"

#include <algorithm>
#include <cstring>

namespace paddock::text {
namespace {

// Cuts "**" (or more stars) off `rest` if that is all up to the next slash or the end.
bool take_any_names(std::string_view& rest) {
    const std::size_t stars = std::min(rest.find_first_not_of('*'), rest.size());
    if (stars < 2 || (stars < rest.size() && rest[stars] != '/')) return false;
    rest.remove_prefix(stars);
    return true;
}

// A position in a path: where a name starts; one past the end after the last name.
std::size_t first_name(std::string_view path) { return path.empty() ? 1 : 0; }

std::string_view last_name(std::string_view path) {
    const void* const slash = ::memrchr(path.data(), '/', path.size());
    if (slash == nullptr) return path;
    return path.substr(static_cast<std::size_t>(static_cast<const char*>(slash) - path.data()) + 1);
}

std::string_view name_at(std::string_view path, std::size_t at) {
    return path.substr(at, path.find('/', at) - at);
}

std::size_t next_name(std::string_view path, std::size_t at) {
    return std::min(path.find('/', at), path.size()) + 1;
}

}  // namespace

bool PathPart::is_literal(std::string_view text) const noexcept {
    return !any_names && name.kind() == NamePattern::Kind::kLiteral && name.text() == text;
}

Outcome<std::vector<PathPart>> parse_parts(std::string_view pattern, PatternOptions options) {
    std::vector<PathPart> parts;
    for (;;) {
        PathPart& part = parts.emplace_back();
        part.any_names = take_any_names(pattern);
        if (!part.any_names) {
            PADDOCK_ASSIGN(name, NamePattern::parse(pattern, options));
            part.name = std::move(name);
        }
        if (pattern.empty()) return parts;
        pattern.remove_prefix(pattern[0] == '\\' ? 2 : 1);
    }
}

PathPattern::PathPattern(std::vector<PathPart> parts) : parts_(std::move(parts)) {
    const auto repeated = std::unique(
        parts_.begin(), parts_.end(),
        [](const PathPart& a, const PathPart& b) { return a.any_names && b.any_names; });
    parts_.erase(repeated, parts_.end());
    by_last_names_ = parts_.size() > 1 && parts_[0].any_names &&
                     std::none_of(parts_.begin() + 1, parts_.end(),
                                  [](const PathPart& part) { return part.any_names; });
}

bool PathPattern::matches_last_names(std::string_view path) const noexcept {
    for (std::size_t part = parts_.size() - 1; part > 0; --part) {
        if (path.empty()) return false;
        const std::string_view name = last_name(path);
        if (!parts_[part].name.matches(name)) return false;
        path.remove_suffix(std::min(name.size() + 1, path.size()));
    }
    return true;
}

bool PathPattern::matches(std::string_view path) const noexcept {
    return by_last_names_ ? matches_last_names(path) : matches(path, Extent::kWhole);
}

bool PathPattern::covers(std::string_view path) const noexcept {
    return !parts_.empty() && matches(path, Extent::kBeginning);
}

// Two positions that only move forward. After a mismatch the last "**" takes one name more; earlier
// ones never have to, as with stars in a name.
bool PathPattern::matches(std::string_view path, Extent extent) const noexcept {
    const bool is_whole = extent == Extent::kWhole;
    const std::size_t end = path.size() + 1;
    std::size_t at = first_name(path);
    std::size_t part = 0;
    std::size_t retry_part = 0;  // 0: no "**" yet
    std::size_t retry_at = 0;
    for (;;) {
        if (part == parts_.size()) {
            if (at == end || !is_whole) return true;
        } else if (parts_[part].any_names) {
            ++part;
            if (at == end || part == parts_.size()) return at != end;
            if (is_whole && part + 1 == parts_.size()) {
                const std::size_t last = path.rfind('/') + 1;
                return parts_[part].name.matches(path.substr(std::max(at, last)));
            }
            retry_part = part;
            retry_at = at;
            continue;
        } else if (at == end) {
            return false;
        } else if (parts_[part].name.matches(name_at(path, at))) {
            at = next_name(path, at);
            ++part;
            continue;
        }
        if (retry_part == 0) return false;
        retry_at = next_name(path, retry_at);
        at = retry_at;
        part = retry_part;
    }
}

bool PathPattern::may_match_below(std::string_view directory) const noexcept {
    std::size_t at = first_name(directory);
    for (const PathPart& part : parts_) {
        if (part.any_names || at > directory.size()) return true;
        if (!part.name.matches(name_at(directory, at))) return false;
        at = next_name(directory, at);
    }
    return false;
}

bool PathPattern::may_end_in(std::string_view name) const noexcept {
    if (parts_.empty()) return false;
    return parts_.back().any_names || parts_.back().name.matches(name);
}

}  // namespace paddock::text
