#include "fs/rel_path.h"

#include <algorithm>

#include <paddock/limits.h>

namespace paddock::fs {
namespace {

// Removes the last name of `text`; false if there is none.
bool pop_name(std::string& text) {
    if (text.empty()) return false;
    const std::size_t slash = text.rfind('/');
    text.resize(slash == std::string::npos ? 0 : slash);
    return true;
}

// Nothing to leave out, to take back or to refuse, as in nearly every path. May be false of such a
// one too. Without a way out of the loop, which so takes many bytes at a time.
bool is_normal(std::string_view path) noexcept {
    if (path.empty() || path.size() > limits::kComponentBytesMax) return false;
    if (path.front() == '/' || path.front() == '.' || path.back() == '/') return false;
    unsigned odd = 0;
    for (std::size_t i = 1; i < path.size(); ++i) {
        odd |= unsigned{path[i - 1] == '/'} & (unsigned{path[i] == '/'} | unsigned{path[i] == '.'});
    }
    return odd == 0;
}

Outcome<RelPath> normalise(std::string_view rest, DotDot dotdot) {
    RelPath path;
    if (is_normal(rest)) {
        path.text = rest;
        return path;
    }
    path.text.reserve(rest.size());
    path.must_be_directory = rest.empty() || rest.back() == '/';
    for (std::string_view name = take_component(rest); !name.empty(); name = take_component(rest)) {
        path.ends_in_dots = name == "." || name == "..";
        if (name == ".") continue;
        if (name == "..") {
            if (dotdot == DotDot::kReject) {
                return refuse(Code::kPathEscape, "contains '..', which this workspace refuses");
            }
            if (!pop_name(path.text)) return refuse(Code::kPathEscape);
            continue;
        }
        if (name.size() > limits::kComponentBytesMax) return refuse(Code::kInvalidPath);
        if (!path.text.empty()) path.text += '/';
        path.text += name;
    }
    // The kernel counts the final NUL as well; both resolvers refuse at the same length.
    if (path.text.size() >= limits::kPathBytesMax) return refuse(Code::kInvalidPath);
    path.must_be_directory = path.must_be_directory || path.ends_in_dots || path.text.empty();
    return path;
}

}  // namespace

std::string_view parent_of(std::string_view path) noexcept {
    const std::size_t slash = path.rfind('/');
    return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}

std::string_view leaf_of(std::string_view path) noexcept {
    return path.substr(path.rfind('/') + 1);
}

std::string joined(std::string_view directory, std::string_view name) {
    if (directory.empty() || directory == ".") return std::string(name);
    std::string path(directory);
    return path.append(1, '/').append(name);
}

std::string_view RelPath::parent() const noexcept { return parent_of(text); }

std::string_view RelPath::leaf() const noexcept { return leaf_of(text); }

std::string_view take_component(std::string_view& rest) noexcept {
    const std::size_t start = std::min(rest.find_first_not_of('/'), rest.size());
    const std::size_t end = std::min(rest.find('/', start), rest.size());
    const std::string_view name = rest.substr(start, end - start);
    rest.remove_prefix(end);
    return name;
}

Outcome<RelPath> parse_path(std::string_view path, const PathRules& rules) {
    if (path.empty() || path.size() > limits::kPathBytesMax ||
        path.find('\0') != std::string_view::npos) {
        return refuse(Code::kInvalidPath);
    }
    if (path.front() != '/') return normalise(path, rules.dotdot);
    if (rules.absolute == AbsolutePaths::kReject) return refuse(Code::kAbsolutePath);
    PADDOCK_ASSIGN(rest, strip_root(path, rules));
    return normalise(rest, rules.dotdot);
}

Outcome<std::string_view> strip_root(std::string_view absolute, const PathRules& rules) {
    for (const Spelling& spelling : rules.spellings) {
        std::string_view rest = absolute;
        const bool below = std::all_of(spelling.begin(), spelling.end(), [&](const auto& name) {
            std::string_view next = take_component(rest);
            while (next == ".") next = take_component(rest);
            return next == name;
        });
        if (below) return rest;
    }
    return refuse(Code::kPathEscape);
}

std::optional<Spelling> spelling_of(std::string_view absolute) {
    if (!absolute.starts_with('/')) return std::nullopt;
    Spelling spelling;
    for (auto name = take_component(absolute); !name.empty(); name = take_component(absolute)) {
        if (name == "..") return std::nullopt;
        if (name != ".") spelling.emplace_back(name);
    }
    return spelling;
}

}  // namespace paddock::fs
