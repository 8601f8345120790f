#include <paddock/error.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>

#include "base/display.h"

namespace paddock {
namespace {

// Enough to recognise a path by; a hostile one can be as long as the input allows.
constexpr std::size_t kPathShownBytes = 256;

struct CodeText {
    std::string_view name;
    std::string_view meaning;
    std::string_view next;
};

// In the order of Code.
constexpr std::array<CodeText, 32> kCodes{{
    {"invalid_argument", "the arguments are invalid", "Correct the call."},
    {"invalid_path", "is not a valid path",
     "Use a non-empty path of at most 4096 bytes, 255 per component, without NUL."},
    {"path_escape", "is outside the workspace", "Use a path inside it."},
    {"absolute_path", "is absolute", "Use a path relative to the workspace."},
    {"mount_crossing", "is on another mount", "Use a path on the workspace's own file system."},
    {"not_found", "does not exist", "Check the name by listing its directory."},
    {"not_a_directory", "is not a directory, or goes through something that is not a directory",
     "Check each part of the path."},
    {"is_a_directory", "is a directory", "Name a file inside it, or list it."},
    {"not_regular_file", "is not a regular file", "Only regular files can be read or written."},
    {"already_exists", "already exists", "Choose another, or remove what is there first."},
    {"permission_denied", "permission denied",
     "Choose another file, or ask the operator for access."},
    {"denied_by_rule", "is protected by a rule of this workspace", "Choose another file."},
    {"read_only", "this workspace is read-only here", "Read files, but do not change them."},
    {"not_read", "has not been read yet", "Read the file first."},
    {"stale_read", "has changed since it was read", "Read the file again."},
    {"no_match", "nothing matched", "Check the text against the file."},
    {"ambiguous_match", "more than one place matched", "Add context until one place matches."},
    {"patch_failed", "the patch does not apply", "Read the file again and make a new patch."},
    {"binary_file", "is a binary file", "Only text can be shown."},
    {"unsupported_encoding", "has an unsupported encoding", "Convert it to UTF-8."},
    {"too_large", "is too large", "Read or write it in parts."},
    {"limit_reached", "a limit was reached", "Ask for less at once."},
    {"race", "kept changing during the call", "Try again."},
    {"timeout", "took too long", "Try again, or ask for less."},
    {"cancelled", "was cancelled", "Start it again if you still need it."},
    {"rate_limited", "too many calls", "Wait, then try again."},
    {"quota_exceeded", "the disk quota is used up", "Remove what is no longer needed."},
    {"sandbox_unavailable", "the required sandbox cannot be set up",
     "Ask the operator to run `paddock doctor`."},
    {"unauthorized", "is not allowed for this caller", "Authenticate first."},
    {"not_available", "is not available here", "Use another way."},
    {"io_error", "the file system reported an error",
     "Try again. If it persists, tell the operator."},
    {"internal", "internal error", "Report it with the call that caused it."},
}};
static_assert(kCodes.size() == static_cast<std::size_t>(Code::kInternal) + 1);

const CodeText& text_of(Code code) { return kCodes[static_cast<std::size_t>(code)]; }

// Such a reason follows the path without a colon: "'x' is outside the workspace".
bool begins_with_verb(std::string_view reason) {
    constexpr std::array<std::string_view, 16> kVerbs{
        "asks", "cannot", "contains", "does",  "ends",     "exceeds", "goes", "grew",
        "has",  "is",     "kept",     "needs", "overlaps", "takes",   "took", "was"};
    const std::string_view word = reason.substr(0, reason.find(' '));
    return std::find(kVerbs.begin(), kVerbs.end(), word) != kVerbs.end();
}

}  // namespace

std::string_view code_name(Code code) noexcept { return text_of(code).name; }

Failure Failure::from_errno(int os_error) noexcept {
    const auto as = [os_error](Code what, std::string_view why = {}) {
        return Failure{what, os_error, why};
    };
    switch (os_error) {
        case ENOENT: return as(Code::kNotFound);
        case ENOTDIR: return as(Code::kNotADirectory);
        case EISDIR: return as(Code::kIsADirectory);
        case EEXIST: return as(Code::kAlreadyExists);
        case ENOTEMPTY: return as(Code::kAlreadyExists, "is a directory that is not empty");
        case EACCES:
        case EPERM:
        case EROFS: return as(Code::kPermissionDenied);
        case ETXTBSY: return as(Code::kPermissionDenied, "is a running program");
        case EBUSY: return as(Code::kPermissionDenied, "is in use by the system");
        case ENAMETOOLONG: return as(Code::kInvalidPath);
        case ELOOP: return as(Code::kLimitReached, "goes through too many symbolic links");
        case EMFILE:
        case ENFILE: return as(Code::kLimitReached, "too many files are open");
        case ENOMEM: return as(Code::kLimitReached, "out of memory");
        case EMLINK: return as(Code::kLimitReached, "has too many links");
        case ENXIO:
        case ENODEV: return as(Code::kNotRegularFile);
        case EFBIG:
        case EOVERFLOW: return as(Code::kTooLarge);
        case EDQUOT: return as(Code::kQuotaExceeded);
        case ENOSPC: return as(Code::kIoError, "the disk is full");
        case EXDEV: return as(Code::kMountCrossing);
        case EAGAIN: return as(Code::kRace);
        case EINVAL: return as(Code::kInvalidArgument);
        case ENOSYS:
        case EOPNOTSUPP: return as(Code::kNotAvailable, "is not supported here");
        default: return as(Code::kIoError);
    }
}

std::string Error::message() const { return std::string(code_name(code)) + ": " + explanation(); }

std::string Error::explanation() const {
    if (!text.empty()) return text;
    const CodeText& usual = text_of(code);
    std::string line{operation};
    if (!path.empty()) {
        if (!operation.empty()) line += ' ';
        line += '\'';
        line += displayable(std::string_view(path).substr(0, kPathShownBytes));
        line += path.size() > kPathShownBytes ? "...'" : "'";
    }
    const std::string_view why = reason.empty() ? usual.meaning : reason;
    const bool path_is_subject = operation.empty() && !path.empty() && begins_with_verb(why);
    line += path_is_subject ? " " : ": ";
    line += why;
    line += ". ";
    line += usual.next;
    return line;
}

}  // namespace paddock
