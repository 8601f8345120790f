#include "agreement/model.h"

#include <optional>
#include <utility>

namespace paddock::agreement {
namespace {

bool is_refusal(Code code) {
    return code == Code::kPathEscape || code == Code::kMountCrossing ||
           code == Code::kAbsolutePath || code == Code::kInvalidArgument;
}

// Longer texts the plain OS cannot be asked for in one call.
bool can_ask(const Names& path) { return path.text().size() + 1 < kPathBytesMax; }

class Expectation {
public:
    Expectation(const Node& root, const Rules& rules, Names path)
        : root_(root), rules_(rules), path_(std::move(path)) {}

    Answer of(Look look) {
        switch (look) {
            case Look::kStat: return stat();
            case Look::kLstat: return lstat();
            case Look::kOpenFile: return open_file();
            case Look::kOpenDirectory: return open_directory();
            case Look::kResolve: return resolve();
            case Look::kReadlink: return readlink();
        }
        return {};
    }

private:
    Answer from(const End& end, std::optional<Code> error) const {
        const bool plain = can_ask(path_) && end.plain_links <= kLinksMax;
        if (error) return {refused(*error), plain && !is_refusal(*error)};
        return {found(end.node->identity), plain};
    }

    static std::optional<Code> error_of(const End& end) {
        return end.may_be_made ? Code::kNotFound : end.error;
    }

    Answer stat() const {
        const End end = follow(path_, root_, rules_);
        return from(end, error_of(end));
    }

    Answer open_file() const {
        const End end = follow(path_, root_, rules_);
        auto error = error_of(end);
        if (error) return from(end, error);
        const Node& node = *end.node;
        if (!rules_.may_read(node)) {
            error = Code::kPermissionDenied;
        } else if (node.type == FileType::kDirectory) {
            error = Code::kIsADirectory;
        } else if (node.type != FileType::kRegular) {
            error = Code::kNotRegularFile;
        } else if (node.shared && rules_.options.hardlinks == Hardlinks::kReject) {
            return {refused(Code::kPermissionDenied), false};
        }
        return from(end, error);
    }

    Answer open_directory() const {
        Names directory = path_;
        directory.must_be_directory = true;
        const End end = follow(directory, root_, rules_);
        Answer answer = from(end, error_of(end));
        if (!error_of(end)) answer.text += " " + (end.path.empty() ? "." : end.path);
        answer.as_plain_os = false;  // which has no word for the canonical path
        return answer;
    }

    Answer resolve() const {
        const End end = follow(path_, root_, rules_);
        if (end.error) return {refused(*end.error), false};
        const std::string path = end.path.empty() ? "." : end.path;
        if (end.may_be_made) return {"ok missing " + path, false};
        return {"ok " + std::string(file_type_name(end.node->type)) + " " + path, false};
    }

    // The name itself: an error, or its node.
    struct Name {
        std::optional<Code> error;
        const Node* node = nullptr;
        int plain_links = 0;
    };

    Name name() const {
        Names above = path_;
        const std::string leaf = above.names.back();
        above.names.pop_back();
        above.must_be_directory = true;
        const End parent = follow(above, root_, rules_);
        if (const auto error = error_of(parent)) return {error, nullptr, parent.plain_links};
        if (!rules_.may_search(*parent.node)) {
            return {Code::kPermissionDenied, nullptr, parent.plain_links};
        }
        const auto child = parent.node->children.find(leaf);
        if (child == parent.node->children.end()) {
            return {Code::kNotFound, nullptr, parent.plain_links};
        }
        const Node& node = child->second;
        if (!rules_.may_enter(node)) {
            return {Code::kMountCrossing, nullptr, parent.plain_links};
        }
        if (path_.must_be_directory && node.type != FileType::kDirectory) {
            const End end = follow(path_, root_, rules_);
            const auto error = error_of(end);
            return {error ? *error : Code::kNotADirectory, nullptr, parent.plain_links};
        }
        return {{}, &node, parent.plain_links};
    }

    Answer lstat() const {
        if (path_.names.empty() || path_.ends_in_dots) return stat();
        const Name at = name();
        // "link/" is the link's target to the plain OS, and never a name here.
        const bool plain =
            can_ask(path_) && at.plain_links <= kLinksMax && !path_.must_be_directory;
        // A planted link ends the way to the parent; for the plain OS it is in the middle.
        const bool planted = rules_.planted_bind && at.error == Code::kPermissionDenied;
        if (at.error) return {refused(*at.error), plain && !planted && !is_refusal(*at.error)};
        return {found(at.node->identity), plain};
    }

    Answer readlink() const {
        if (path_.names.empty() || path_.ends_in_dots) {
            return {refused(Code::kInvalidArgument), false};
        }
        const Name at = name();
        if (at.error) return {refused(*at.error), false};
        if (at.node->type != FileType::kSymlink) return {refused(Code::kInvalidArgument), false};
        const bool escapes = follow(path_, root_, rules_).error == Code::kPathEscape;
        return {"ok " + at.node->text + (escapes ? " leads out" : ""), false};
    }

    const Node& root_;
    const Rules& rules_;
    Names path_;
};

}  // namespace

std::string_view look_name(Look look) {
    switch (look) {
        case Look::kStat: return "stat";
        case Look::kLstat: return "lstat";
        case Look::kOpenFile: return "open_file";
        case Look::kOpenDirectory: return "open_directory";
        case Look::kResolve: return "resolve";
        case Look::kReadlink: return "readlink";
    }
    return "";
}

std::string refused(Code code) { return std::string(code_name(code)); }

std::string found(const Identity& identity) {
    return "ok " + std::to_string(identity.device) + ":" + std::to_string(identity.inode);
}

Answer expected(Look look, std::string_view path, const Node& root, const Rules& rules) {
    auto names = normalised(path, rules);
    if (const Code* error = std::get_if<Code>(&names)) return {refused(*error), false};
    return Expectation(root, rules, std::get<Names>(std::move(names))).of(look);
}

}  // namespace paddock::agreement
