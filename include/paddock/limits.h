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

// Extended attributes carried over by an atomic replace: the kernel's own list limit.
inline constexpr std::size_t kXattrBytesMax = 65536;

}  // namespace paddock::limits
