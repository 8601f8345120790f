// Forged files of git: zlib streams, loose objects, packs and their indexes, with any content.
#pragma once

#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "git/objects.h"

namespace paddock::testing {

inline std::string deflated(std::string_view bytes) {
    uLongf size = compressBound(bytes.size());
    std::string stream(size, '\0');
    const int result = compress(reinterpret_cast<Bytef*>(stream.data()), &size,
                                reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
    if (result != Z_OK) throw std::runtime_error("no memory to deflate");
    stream.resize(size);
    return stream;
}

inline std::string big_endian(std::uint64_t number, unsigned bytes) {
    std::string text;
    while (bytes-- > 0) text += static_cast<char>(number >> (8 * bytes));
    return text;
}

// As packs and deltas write sizes: the lowest seven bits first.
inline std::string size_number(std::uint64_t number) {
    std::string text;
    for (; number >= 0x80; number >>= 7U) text += static_cast<char>(0x80U | (number & 0x7fU));
    return text + static_cast<char>(number);
}

struct PackedObject {
    git::ObjectId id{};
    unsigned type = 3;
    std::string base{};  // of a delta: as it stands before the zlib stream
    std::string content{};
};

struct ForgedPack {
    std::string pack;
    std::string index;
};

// The objects in this order, the index by their ids; checksums are zero.
inline ForgedPack forge_pack(std::vector<PackedObject> objects) {
    std::string pack = "PACK" + big_endian(2, 4) + big_endian(objects.size(), 4);
    struct Place {
        git::ObjectId id;
        std::uint64_t offset;
    };
    std::vector<Place> places;
    for (const PackedObject& object : objects) {
        places.push_back({object.id, pack.size()});
        const std::uint64_t size = object.content.size();
        pack += static_cast<char>(0x80U | object.type << 4U | (size & 15U));
        pack += size_number(size >> 4U) + object.base + deflated(object.content);
    }
    std::ranges::sort(places, {}, &Place::id);
    std::string counts;
    std::string ids;
    std::string offsets;
    for (unsigned first = 0; first < 256; ++first) {
        counts += big_endian(static_cast<std::uint64_t>(std::ranges::count_if(
                                 places, [&](const Place& place) { return place.id[0] <= first; })),
                             4);
    }
    for (const Place& place : places) {
        ids.append(place.id.begin(), place.id.end());
        offsets += big_endian(place.offset, 4);
    }
    const std::string checksum(20, '\0');
    return {pack + checksum, "\377tOc" + big_endian(2, 4) + counts + ids +
                                 std::string(4 * places.size(), '\0') + offsets + checksum +
                                 checksum};
}

}  // namespace paddock::testing
