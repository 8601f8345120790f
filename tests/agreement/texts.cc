#include "agreement/texts.h"

#include <array>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <string_view>

namespace paddock::agreement {
namespace {

// Unlike operator+, a list is made from left to right: the same seed is the same text everywhere.
std::string joined(std::initializer_list<std::string> parts) {
    std::string text;
    for (const std::string& part : parts) text += part;
    return text;
}

std::string random_names(ByteSource& bytes) {
    std::string text = random_name(bytes);
    for (unsigned more = bytes.below(3); more > 0; --more) text += "/" + random_name(bytes);
    return text;
}

// An absolute spelling of the root, tidy or not.
std::string random_root(ByteSource& bytes, const Ground& ground) {
    switch (bytes.below(6)) {
        case 3: return ground.place + "//./ROOT/.";
        case 4: return "//." + ground.alias();
        case 5: return ground.alias() + "/";
        default: return bytes.one_in(2) ? ground.alias() : ground.root();
    }
}

std::string random_outside(ByteSource& bytes, const Ground& ground) {
    switch (bytes.below(8)) {
        case 0: return ground.place + "/out/f";
        case 1: return ground.place + "/ROOTx/f";
        case 2: return ground.root() + "/../out/f";
        case 3: return ground.place + "/out/../ROOT/a";
        case 4: return ground.place;
        case 5: return "/";
        case 6: return "/proc/self/root";
        default: return ground.root() + "x";
    }
}

std::string random_parts(ByteSource& bytes) {
    std::string path = random_name(bytes);
    for (unsigned more = bytes.below(5); more > 0; --more) {
        path += bytes.one_in(8) ? "//" : "/";
        switch (bytes.below(8)) {
            case 6: path += "."; break;
            case 7: path += ".."; break;
            default: path += random_name(bytes);
        }
    }
    return path;
}

// At and around the bounds.
std::string long_path(ByteSource& bytes) {
    if (bytes.one_in(2)) return "b/" + std::string(254 + bytes.below(3), 'n');
    std::string path = bytes.one_in(2) ? "" : "./";
    const std::size_t size = 4093 + bytes.below(6);
    while (path.size() + 1 < size) path += "D/";
    path.resize(size, 'D');
    return path;
}

std::string raw_bytes(ByteSource& bytes) {
    std::string path;
    for (unsigned i = bytes.below(12); i > 0; --i) {
        constexpr std::string_view kBytes = std::string_view("./ab\0\xff\x80~$\\", 10);
        path += kBytes[bytes.below(static_cast<unsigned>(kBytes.size()))];
    }
    return path;
}

std::string ending(ByteSource& bytes) {
    switch (bytes.below(16)) {
        case 10: return "/";
        case 11: return "/.";
        case 12: return "/..";
        case 13: return "//";
        case 14: return "/" + random_name(bytes) + "/";
        case 15: return "/../" + random_name(bytes);
        default: return "";
    }
}

}  // namespace

std::string random_name(ByteSource& bytes) {
    static const std::array<std::string, 8> kOdd = {
        "..x", "...", " ", "-", "\xff\xfe", "a\nb", ".a", std::string(255, 'n')};
    const unsigned choice = bytes.below(20);
    if (choice < 12) return std::string(1, static_cast<char>('a' + choice % 4));
    return kOdd[choice - 12];
}

std::string climb(unsigned levels) {
    std::string text;
    for (unsigned i = 0; i < levels; ++i) text += "../";
    return text;
}

std::string random_target(ByteSource& bytes, const Ground& ground) {
    switch (bytes.below(24)) {
        case 8:
        case 9:
        case 10: return joined({climb(1 + bytes.below(4)), random_names(bytes)});
        case 11:
            return joined(
                {random_names(bytes), "/", climb(1 + bytes.below(3)), random_name(bytes)});
        case 12:
        case 13:
        case 14: return joined({random_root(bytes, ground), "/", random_names(bytes)});
        case 15: return random_root(bytes, ground);
        case 16:
            return joined({random_root(bytes, ground), "/", climb(bytes.below(2)), "./",
                           random_names(bytes)});
        case 17:
        case 18: return random_outside(bytes, ground);
        case 19: return joined({climb(1 + bytes.below(5)), "ROOT/", random_names(bytes)});
        case 20: return bytes.one_in(2) ? "." : "..";
        case 21: return joined({random_names(bytes), "/", bytes.one_in(2) ? "." : ".."});
        case 22: return random_names(bytes) + "/";
        case 23: return bytes.one_in(8) ? std::string(256, 'n') : climb(1 + bytes.below(20));
        default: return random_names(bytes);
    }
}

std::string existing_path(ByteSource& bytes, const Node& root) {
    std::string path;
    const Node* node = &root;
    while (!node->children.empty() && !(bytes.used_up() && !path.empty())) {
        const auto child = std::next(
            node->children.begin(),
            static_cast<std::ptrdiff_t>(bytes.below(static_cast<unsigned>(node->children.size()))));
        path += path.empty() ? child->first : "/" + child->first;
        node = &child->second;
        // Long ways without a choice are mostly gone to their end.
        if (bytes.one_in(node->children.size() == 1 ? 40 : 5)) break;
    }
    return path.empty() ? "." : path;
}

std::string random_path(ByteSource& bytes, const Ground& ground, const Node& root) {
    switch (bytes.below(24)) {
        case 15:
        case 16:
        case 17:
        case 18: return joined({random_parts(bytes), ending(bytes)});
        case 19: return joined({random_root(bytes, ground), "/", existing_path(bytes, root)});
        case 20: return joined({random_root(bytes, ground), ending(bytes)});
        case 21: return joined({random_outside(bytes, ground), ending(bytes)});
        case 22: return random_target(bytes, ground);
        case 23: return bytes.one_in(2) ? long_path(bytes) : raw_bytes(bytes);
        case 12:
        case 13:
        case 14:
            return joined({existing_path(bytes, root), "/", random_parts(bytes), ending(bytes)});
        default: return joined({existing_path(bytes, root), ending(bytes)});
    }
}

}  // namespace paddock::agreement
