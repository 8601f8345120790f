#include "tools/near_paths.h"

#include <algorithm>
#include <optional>

#include <paddock/limits.h>

#include "fs/rel_path.h"
#include "search/find.h"
#include "text/glob.h"
#include "text/names.h"
#include "tools/files.h"

namespace paddock::tools {
namespace {

// Names in a directory that are compared with one that is missing, to say what may be meant.
constexpr std::size_t kNearNamesLookedAt = 10'000;

// Entries of the tree that are looked at for one that has the name of a missing file, and for how
// long: a hint is worth a glance, and a call may ask for many files.
constexpr std::uint64_t kNearTreeEntriesMax = 100'000;
constexpr std::chrono::milliseconds kNearTreeTimeMax{100};

constexpr std::size_t kNearPathsMax = 3;

// By way of links too.
std::optional<std::string> directory_at(const Files& files, std::string_view path) {
    const auto found = files.directory(files.shown(path));
    if (!found) return std::nullopt;
    return *found;
}

enum class NamesOf : std::uint8_t { kAll, kDirectories };

std::vector<std::string> names_in(const Files& files, const std::string& directory,
                                  NamesOf wanted) {
    std::vector<std::string> names;
    const auto listing = files.list(directory, kNearNamesLookedAt);
    if (!listing) return names;
    for (const ListEntry& entry : listing->entries) {
        const bool may_lead_on =
            entry.type == FileType::kDirectory || entry.type == FileType::kSymlink;
        if (may_lead_on || wanted == NamesOf::kAll) names.push_back(entry.name);
    }
    return names;
}

// Each part that does not exist is the one that is named most alike; nothing if there is none such.
std::optional<std::string> directory_alike(const Files& files, std::string_view path) {
    std::string at = ".";
    while (!path.empty()) {
        const std::string_view name = fs::take_component(path);
        auto next = directory_at(files, fs::joined(at, name));
        if (!next) {
            const auto names = names_in(files, at, NamesOf::kDirectories);
            const auto like = text::similar_names(name, names, 1);
            if (!like.empty()) next = directory_at(files, fs::joined(at, like.front()));
        }
        if (!next) return std::nullopt;
        at = std::move(*next);
    }
    return at;
}

std::vector<std::string> same_names(const Files& files, std::string_view name,
                                    const std::string& start,
                                    const search::GlobalIgnores& ignored) {
    search::FindQuery query;
    query.pattern = text::literal_pattern(name);
    query.path = start;
    query.walk = {.hidden = name.starts_with('.'),
                  .visible = files.walk(false, false).visible,
                  .global_rules = ignored,
                  .directory_entries_max = kNearTreeEntriesMax};
    query.order = search::FindQuery::Order::kPath;
    query.directories = true;
    query.limit = kNearPathsMax;
    query.entries_max = kNearTreeEntriesMax;
    query.time_max = kNearTreeTimeMax;
    std::vector<std::string> paths;
    const auto result = search::find(files.linkless(), query);
    if (!result) return paths;
    for (std::size_t i = 0; i < result->found.size(); ++i) {
        paths.emplace_back(result->found[i].path);
    }
    return paths;
}

}  // namespace

std::vector<std::string> near_paths(const Files& files, const std::string& missing,
                                    const std::string& start,
                                    const search::GlobalIgnores& ignored) {
    const std::string_view name = fs::leaf_of(missing);
    std::vector<std::string> near;
    if (const auto directory = directory_alike(files, fs::parent_of(missing))) {
        const std::vector<std::string> names = names_in(files, *directory, NamesOf::kAll);
        const bool has_it = std::find(names.begin(), names.end(), name) != names.end();
        if (has_it) near.push_back(fs::joined(*directory, name));
        for (const std::string& each : text::similar_names(name, names, kNearPathsMax)) {
            near.push_back(fs::joined(*directory, each));
        }
    }
    if (near.size() < kNearPathsMax) {
        for (std::string& path : same_names(files, name, start, ignored)) {
            if (std::find(near.begin(), near.end(), path) != near.end()) continue;
            near.push_back(std::move(path));
        }
    }
    if (near.size() > kNearPathsMax) near.resize(kNearPathsMax);
    return near;
}

std::string directory_above(const Files& files, const std::string& path) {
    for (std::string_view above = fs::parent_of(path); !above.empty();
         above = fs::parent_of(above)) {
        if (directory_at(files, above)) return std::string(above);
    }
    return ".";
}

}  // namespace paddock::tools
