#include "tools/patch_target.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "text/quote.h"

namespace paddock::tools {
namespace {

struct Split {
    std::string_view first;  // component
    std::string_view rest;   // empty: there is no other
};

Split split(std::string_view name) {
    const std::size_t slash = name.find('/');
    if (slash == 0 || slash == name.npos) return {name, {}};
    return {name.substr(0, slash), name.substr(slash + 1)};
}

bool differ_in_the_first(std::string_view one, std::string_view other) {
    return !split(one).rest.empty() && split(one).rest == split(other).rest;
}

// Is `longer` the other name with something added to one of its components?
bool adds_to(std::string_view longer, std::string_view name) {
    for (std::size_t at = 1; at <= name.size(); ++at) {
        if (at < name.size() && name[at] != '/') continue;
        const std::string_view tail = name.substr(at);
        const bool fits = longer.size() > name.size() && longer.starts_with(name.substr(0, at)) &&
                          longer.ends_with(tail);
        if (fits && longer.substr(at, longer.size() - name.size()).find('/') == longer.npos)
            return true;
    }
    return false;
}

class Chooser {
public:
    explicit Chooser(const Files& files) : files_(files) {}

    Attempt<void> choose(text::FileChange& change) {
        const std::string after = change.path;
        const std::string& before = change.other_name;
        const auto has_after = file_of(after);
        if (!has_after) return has_after.error();
        const auto has_before = file_of(before);
        if (!has_before) return has_before.error();
        if (*has_after && *has_before && *has_after != *has_before) {
            const bool is_before = adds_to(after, before) && after.starts_with(before);
            if (!adds_to(before, after) && !is_before) return ambiguous(change);
            set(change, is_before ? before : after);
        } else if (*has_before && !*has_after) {
            set(change, before);
        } else if (!*has_after && differ_in_the_first(after, before)) {
            const std::string rest(split(after).rest);
            const auto found = file_of(rest);
            if (!found) return found.error();
            if (!*found) return {};
            set(change, rest);
        } else if (!*has_after) {
            return {};
        }
        if (!differ_in_the_first(after, before)) return {};
        const bool is_cut = change.path.size() == split(after).rest.size();
        const std::string_view kept = is_cut ? std::string_view() : split(change.path).first;
        for (const std::string& name : {after, before}) note(split(name).first, kept);
        return {};
    }

    // A file that comes or goes has one name.
    Attempt<void> follow(text::FileChange& change) const {
        const auto [first, rest] = split(change.path);
        const auto noted = kept_.find(first);
        if (rest.empty() || noted == kept_.end() || !noted->second) return {};
        const auto there = file_of(change.path);
        if (!there) return there.error();
        if (!*there)
            set(change, (noted->second->empty() ? "" : *noted->second + "/") + std::string(rest));
        return {};
    }

private:
    // The canonical path of the file, if there is one.
    Attempt<std::optional<std::string>> file_of(const std::string& name) const {
        const auto found = files_.target(text::quote_if_needed(name));
        if (!found && found.error().code == Code::kNotADirectory) return std::nullopt;
        if (!found) return found.error();
        const bool is_file = found->exists && found->type == FileType::kRegular;
        return is_file ? std::optional(found->path) : std::nullopt;
    }

    static void set(text::FileChange& change, const std::string& name) {
        change.path = change.new_path = name;
    }

    // Two that do not agree say nothing.
    void note(std::string_view first, std::string_view kept) {
        const auto [it, is_new] = kept_.emplace(first, kept);
        if (!is_new && it->second != kept) it->second.reset();
    }

    static Problem ambiguous(const text::FileChange& change) {
        return Problem(Code::kInvalidArgument,
                       "The patch changes '" + Files::shown_given(change.other_name) + "' or '" +
                           Files::shown_given(change.path) +
                           "': its lines '---' and '+++' name two files. Nothing was changed. "
                           "Write the one that is meant on both lines.");
    }

    const Files& files_;
    // What stands for the first component of a name: empty: nothing; absent: that is not known.
    std::map<std::string, std::optional<std::string>, std::less<>> kept_;
};

}  // namespace

Attempt<void> choose_targets(const Files& files, std::vector<text::FileChange>& changes) {
    Chooser chooser(files);
    for (text::FileChange& change : changes) {
        if (change.other_name.empty()) continue;
        if (auto chosen = chooser.choose(change); !chosen) return chosen;
    }
    for (text::FileChange& change : changes) {
        const bool comes_or_goes = change.kind != text::ChangeKind::kModify || change.may_create;
        if (!change.is_plain || !comes_or_goes) continue;
        if (auto followed = chooser.follow(change); !followed) return followed;
    }
    return {};
}

}  // namespace paddock::tools
