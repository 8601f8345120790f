#include "git/index.h"

#include <algorithm>

#include <paddock/limits.h>

#include "git/byte_reader.h"

namespace paddock::git {
namespace {

constexpr std::uint32_t kCompressedNames = 4;  // the version that has them

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

    bool is_regular_file() const { return (mode & 0170000U) == 0100000U; }
    bool is_in_conflict() const { return (flags & 0x3000U) != 0; }
    bool is_extended() const { return (flags & 0x4000U) != 0; }
};

Fields read_fields(ByteReader& reader) {
    Fields fields;
    reader.take(24);
    fields.mode = reader.u32();
    reader.take(12);
    std::ranges::copy(reader.take(fields.id.size()), fields.id.begin());
    fields.flags = reader.u16();
    if (fields.is_extended()) reader.take(2);
    return fields;
}

// Turns the name of the entry before into that of the next one. False if it is damaged.
bool read_name(ByteReader& reader, std::uint32_t version, std::size_t entry_begin,
               std::string& name) {
    std::uint64_t lost = name.size();
    if (version == kCompressedNames) lost = reader.offset_number();
    if (lost > name.size()) return false;
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

}  // namespace

std::optional<Index> Index::parse(std::string_view bytes, WorkBudget& budget) {
    ByteReader reader(bytes);
    if (reader.take(4) != "DIRC") return std::nullopt;
    const std::uint32_t version = reader.u32();
    const std::uint32_t count = reader.u32();
    if (version < 2 || version > kCompressedNames) return std::nullopt;

    Index index;
    std::string name;
    std::string name_before;
    for (std::uint32_t i = 0; i < count; ++i) {
        const std::size_t begin = reader.position();
        const Fields fields = read_fields(reader);
        name_before = name;
        if (!read_name(reader, version, begin, name) || name < name_before) return std::nullopt;
        if (!budget.spend(name.size())) return std::nullopt;
        if (!fields.is_regular_file() || fields.is_in_conflict()) continue;
        index.entries_.push_back(
            {index.names_.size(), static_cast<std::uint32_t>(name.size()), fields.id});
        index.names_ += name;
    }
    return index;
}

const ObjectId* Index::find(std::string_view path) const {
    const auto found = std::ranges::lower_bound(entries_, path, {},
                                                [&](const Entry& entry) { return name_of(entry); });
    if (found == entries_.end() || name_of(*found) != path) return nullptr;
    return &found->id;
}

}  // namespace paddock::git
