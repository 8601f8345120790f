// The index of a git repository: which blob each tracked file is, as of the last "git add".
//
// Reads versions 2, 3 and 4 of SHA-1 repositories. A command can write the index, so what it says
// is a hint and no proof: compare the file with the object. The checksum is not looked at, nor are
// extensions: a split index lacks the entries of its shared part, a sparse one those of
// directories that are not checked out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <paddock/root.h>

#include "git/objects.h"

namespace paddock::git {

// Half a million files.
inline constexpr std::uint64_t kIndexBytesMax = std::uint64_t{64} << 20;

class Index {
public:
    // Nothing if it is damaged or of another version, or if the names take more than the budget.
    static std::optional<Index> parse(std::string_view bytes, WorkBudget& budget);

    // The blob of a regular file, no side of a merge conflict; null if there is none. `path` is
    // relative to the top of the working tree. Valid as long as this is.
    const ObjectId* find(std::string_view path) const;

private:
    struct Entry {
        std::uint64_t name_begin = 0;  // in names_
        std::uint32_t name_size = 0;
        ObjectId id{};
    };

    std::string_view name_of(const Entry& entry) const {
        return std::string_view(names_).substr(entry.name_begin, entry.name_size);
    }

    std::vector<Entry> entries_{};  // by name
    std::string names_{};
};

// Calls `visit` with each name until it returns false. Returns false then, and where git would not
// read it all. `id_bytes`: 20 in a repository of SHA-1, 32 of SHA-256.
bool visit_index_names(std::string_view bytes, std::size_t id_bytes,
                       const std::function<bool(std::string_view name)>& visit);

// May an index hold it? Git writes to where the names lead, and looks at them only when it adds
// them: not up, not into a ".git".
bool is_name_in_worktree(std::string_view name);

// Do two index files of the workspace have the same entries? What they remember of times and
// inodes is not compared. False too if one of them cannot be read whole.
bool is_same_index(const Root& root, const std::string& one, const std::string& other);

}  // namespace paddock::git
