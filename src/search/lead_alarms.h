// Where in a text could a lead begin? Many places at once, by tables: the innermost loop of the
// secret scanner, which runs over everything that leaves.
//
// Leads are spread over sixteen buckets. For each of the four positions of a lead a table says
// which buckets have which byte there; a place where one bucket agrees at all four raises an alarm.
// It may be wrong, but never misses one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "search/byte_set.h"

namespace paddock::search {

inline constexpr std::size_t kLeadBytes = 4;
inline constexpr std::size_t kLeadBuckets = 16;

enum class AlarmEngine : std::uint8_t {
    kNone,    // raises no alarms: every place is for the next stage
    kHalves,  // AVX2: looks up the two halves of a byte, 32 places at once
    kBytes,   // AVX-512 VBMI: looks up seven bits of a byte, 64 places at once
};
bool has_engine(AlarmEngine engine) noexcept;  // this processor
AlarmEngine best_alarm_engine() noexcept;

// Places, counted from the start of a span.
inline constexpr std::size_t kAlarmSpanMax = 512;
inline constexpr std::size_t kAlarmsAtOnce = 4;
using AlarmPlaces = std::array<std::uint16_t, kAlarmSpanMax + kAlarmsAtOnce>;

class AlarmTables {
public:
    void add(std::size_t bucket, std::size_t position, const ByteSet& bytes) noexcept;

    // Writes the places in [at, to) of `text` that raise an alarm, in order and counted from `at`,
    // to `places`; returns how many. At most kAlarmSpanMax are looked at. Moves `at` to the first
    // place that was not: the last few are left over. kLeadBytes - 1 bytes behind `to` are read.
    std::size_t raise(AlarmEngine engine, std::string_view text, std::size_t& at, std::size_t to,
                      AlarmPlaces& places) const noexcept;

private:
    static constexpr std::size_t kGroups = kLeadBuckets / 8;

    std::size_t raise_by_halves(std::string_view text, std::size_t& at, std::size_t to,
                                AlarmPlaces& places) const noexcept;
    std::size_t raise_by_bytes(std::string_view text, std::size_t& at, std::size_t to,
                               AlarmPlaces& places) const noexcept;

    // One bit for each bucket of a group. Halves twice, as shuffles want it.
    struct Table {
        alignas(64) std::array<std::uint8_t, 128> bytes{};
        alignas(32) std::array<std::uint8_t, 32> low{};
        alignas(32) std::array<std::uint8_t, 32> high{};
    };
    std::array<std::array<Table, kLeadBytes>, kGroups> tables_{};
};

}  // namespace paddock::search
