#include "git/index.h"

#include <algorithm>
#include <vector>

#include <paddock/limits.h>

#include "git/byte_reader.h"
#include "git/obeyed_names.h"

namespace paddock::git {
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
    // Of a sparse index, a directory with all that is in it.
    if (name.ends_with('/')) name.remove_suffix(1);
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
