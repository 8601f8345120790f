#include "git/objects.h"

#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

#include <paddock/limits.h>

#include "git/obeyed_names.h"

#define ZLIB_CONST
#include <zlib.h>

#include "fs/rel_path.h"
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

namespace {

constexpr std::uint32_t kCompressedNames = 4;  // the version that has them
constexpr std::size_t kShaOneBytes = 20;

// One entry, its name apart:
//   times, device and inode, 24 bytes; mode, 4; owner, group and size, 12
//   the id, 20
//   flags, 2, and 2 more of them where they say so
//   version 4: how many bytes the name before loses at its end, then those that are added, and NUL
//   others: the name, then NUL up to a multiple of 8, at least one
struct Fields {
    std::uint32_t mode = 0;
    ObjectId id{};
    std::uint16_t flags = 0;
    std::uint16_t more_flags = 0;

    bool is_regular_file() const { return (mode & 0170000U) == 0100000U; }
    bool is_in_conflict() const { return (flags & 0x3000U) != 0; }
    bool is_extended() const { return (flags & 0x4000U) != 0; }
    // Without the length of the name, and without being extended.
    bool says_the_same(const Fields& other) const {
        return mode == other.mode && id == other.id && more_flags == other.more_flags &&
               (flags & 0xb000U) == (other.flags & 0xb000U);
    }
};

Fields read_fields(ByteReader& reader, std::size_t id_bytes) {
    Fields fields;
    reader.take(24);
    fields.mode = reader.u32();
    reader.take(12);
    const std::string_view id = reader.take(id_bytes);
    std::ranges::copy(id.substr(0, fields.id.size()), fields.id.begin());
    fields.flags = reader.u16();
    if (fields.is_extended()) fields.more_flags = reader.u16();
    return fields;
}

// Turns the name of the entry before into that of the next one. False if it is damaged.
bool read_name(ByteReader& reader, std::uint32_t version, std::size_t entry_begin,
               std::string& name, bool& is_whole) {
    std::uint64_t lost = name.size();
    if (version == kCompressedNames) lost = reader.offset_number();
    if (lost > name.size()) return false;
    is_whole = lost == name.size();
    name.resize(name.size() - static_cast<std::size_t>(lost));
    const std::string_view added = reader.take_until('\0');
    if (added.size() > limits::kPathBytesMax - name.size()) return false;
    name += added;
    if (version != kCompressedNames) {
        const std::size_t past_eighth = (reader.position() - entry_begin) % 8;
        if (past_eighth != 0) reader.take(8 - past_eighth);
    }
    return !reader.failed();
}

// The entries of an index, one after the other.
class EntryReader {
public:
    explicit EntryReader(std::string_view bytes, std::size_t id_bytes = kShaOneBytes)
        : reader_(bytes), id_bytes_(id_bytes) {
        const bool is_index = reader_.take(4) == "DIRC";
        version_ = reader_.u32();
        left_ = reader_.u32();
        is_good_ = is_index && version_ >= 2 && version_ <= kCompressedNames && !reader_.failed();
    }

    // False at the end, and where it is damaged.
    bool next() {
        if (!is_good_ || left_ == 0) return false;
        --left_;
        const std::size_t begin = reader_.position();
        fields_ = read_fields(reader_, id_bytes_);
        std::string name_before = name_;
        is_good_ = read_name(reader_, version_, begin, name_, is_whole_) && name_ >= name_before;
        // Git takes this length for the place where the next entry begins.
        constexpr std::size_t kLongest = 0xfff;
        is_good_ = is_good_ && (fields_.flags & kLongest) == std::min(name_.size(), kLongest);
        begin_ = begin;
        return is_good_;
    }
    std::size_t begin() const { return begin_; }
    std::size_t position() const { return reader_.position(); }
    // Does its name not begin with a part of the name before?
    bool is_whole() const { return is_whole_; }
    const Fields& fields() const { return fields_; }
    const std::string& name() const { return name_; }

    bool is_good() const { return is_good_; }

