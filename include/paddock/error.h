// What went wrong, for programs (`code`), for people and models (`message()`).
//
// Codes are stable: they appear in C++ results, in `--json` output and in tool errors.
// A message names the path as the caller wrote it, never a path of the host, never whether
// something outside the workspace exists, and ends with what to do next.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <tl/expected.hpp>

namespace paddock {

enum class Code : std::uint8_t {
    kInvalidArgument,
    kInvalidPath,
    kPathEscape,
    kAbsolutePath,
    kMountCrossing,
    kNotFound,
    kNotADirectory,
    kIsADirectory,
    kNotRegularFile,
    kAlreadyExists,
    kPermissionDenied,
    kDeniedByRule,
    kReadOnly,
    kNotRead,
    kStaleRead,
    kNoMatch,
    kAmbiguousMatch,
    kPatchFailed,
    kBinaryFile,
    kUnsupportedEncoding,
    kTooLarge,
    kLimitReached,
    kRace,
    kTimeout,
    kCancelled,
    kRateLimited,
    kQuotaExceeded,
    kSandboxUnavailable,
    kUnauthorized,
    kNotAvailable,
    kIoError,
    kInternal,
};

// The stable spelling, for example "path_escape".
std::string_view code_name(Code code) noexcept;

// Why something failed, without saying where: cheap to make and to pass up.
struct Failure {
    Code code = Code::kInternal;
    int os_error = 0;         // errno behind it, 0 if none
    std::string_view reason;  // a literal that replaces the code's usual explanation, or empty

    // The code that an errno usually means.
    static Failure from_errno(int os_error) noexcept;
};

struct Error : Failure {
    std::string_view operation;  // "open", "rename": always a literal
    std::string path;            // as the caller wrote it
    std::string text;            // of a tool: the whole explanation; empty: made of the rest

    // "path_escape: open '../x': is outside the workspace. Use a path inside it."
    std::string message() const;
    std::string explanation() const;  // the message without the code before it

    // True if the same call may succeed when it is simply made again.
    bool can_retry() const noexcept { return code == Code::kRace; }
};

// The value or the Error. Ignoring one is a compiler warning.
template <class T>
class [[nodiscard]] Result : public tl::expected<T, Error> {
public:
    using tl::expected<T, Error>::expected;
    Result(Error error) : tl::expected<T, Error>(tl::unexpect, std::move(error)) {}
};

using Status = Result<void>;

}  // namespace paddock
