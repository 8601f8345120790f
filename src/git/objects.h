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
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <paddock/root.h>

namespace paddock::git {

// Reads numbers and bytes from a text that may be forged. A read past the end fails, and so does
// every read after it: callers check once, at the end.

class ByteReader {
public:
    explicit ByteReader(std::string_view bytes) noexcept : bytes_(bytes) {}

    bool failed() const noexcept { return failed_; }
    bool at_end() const noexcept { return failed_ || at_ == bytes_.size(); }
    std::size_t position() const noexcept { return at_; }

    // Empty if there are fewer.
    std::string_view take(std::size_t size) noexcept {
        if (failed_ || size > bytes_.size() - at_) {
            failed_ = true;
            return {};
        }
        at_ += size;
        return bytes_.substr(at_ - size, size);
    }

    // The bytes before the next `mark`, which is passed over.
    std::string_view take_until(char mark) noexcept {
        const std::size_t end = failed_ ? bytes_.npos : bytes_.find(mark, at_);
        if (end == bytes_.npos) {
            failed_ = true;
            return {};
        }
        const std::string_view taken = bytes_.substr(at_, end - at_);
        at_ = end + 1;
        return taken;
    }

    std::uint8_t byte() noexcept { return static_cast<std::uint8_t>(big_endian(1)); }
    std::uint16_t u16() noexcept { return static_cast<std::uint16_t>(big_endian(2)); }
    std::uint32_t u32() noexcept { return static_cast<std::uint32_t>(big_endian(4)); }
    std::uint64_t u64() noexcept { return big_endian(8); }

    // The two forms of numbers of any length that git writes, seven bits a byte: of sizes, the
    // lowest bits first; of offsets, the highest first, and no number has two spellings.
    std::uint64_t size_number() noexcept { return more_of_size(0, 0); }
    std::uint64_t offset_number() noexcept {
        std::uint8_t next = byte();
        std::uint64_t number = next & 0x7fU;
        while ((next & 0x80U) != 0) {
            next = byte();
            if (number >= kNumberMax) failed_ = true;
            if (failed_) return 0;
            number = ((number + 1) << 7U) | (next & 0x7fU);
        }
        return number;
    }

    // A size of which `number`, the lowest `shift` bits, has been read.
    std::uint64_t more_of_size(std::uint64_t number, unsigned shift) noexcept {
        for (;; shift += 7) {
            const std::uint8_t next = byte();
            if (shift > kShiftMax) failed_ = true;
            if (failed_) return 0;
            number |= std::uint64_t{next & 0x7fU} << shift;
            if ((next & 0x80U) == 0) return number;
        }
    }

private:
    static constexpr std::uint64_t kNumberMax = std::uint64_t{1} << 56;  // before seven more bits
    static constexpr unsigned kShiftMax = 56;

    std::uint64_t big_endian(std::size_t size) noexcept {
        std::uint64_t number = 0;
        for (const char c : take(size)) number = (number << 8U) | static_cast<std::uint8_t>(c);
        return number;
    }

    std::string_view bytes_;
    std::size_t at_ = 0;
    bool failed_ = false;
};

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

// The index of a git repository: which blob each tracked file is, as of the last "git add".
//
// Reads versions 2, 3 and 4 of SHA-1 repositories. A command can write the index, so what it says
// is a hint and no proof: compare the file with the object. The checksum is not looked at, nor are
// extensions: a split index lacks the entries of its shared part, a sparse one those of
// directories that are not checked out.
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
