#include "tools/sealed_watch.h"

#include <algorithm>
#include <utility>

#include "base/within.h"
#include "fs/rel_path.h"
#include "git/judge.h"
#include "git/settings_paths.h"
#include "search/entries.h"

namespace paddock::tools {
namespace {

using sandbox::Shield;

search::Interest everything(std::string_view, std::string_view, FileType type) {
    return {.take = true, .enter = type == FileType::kDirectory};
}

}  // namespace

SealedWatch::SealedWatch(Root workspace, const policy::PathRules& rules, const std::string& home)
    : workspace_(std::move(workspace)),
      rules_(rules),
      sealed_(git::paths_obeyed_in(workspace_, {}, home).all) {}

bool SealedWatch::is_sealed(const std::string& path) const {
    if (rules_.decide(path).access == PathAccess::kReadOnly) return true;
    if (std::find(sealed_.begin(), sealed_.end(), path) != sealed_.end()) return true;
    return git::is_obeyed_name(fs::leaf_of(path)) &&
           git::is_git_directory(workspace_, fs::parent_of(path));
}

Outcome<SealedWatch::Found> SealedWatch::find() const {
    const auto choose = [this](std::string_view path, std::string_view name, FileType type) {
        if (git::is_any_journal(path)) return search::Interest{.take = true};
        const auto access = rules_.decide(path).access;
        const bool is_named = access == PathAccess::kReadOnly || git::is_obeyed_name(name) ||
                              std::find(sealed_.begin(), sealed_.end(), path) != sealed_.end();
        return search::Interest{
            .take = is_named,
            .enter = type == FileType::kDirectory && access == PathAccess::kAllow};
    };
    PADDOCK_ASSIGN(entries, search::find_entries(workspace_, choose));
    Found found;
    const auto add = [&](const std::string& path) {
        auto stat = workspace_.lstat(path);
        if (!stat) return;
        if (stat->type == FileType::kDirectory) stat->changed = {};  // its entries are looked at
        found.emplace(path, *stat);
    };
    for (const search::FoundEntry& entry : entries.all) {
        const bool is_journal = git::is_any_journal(entry.path);
        if (!is_journal && !is_sealed(entry.path)) continue;
        add(entry.path);
        if (is_journal || entry.type != FileType::kDirectory) continue;
        const auto directory = workspace_.sub_root(entry.path);
        if (!directory) continue;  // it is closed or gone
        PADDOCK_ASSIGN(below, search::find_entries(*directory, everything));
        for (const search::FoundEntry& each : below.all) add(entry.path + '/' + each.path);
    }
    return found;
}

Outcome<std::vector<sandbox::Protection>> SealedWatch::before() {
    PADDOCK_ASSIGN(found, find());
    std::vector<sandbox::Protection> shields;
    for (const auto& [path, stat] : found) {
        if (stat.type == FileType::kSymlink) continue;  // cannot be bound
        if (found.contains(std::string(fs::parent_of(path)))) continue;
        const bool is_journal = git::is_any_journal(path) && stat.type == FileType::kDirectory;
        shields.push_back({path, is_journal ? Shield::kEmptied : Shield::kReadOnly, stat.identity});
    }
    // Only the first time: after() then also reports what was made between two commands.
    if (!known_) known_ = std::move(found);
    return shields;
}

Outcome<std::vector<std::string>> SealedWatch::after() {
    PADDOCK_ASSIGN(found, find());
    std::vector<std::string> news;
    if (!known_) known_.emplace();
    for (const auto& [path, stat] : found) {
        const auto known = known_->find(path);
        const bool is_same = known != known_->end() && known->second.identity == stat.identity &&
                             known->second.changed == stat.changed;
        const bool is_below_news = !news.empty() && is_within(path, news.back());
        if (!is_same && !is_below_news) news.push_back(path);
    }
    known_ = std::move(found);
    return news;
}

}  // namespace paddock::tools
