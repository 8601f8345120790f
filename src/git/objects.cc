#include "git/objects.h"

#include <algorithm>
#include <charconv>
#include <utility>

#define ZLIB_CONST
#include <zlib.h>

#include "fs/rel_path.h"
#include "git/byte_reader.h"
#include "sys/io.h"

namespace paddock::git {
namespace {

// git makes chains of 50, and of 250 where it was told to pack aggressively.
constexpr std::size_t kDeltasMax = 256;

// Names in the directory of packs. Each pack has three or four; git repacks when there are 50.
constexpr std::size_t kPackNamesMax = 4096;

// The bytes at `position`: all of them, or nothing.
std::optional<std::string> read_exactly(int fd, std::uint64_t position, std::size_t size,
                                        WorkBudget& budget) {
    if (!budget.spend(size)) return std::nullopt;
    std::string bytes(size, '\0');
    std::size_t filled = 0;
    while (filled < size) {
        const auto more = sys::read_at(fd, bytes.data() + filled, size - filled, position + filled);
        if (!more || *more == 0) return std::nullopt;
        filled += *more;
    }
    return bytes;
}

std::optional<std::uint64_t> read_u32(int fd, std::uint64_t position, WorkBudget& budget) {
    const auto bytes = read_exactly(fd, position, 4, budget);
    if (!bytes) return std::nullopt;
    return ByteReader(*bytes).u32();
}

std::optional<Handle> open_file(const Root& root, const std::string& path, WorkBudget& budget) {
    if (!budget.spend_on_lookup(path)) return std::nullopt;
    auto file = root.open_file(path);
    if (!file) return std::nullopt;
    return std::move(*file);
}

// A zlib stream that begins somewhere in a file.
class Inflater {
public:
    Inflater(int fd, std::uint64_t position, WorkBudget& budget)
        : fd_(fd), position_(position), budget_(budget), ready_(inflateInit(&stream_) == Z_OK) {}
    Inflater(const Inflater&) = delete;
    Inflater& operator=(const Inflater&) = delete;
    ~Inflater() { inflateEnd(&stream_); }

    // The next `size` bytes: all of them, or nothing.
    std::optional<std::string> take(std::size_t size) {
        if (!ready_ || !budget_.spend(size)) return std::nullopt;
        std::string bytes(size, '\0');
        stream_.next_out = reinterpret_cast<Bytef*>(bytes.data());
        stream_.avail_out = static_cast<uInt>(size);
        while (stream_.avail_out > 0) {
            if (ended_ || !step()) return std::nullopt;
        }
        return bytes;
    }

    // Nothing is left, and the checksum at the end is right.
    bool ends_here() {
        Bytef extra = 0;
        stream_.next_out = &extra;
        stream_.avail_out = 1;
        while (!ended_) {
            if (stream_.avail_out == 0 || !step()) return false;
        }
        return stream_.avail_out == 1;
    }

private:
    bool step() {
        if (stream_.avail_in == 0 && !fill()) return false;
        const int result = inflate(&stream_, Z_NO_FLUSH);
        ended_ = result == Z_STREAM_END;
        return ended_ || result == Z_OK;
    }

    bool fill() {
        const auto more = sys::read_at(fd_, input_.data(), input_.size(), position_);
        if (!more || *more == 0 || !budget_.spend(*more)) return false;
        position_ += *more;
        stream_.next_in = reinterpret_cast<const Bytef*>(input_.data());
        stream_.avail_in = static_cast<uInt>(*more);
        return true;
    }

    int fd_;
    std::uint64_t position_;
    WorkBudget& budget_;
    std::array<char, 4096> input_;
    z_stream stream_{};
    bool ready_;
    bool ended_ = false;
};

std::optional<std::string> inflate_all(Inflater& inflater, std::uint64_t size) {
    if (size > kObjectBytesMax) return std::nullopt;
    auto content = inflater.take(static_cast<std::size_t>(size));
    if (!content || !inflater.ends_here()) return std::nullopt;
    return content;
}

// A pack and its index of version 2:
//   magic and version, 8 bytes
//   256 counts of the ids whose first byte is at most 0, 1, ..., 4 bytes each
//   the ids in order, 20 bytes each
//   checksums, 4 bytes each
//   where the objects begin in the pack, 4 bytes each; the highest bit leads to the next table
//   offsets of 8 bytes
class Pack {
public:
    Pack(int index, int pack, WorkBudget& budget) : index_(index), pack_(pack), budget_(budget) {}

    // Where the object begins in the pack.
    std::optional<std::uint64_t> find(const ObjectId& id);