    // Of what follows the entries: is there another file with the rest of them?
    bool is_split() {
        constexpr std::size_t kExtensionHead = 8;
        while (true) {
            const std::string_view head = reader_.take(kExtensionHead);
            if (reader_.failed()) return false;
            if (head.starts_with("link")) return true;
            reader_.take(ByteReader(head.substr(4)).u32());
        }
    }

private:
    ByteReader reader_;
    std::size_t id_bytes_;
    std::uint32_t version_ = 0;
    std::uint32_t left_ = 0;
    std::size_t begin_ = 0;
    bool is_whole_ = false;
    bool is_good_ = false;
    Fields fields_;
    std::string name_;
};

struct EntryBegin {
    std::size_t at = 0;
    bool is_whole = false;
};

// Several threads of git begin where a table says that blocks of entries begin ("IEOT"), after the
// entries, which end where another one says ("EOIE"). Both must say what is so: git would find
// other names there.
bool are_blocks_true(std::string_view bytes, std::size_t id_bytes, const EntryReader& reader,
                     const std::vector<EntryBegin>& begins) {
    constexpr std::size_t kHead = 8;
    const auto number_at = [&](std::size_t at) { return ByteReader(bytes.substr(at, 4)).u32(); };
    const std::size_t end_table = 2 * id_bytes + kHead + 4;
    if (bytes.size() < reader.position() + end_table) return true;
    const std::size_t last = bytes.size() - end_table;
    if (bytes.substr(last, 4) != "EOIE") return true;
    if (number_at(last + kHead) != reader.position()) return false;
    std::size_t at = reader.position();
    while (at + kHead <= bytes.size() - id_bytes && bytes.substr(at, 4) != "IEOT") {
        at += kHead + number_at(at + 4);
    }
    if (at + kHead > bytes.size() - id_bytes) return true;
    // Where names are compressed, git begins each block without the name before.
    const std::size_t size = number_at(at + 4);
    constexpr std::size_t kBlock = 8;
    if (size < 4 || at + kHead + size > bytes.size()) return false;
    std::size_t first = 0;
    for (std::size_t block = at + kHead + 4; block + kBlock <= at + kHead + size; block += kBlock) {
        const bool is_one = first < begins.size() && begins[first].at == number_at(block);
        if (!is_one || !begins[first].is_whole) return false;
        first += number_at(block + 4);
    }
    return first == begins.size();
}

}  // namespace

std::optional<Index> Index::parse(std::string_view bytes, WorkBudget& budget) {
    EntryReader reader(bytes);
    Index index;
    while (reader.next()) {
        const std::string& name = reader.name();
        const Fields& fields = reader.fields();
        if (!budget.spend(name.size())) return std::nullopt;
        if (!fields.is_regular_file() || fields.is_in_conflict()) continue;
        index.entries_.push_back(
            {index.names_.size(), static_cast<std::uint32_t>(name.size()), fields.id});
        index.names_ += name;
    }
    if (!reader.is_good()) return std::nullopt;
    return index;
}

bool visit_index_names(std::string_view bytes, std::size_t id_bytes,
                       const std::function<bool(std::string_view name)>& visit) {
    EntryReader reader(bytes, id_bytes);
    std::vector<EntryBegin> begins;
    while (reader.next()) {
        if (!visit(reader.name())) return false;
        begins.push_back({reader.begin(), reader.is_whole()});
    }
    return reader.is_good() && are_blocks_true(bytes, id_bytes, reader, begins);
}

bool is_name_in_worktree(std::string_view name) {
    for (;;) {
        const std::size_t end = name.find('/');
        const std::string_view part = name.substr(0, end);
        if (part.empty() || part == "." || part == ".." || is_called(part, ".git")) return false;
        if (end == name.npos) return true;
        name.remove_prefix(end + 1);
    }
}

bool is_same_index(const Root& root, const std::string& one, const std::string& other) {
    const auto first_bytes = root.read_file(one, kIndexBytesMax);
    const auto second_bytes = root.read_file(other, kIndexBytesMax);
    if (!first_bytes || !second_bytes) return false;
    EntryReader first(*first_bytes);
    EntryReader second(*second_bytes);
    while (first.next()) {
        if (!second.next() || first.name() != second.name()) return false;
        if (!first.fields().says_the_same(second.fields())) return false;
    }
    if (!first.is_good() || second.next() || !second.is_good()) return false;
    return !first.is_split() && !second.is_split();
}

const ObjectId* Index::find(std::string_view path) const {
    const auto found = std::ranges::lower_bound(entries_, path, {},
                                                [&](const Entry& entry) { return name_of(entry); });
    if (found == entries_.end() || name_of(*found) != path) return nullptr;
    return &found->id;
}

}  // namespace paddock::git
