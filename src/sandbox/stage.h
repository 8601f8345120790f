// The steps of building a sandbox and of starting a command, so that the one that the kernel
// refused can be named, with what an operator can do about it.
#pragma once

#include <cstdint>
#include <string_view>

#include <paddock/shell.h>

#include "base/outcome.h"

namespace paddock::sandbox {

enum class Stage : std::uint32_t {
    kNone,  // nothing went wrong

    // Building.
    kCopy,  // the process itself
    kUserMap,
    kIdentity,
    kMountNamespace,
    kViewRoot,
    kViewSystem,
    kViewDevices,
    kViewTerminals,
    kViewProc,
    kViewScratch,
    kViewHome,
    kViewExtra,
    kViewWorkspace,
    kPivot,
    kProtect,
    kLoopback,
    kHostName,
    kListener,
    kLandlockRules,
    kCapabilities,
    kLoop,
    kGate,

    // Starting a command.
    kRequest,   // it makes no sense
    kCommands,  // too many at once
    kFork,
    kTerminal,
    kDescriptors,
    kDirectory,
    kLimits,
    kUser,
    kLandlock,
    kFilter,
    kProgram,

    // Others.
    kUnknownCommand,
    kKill,
    kSignal,
    kCount,
};
inline constexpr std::uint32_t kStages = static_cast<std::uint32_t>(Stage::kCount) + 1;

struct StageText {
    Layer layer;  // that is missing without it
    std::string_view reason;
    std::string_view remedy;
    std::string_view both;  // "reason; remedy"
};

const StageText& stage_text(Stage stage) noexcept;

// What a failed step means to the caller: what a program or a directory may fail with as it is, and
// sandbox_unavailable with the remedy for everything else.
Failure stage_failure(Stage stage, int os_error) noexcept;

// A failure together with where it happened.
struct StageError {
    Stage stage = Stage::kNone;
    int os_error = 0;
};

inline StageError at(Stage stage, const Done& done) noexcept {
    return done ? StageError{} : StageError{stage, done.error().os_error};
}

}  // namespace paddock::sandbox
