// Every bound of the path layer, with its reason. Nothing here is tuned at run time.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace paddock::limits {

// PATH_MAX. What is longer after normalisation the kernel could not open anyway.
inline constexpr std::size_t kPathBytesMax = 4096;

// NAME_MAX of every file system in use.
inline constexpr std::size_t kComponentBytesMax = 255;

// What the kernel allows in one lookup; the user-space resolver answers the same.
inline constexpr int kSymlinksMax = 40;

// Components visited in one user-space lookup, link targets included: 40 links of PATH_MAX bytes
// would otherwise cost 80,000 steps for one call.
inline constexpr int kResolveStepsMax = 8192;

// Directories at the end of a lookup, walk or removal that stay open: ordinary trees never re-open
// a level. A deeper tree holds one more for each doubling of its depth.
inline constexpr std::size_t kHeldDirectoriesMax = 16;

// Deepest level of a walk or a recursive removal. A shell can nest deeper than PATH_MAX.
inline constexpr std::size_t kTreeDepthMax = 16384;

// How long one lookup is retried while others rename directories. One millisecond was enough in
// every published trial; this leaves room for a loaded machine.
inline constexpr std::chrono::milliseconds kRaceDeadline{100};

// Retries of a whole operation whose target changed kind between look and act.
inline constexpr int kOperationRetriesMax = 64;

// Tries for an unused temporary name of 64 random bits; more than one is already an attack.
inline constexpr int kTempNameTriesMax = 64;

// Passes over one directory in a recursive removal before "somebody keeps filling it" is the
// answer.
inline constexpr int kRemovePassesMax = 64;

// Default largest file taken into memory by read_file.
inline constexpr std::uint64_t kReadFileBytesMax = std::uint64_t{64} << 20;

// Default largest number of entries that list returns; the result says if there were more.
inline constexpr std::size_t kListEntriesMax = 100'000;

// Names in a directory that are compared with one that is missing, to say what may be meant.
inline constexpr std::size_t kNearNamesLookedAt = 10'000;

// Files that a session remembers having read. A session that reads more is not editing them all.
inline constexpr std::size_t kTrackedFilesMax = 10'000;

// Content kept to show what changed since a file was read: of one file, and of all.
inline constexpr std::size_t kTrackedContentBytesMax = std::size_t{256} << 10;
inline constexpr std::size_t kTrackedBytesMax = std::size_t{16} << 20;

// Arguments of a call as the audit trail shows them.
inline constexpr std::size_t kAuditBytesMax = 4096;

// One JSON document: a call that writes a file of kReadFileBytesMax, escaped.
inline constexpr std::size_t kJsonBytesMax = std::size_t{160} << 20;

// Nesting of a JSON document. Tool calls need four levels.
inline constexpr std::size_t kJsonDepthMax = 64;

// Values in one JSON document: each costs memory beyond its text.
inline constexpr std::size_t kJsonValuesMax = 1'000'000;

// Extended attributes carried over by an atomic replace: the kernel's own list limit.
inline constexpr std::size_t kXattrBytesMax = 65536;

}  // namespace paddock::limits
