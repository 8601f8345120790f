// What the guard undid after a command, for whoever ran it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <paddock/error.h>

namespace paddock::tools {

enum class Undone : std::uint8_t {
    kQuarantined,   // moved out of the workspace
    kRemoved,       // there is no quarantine, or it was too large to be kept
    kCleaned,       // settings cut out of a git config; the original is in the quarantine
    kMovedBack,     // a directory had been renamed
    kRestored,      // had been changed or removed, and has its old content again
    kMissing,       // is gone, and could not be restored
    kReplaced,      // by somebody outside: the kernel kept commands from it. Left as it is
    kMadeReadable,  // a directory that could not be looked into
    kLeft,          // could not be undone: `detail` says why
};

// "moved to quarantine", ...
std::string_view undone_text(Undone what) noexcept;

struct GuardRecord {
    std::string path;
    Undone what = Undone::kLeft;
    std::string rule{};  // that protects the path
    // Settings that were cut out; where it was moved; why it was left; else empty. Names in it are
    // shown as in a sentence (text/quote.h).
    std::string detail{};
    std::string kept{};  // its name in the quarantine, or empty
};

struct GuardReport {
    std::vector<GuardRecord> records{};
    std::size_t more = 0;  // beyond limits::kGuardRecordsMax

    // Why not everything was looked at and judged, if so: nothing that is there may be trusted.
    std::optional<Error> unfinished{};

    void add(GuardRecord record);
};

}  // namespace paddock::tools
