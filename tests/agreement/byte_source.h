// Where the random choices of a scenario come from: a seed, or the bytes that a fuzzer chose.
//
// The same seed gives the same choices on every machine. When a fuzzer's bytes are used up every
// further choice is 0, so each generator makes 0 its smallest and commonest case.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace paddock::agreement {

class ByteSource {
public:
    explicit ByteSource(std::uint64_t seed) : state_(seed) {}
    explicit ByteSource(std::span<const std::uint8_t> bytes) : bytes_(bytes), seeded_(false) {}

    bool used_up() const { return !seeded_ && bytes_.empty(); }

    // 0 to count - 1.
    unsigned below(unsigned count) {
        if (seeded_) return static_cast<unsigned>(next() % count);
        unsigned value = take();
        if (count > 256) value = value << 8 | take();
        return value % count;
    }

    // True once in `count` times, `count` being 2 or more.
    bool one_in(unsigned count) { return below(count) == count - 1; }

private:
    std::uint64_t next() {  // splitmix64
        std::uint64_t z = (state_ += 0x9e3779b97f4a7c15U);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
        return z ^ (z >> 31);
    }

    unsigned take() {
        if (bytes_.empty()) return 0;
        const unsigned value = bytes_.front();
        bytes_ = bytes_.subspan(1);
        return value;
    }

    std::span<const std::uint8_t> bytes_;
    std::uint64_t state_ = 0;
    bool seeded_ = true;
};

}  // namespace paddock::agreement
