#include "search/path_filter.h"

#include <algorithm>

namespace paddock::search {

Done PathFilter::add_glob(std::string_view glob) {
    const bool excludes = glob.starts_with('!');
    if (excludes) glob.remove_prefix(1);
    PADDOCK_ASSIGN(compiled, text::Glob::compile(glob, {.any_depth = true}));
    rules_.push_back({std::move(compiled), excludes});
    includes_ = includes_ || !excludes;
    return {};
}

void PathFilter::set_start(std::string_view start) {
    start_bytes_ = start.empty() ? 0 : start.size() + 1;
}

std::string_view PathFilter::below_start(std::string_view path) const noexcept {
    return path.substr(std::min(start_bytes_, path.size()));
}

bool PathFilter::excludes(std::string_view path, bool is_directory) const {
    const auto decides = [&](const Rule& rule) {
        if (rule.glob.matches(below_start(path), is_directory)) return true;
        return start_bytes_ > 0 && rule.glob.matches(path, is_directory);
    };
    const auto rule = std::find_if(rules_.rbegin(), rules_.rend(), decides);
    if (rule != rules_.rend()) return rule->excludes;
    return includes_ && !is_directory;
}

bool PathFilter::may_include_below(std::string_view path) const {
    if (!includes_) return true;
    return std::any_of(rules_.begin(), rules_.end(), [&](const Rule& rule) {
        if (rule.excludes) return false;
        if (rule.glob.may_match_below(below_start(path))) return true;
        return start_bytes_ > 0 && rule.glob.may_match_below(path);
    });
}

Interest PathFilter::choose(std::string_view path, std::string_view name, FileType type) const {
    if (type == FileType::kDirectory) {
        return {.enter = rules_.empty() || (!excludes(path, true) && may_include_below(path))};
    }
    if (type != FileType::kRegular) return {};
    if (!kinds_.empty() && !kinds_.matches(name)) return {};
    return {.take = rules_.empty() || !excludes(path, false)};
}

}  // namespace paddock::search
