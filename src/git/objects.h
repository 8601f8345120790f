// Blobs of a git repository, read from its directory of objects: loose ones, and packed ones with
// their chains of deltas. SHA-1 repositories only.
//
// Commands can write all of these files, so each is taken for forged: whatever is damaged, larger
// than a bound or not known yields nothing. An object is not hashed: a caller learns which bytes
// are stored under a name, not that they belong there.
//
// Not read: alternates, promised objects of a partial clone, and bases of a delta in another pack.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <paddock/root.h>

namespace paddock::git {

using ObjectId = std::array<std::uint8_t, 20>;

// What is larger is not read, be it an object, the base of one or a delta.
inline constexpr std::uint64_t kObjectBytesMax = std::uint64_t{1} << 20;

// Bytes that may still be read and inflated: time and memory that forged files can cost.
class WorkBudget {
public:
    explicit WorkBudget(std::uint64_t bytes) noexcept : left_(bytes) {}

    std::uint64_t left() const noexcept { return left_; }

    // False if there are not so many; then nothing is left.
    bool spend(std::uint64_t bytes) noexcept {
        const bool enough = bytes <= left_;
        left_ = enough ? left_ - bytes : 0;
        return enough;
    }

    // The same for opening or looking up a path, which costs about as much as reading this.
    bool spend_on_lookup(std::string_view path) noexcept { return spend(1024 + 16 * path.size()); }

private:
    std::uint64_t left_;
};

class ObjectStore {
public:
    // `directory` is the "objects" of a repository. `budget` must outlive this.
    ObjectStore(Root root, std::string directory, WorkBudget& budget);

    // The content of the blob. Packs that appear after the first call are not seen.
    std::optional<std::string> blob(const ObjectId& id);

private:
    std::optional<std::string> loose_blob(const ObjectId& id);
    std::optional<std::string> packed_blob(const std::string& pack, const ObjectId& id);
    void list_packs();

    Root root_;
    std::string directory_;
    WorkBudget& budget_;
    std::optional<std::vector<std::string>> packs_{};  // their paths, without ".idx" and ".pack"
};

// Applies the instructions of a delta, as packs hold it.
std::optional<std::string> apply_delta(std::string_view base, std::string_view delta);

}  // namespace paddock::git
