#include "agreement/reference.h"

#include <algorithm>

namespace paddock::agreement {
namespace {

constexpr std::size_t kNameBytesMax = 255;

std::vector<std::string> split(std::string_view text) {
    std::vector<std::string> parts;
    std::size_t start = 0;
    while (start <= text.size()) {
        const std::size_t end = std::min(text.find('/', start), text.size());
        if (end > start) parts.emplace_back(text.substr(start, end - start));
        start = end + 1;
    }
    return parts;
}

// How many of `parts` spell the root; nothing if they lead elsewhere.
std::optional<std::size_t> parts_of_root(const std::vector<std::string>& parts,
                                         const Rules& rules) {
    for (const std::string& spelling : rules.spellings) {
        std::size_t used = 0;
        bool same = true;
        for (const std::string& name : split(spelling)) {
            if (name == ".") continue;
            while (used < parts.size() && parts[used] == ".") ++used;
            same = same && used < parts.size() && parts[used] == name;
            ++used;
        }
        if (same) return used;
    }
    return std::nullopt;
}

struct Step {
    std::string name;
    bool written;  // by the caller, not by a link
};

class Walk {
public:
    Walk(const Node& root, const Rules& rules, const Names& path)
        : rules_(rules), must_be_directory_(path.must_be_directory), way_{{"", &root}} {
        for (auto name = path.names.rbegin(); name != path.names.rend(); ++name) {
            ahead_.push_back({*name, true});
        }
    }

    End run() {
        while (!ahead_.empty() && !end_.error && !end_.may_be_made) step();
        if (!end_.error && !end_.may_be_made) {
            end_.node = here();
            end_.path = joined();
            if (must_be_directory_ && !is_directory()) stop(Code::kNotADirectory);
        }
        return end_;
    }

private:
    struct Place {
        std::string name;
        const Node* node;
    };

    const Node* here() const { return way_.back().node; }
    bool is_directory() const { return here()->type == FileType::kDirectory; }
    void stop(Code code) { end_.error = code; }

    std::string joined() const {
        std::string path;
        for (const Place& place : way_) path += path.empty() ? place.name : "/" + place.name;
        return path;
    }

    void step() {
        const Step next = ahead_.back();
        ahead_.pop_back();
        if (!is_directory()) return stop(Code::kNotADirectory);
        if (!rules_.may_search(*here())) return stop(Code::kPermissionDenied);
        if (next.name == ".") return;
        if (next.name == "..") {
            if (way_.size() == 1) return stop(Code::kPathEscape);
            way_.pop_back();
            return;
        }
        if (next.name.size() > kNameBytesMax) return stop(Code::kInvalidPath);
        const auto child = here()->children.find(next.name);
        if (child == here()->children.end()) return missing(next);
        const Node& node = child->second;
        if (!rules_.may_enter(node)) return stop(Code::kMountCrossing);
        if (node.type == FileType::kSymlink) return follow(node);
        way_.push_back({next.name, &node});
    }

    // Directories may be made for what the caller wrote; for a link's text only its last name.
    void missing(const Step& next) {
        if (!ahead_.empty() && !next.written) return stop(Code::kNotFound);
        way_.push_back({next.name, nullptr});
        end_.path = joined();
        for (auto rest = ahead_.rbegin(); rest != ahead_.rend(); ++rest) {
            end_.path += "/" + rest->name;
        }
        end_.may_be_made = true;
    }

    void follow(const Node& link) {
        if (++links_ > kLinksMax) return stop(Code::kLimitReached);
        const bool stopped = link.planted && rules_.planted_bind && ahead_.empty();
        if (stopped) return stop(Code::kPermissionDenied);
        if (rules_.options.symlinks == Symlinks::kReject) return stop(Code::kPathEscape);
        std::vector<std::string> parts = split(link.text);
        std::size_t first = 0;
        ++end_.plain_links;
        if (link.text.starts_with('/')) {
            const auto used = parts_of_root(parts, rules_);
            if (!used) return stop(Code::kPathEscape);
            first = *used;
            ++end_.plain_links;
            way_.resize(1);
        }
        if (link.text.ends_with('/') && ahead_.empty()) must_be_directory_ = true;
        for (std::size_t i = parts.size(); i > first; --i) ahead_.push_back({parts[i - 1], false});
    }

    const Rules& rules_;
    bool must_be_directory_;
    std::vector<Place> way_;
    std::vector<Step> ahead_;  // the next one last
    int links_ = 0;
    End end_;
};

}  // namespace

std::string Names::text() const {
    std::string joined;
    for (const std::string& name : names) joined += joined.empty() ? name : "/" + name;
    return joined;
}

std::variant<Names, Code> normalised(std::string_view path, const Rules& rules) {
    if (path.empty() || path.size() > kPathBytesMax) return Code::kInvalidPath;
    if (path.find('\0') != std::string_view::npos) return Code::kInvalidPath;
    std::vector<std::string> parts = split(path);
    if (path.starts_with('/')) {
        if (rules.options.absolute == AbsolutePaths::kReject) return Code::kAbsolutePath;
        const auto used = parts_of_root(parts, rules);
        if (!used) return Code::kPathEscape;
        parts.erase(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(*used));
    }
    Names result;
    for (const std::string& part : parts) {
        if (part == ".") continue;
        if (part == "..") {
            if (rules.options.dotdot == DotDot::kReject) return Code::kPathEscape;
            if (result.names.empty()) return Code::kPathEscape;
            result.names.pop_back();
            continue;
        }
        if (part.size() > kNameBytesMax) return Code::kInvalidPath;
        result.names.push_back(part);
    }
    if (result.text().size() >= kPathBytesMax) return Code::kInvalidPath;  // the kernel adds a NUL
    result.ends_in_dots = !parts.empty() && (parts.back() == "." || parts.back() == "..");
    result.must_be_directory = result.names.empty() || result.ends_in_dots || path.ends_with('/');
    return result;
}

End follow(const Names& path, const Node& root, const Rules& rules) {
    return Walk(root, rules, path).run();
}

}  // namespace paddock::agreement