    std::optional<std::string> blob(std::uint64_t position);

private:
    static constexpr std::string_view kMagic{"\377tOc\0\0\0\2", 8};
    static constexpr std::uint64_t kCounts = kMagic.size();
    static constexpr std::uint64_t kIds = kCounts + std::uint64_t{256} * 4;
    static constexpr std::uint64_t kLargeOffset = std::uint64_t{1} << 31;

    struct Entry {
        enum Type : std::uint8_t { kBlob = 3, kOffsetDelta = 6, kIdDelta = 7 };

        unsigned type = 0;
        std::uint64_t size = 0;     // inflated
        std::uint64_t content = 0;  // where the zlib stream begins
        std::uint64_t base = 0;     // of a delta: where that begins
    };

    std::optional<std::uint64_t> offset_of(std::uint64_t place, std::uint64_t count);
    std::optional<Entry> entry(std::uint64_t position);
    std::optional<std::string> content(const Entry& entry);

    int index_;
    int pack_;
    WorkBudget& budget_;
};

std::optional<std::uint64_t> Pack::find(const ObjectId& id) {
    const auto magic = read_exactly(index_, 0, kMagic.size(), budget_);
    if (!magic || *magic != kMagic) return std::nullopt;
    const auto count_up_to = [&](std::uint64_t first_byte) {
        return read_u32(index_, kCounts + first_byte * 4, budget_);
    };
    const auto before = id[0] == 0 ? std::uint64_t{0} : count_up_to(id[0] - std::uint64_t{1});
    const auto up_to = count_up_to(id[0]);
    const auto count = count_up_to(255);
    if (!before || !up_to || !count || *up_to > *count) return std::nullopt;

    const std::string_view wanted(reinterpret_cast<const char*>(id.data()), id.size());
    for (std::uint64_t begin = *before, end = *up_to; begin < end;) {
        const std::uint64_t middle = begin + (end - begin) / 2;
        const auto found = read_exactly(index_, kIds + middle * id.size(), id.size(), budget_);
        if (!found) return std::nullopt;
        if (*found == wanted) return offset_of(middle, *count);
        if (*found < wanted) {
            begin = middle + 1;
        } else {
            end = middle;
        }
    }
    return std::nullopt;
}

std::optional<std::uint64_t> Pack::offset_of(std::uint64_t place, std::uint64_t count) {
    const std::uint64_t offsets = kIds + count * (sizeof(ObjectId) + 4);
    const auto offset = read_u32(index_, offsets + place * 4, budget_);
    if (!offset || *offset < kLargeOffset) return offset;
    const std::uint64_t large_offsets = offsets + count * 4;
    const auto bytes =
        read_exactly(index_, large_offsets + (*offset - kLargeOffset) * 8, 8, budget_);
    if (!bytes) return std::nullopt;
    return ByteReader(*bytes).u64();
}

std::optional<Pack::Entry> Pack::entry(std::uint64_t position) {
    // A size of 9 bytes and an id. The last entry has as many behind its begin: one byte of its
    // own, a zlib stream, of which none is shorter than 8, and the pack's checksum of 20.
    constexpr std::size_t kHeaderBytesMax = 29;
    // Larger than any file; sums with it do not overflow.
    constexpr std::uint64_t kPositionMax = std::uint64_t{1} << 62;
    if (position > kPositionMax) return std::nullopt;
    const auto bytes = read_exactly(pack_, position, kHeaderBytesMax, budget_);
    if (!bytes) return std::nullopt;
    ByteReader reader(*bytes);
    const std::uint8_t first = reader.byte();
    Entry entry;
    entry.type = (first >> 4U) & 7U;
    entry.size = first & 15U;
    if ((first & 0x80U) != 0) entry.size = reader.more_of_size(entry.size, 4);
    if (entry.type == Entry::kOffsetDelta) {
        const std::uint64_t distance = reader.offset_number();
        if (distance == 0 || distance > position) return std::nullopt;
        entry.base = position - distance;
    } else if (entry.type == Entry::kIdDelta) {
        ObjectId id{};
        std::ranges::copy(reader.take(id.size()), id.begin());
        const auto base = reader.failed() ? std::nullopt : find(id);
        if (!base) return std::nullopt;
        entry.base = *base;
    } else if (entry.type != Entry::kBlob) {
        return std::nullopt;
    }
    if (reader.failed()) return std::nullopt;
    entry.content = position + reader.position();
    return entry;
}

std::optional<std::string> Pack::content(const Entry& entry) {
    Inflater inflater(pack_, entry.content, budget_);
    return inflate_all(inflater, entry.size);
}

// Down to the object that the chain of deltas begins with, then up again.
std::optional<std::string> Pack::blob(std::uint64_t position) {
    std::vector<Entry> deltas;
    auto bottom = entry(position);
    while (bottom && bottom->type != Entry::kBlob) {
        if (deltas.size() == kDeltasMax) return std::nullopt;
        deltas.push_back(*bottom);
        bottom = entry(bottom->base);
    }
    if (!bottom) return std::nullopt;
    auto built = content(*bottom);
    for (; built && !deltas.empty(); deltas.pop_back()) {
        const auto delta = content(deltas.back());
        if (!delta) return std::nullopt;
        built = apply_delta(*built, *delta);
        if (built && !budget_.spend(built->size())) return std::nullopt;
    }
    return built;
}

// As git names the files of loose objects: "d6/70460b4b4aece5915caf5c68d12f560a9fe3e4".
std::string loose_name(const ObjectId& id) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string name;
    for (const std::uint8_t byte : id) {
        name += kDigits[byte >> 4U];
        name += kDigits[byte & 15U];
    }
    name.insert(2, 1, '/');
    return name;
}

}  // namespace

ObjectStore::ObjectStore(Root root, std::string directory, WorkBudget& budget)
    : root_(std::move(root)), directory_(std::move(directory)), budget_(budget) {}

std::optional<std::string> ObjectStore::blob(const ObjectId& id) {
    if (auto content = loose_blob(id)) return content;
    list_packs();
    for (const std::string& pack : *packs_) {
        if (auto content = packed_blob(pack, id)) return content;
    }
    return std::nullopt;
}

// A zlib stream of "blob SIZE", a NUL byte and the content.
std::optional<std::string> ObjectStore::loose_blob(const ObjectId& id) {
    constexpr std::string_view kType = "blob ";
    constexpr std::size_t kDigitsMax = 20;
    const auto file = open_file(root_, fs::joined(directory_, loose_name(id)), budget_);
    if (!file) return std::nullopt;
    Inflater inflater(file->fd(), 0, budget_);
    if (inflater.take(kType.size()) != kType) return std::nullopt;
    std::string digits;
    for (auto next = inflater.take(1); next != std::string(1, '\0'); next = inflater.take(1)) {
        if (!next || digits.size() == kDigitsMax) return std::nullopt;
        digits += *next;
    }
    std::uint64_t size = 0;
    const char* const end = digits.data() + digits.size();
    const auto parsed = std::from_chars(digits.data(), end, size);
    if (parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
    return inflate_all(inflater, size);
}

std::optional<std::string> ObjectStore::packed_blob(const std::string& pack, const ObjectId& id) {
    const auto index = open_file(root_, pack + ".idx", budget_);
    if (!index) return std::nullopt;
    const auto position = Pack(index->fd(), -1, budget_).find(id);
    if (!position) return std::nullopt;
    const auto content = open_file(root_, pack + ".pack", budget_);
    if (!content) return std::nullopt;
    return Pack(index->fd(), content->fd(), budget_).blob(*position);
}

void ObjectStore::list_packs() {
    constexpr std::string_view kEnding = ".idx";
    if (packs_) return;
    packs_.emplace();
    const std::string directory = fs::joined(directory_, "pack");
    const auto listing = root_.list(directory, kPackNamesMax);
    if (!listing) return;
    for (const ListEntry& entry : listing->entries) {
        std::string_view name = entry.name;
        if (!name.ends_with(kEnding)) continue;
        name.remove_suffix(kEnding.size());
        packs_->push_back(fs::joined(directory, name));
    }
}

std::optional<std::string> apply_delta(std::string_view base, std::string_view delta) {
    ByteReader reader(delta);
    if (reader.size_number() != base.size()) return std::nullopt;
    const std::uint64_t size = reader.size_number();
    if (reader.failed() || size > kObjectBytesMax) return std::nullopt;
    std::string built;
    built.reserve(static_cast<std::size_t>(size));
    while (!reader.at_end()) {
        const std::uint8_t instruction = reader.byte();
        std::string_view part;
        if ((instruction & 0x80U) != 0) {  // copy: seven bits say which bytes of two numbers follow
            std::uint64_t begin = 0;
            std::uint64_t length = 0;
            for (unsigned i = 0; i < 4; ++i) {
                if ((instruction >> i & 1U) != 0) begin |= std::uint64_t{reader.byte()} << 8U * i;
            }
            for (unsigned i = 0; i < 3; ++i) {
                if ((instruction >> (4 + i) & 1U) != 0)
                    length |= std::uint64_t{reader.byte()} << 8U * i;
            }
            if (length == 0) length = 0x10000;
            if (begin > base.size() || length > base.size() - begin) return std::nullopt;
            part = base.substr(begin, length);
        } else {  // insert; 0 is reserved
            if (instruction == 0) return std::nullopt;
            part = reader.take(instruction);
        }
        if (reader.failed() || part.size() > size - built.size()) return std::nullopt;
        built += part;
    }
    if (reader.failed() || built.size() != size) return std::nullopt;
    return built;
}

}  // namespace paddock::git
