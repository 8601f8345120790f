// Every bound, with its reason. Nothing here is tuned at run time.
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

// What read_file shows at once: lines, bytes of a line, bytes in all. Clients cut longer results.
inline constexpr std::size_t kReadLinesMax = 2000;
inline constexpr std::size_t kReadLineBytesMax = 2000;
inline constexpr std::size_t kReadShownBytesMax = 50'000;

// How far from the end a negative offset may reach: so many lines are held in memory.
inline constexpr std::size_t kReadTailLinesMax = 10'000;

// Largest image or sound that is handed to a model, before base64.
inline constexpr std::uint64_t kMediaBytesMax = 3'750'000;

// Files up to this size are read to their end, so that their lines are counted and the session
// knows their content; of a larger one only the window is read.
inline constexpr std::uint64_t kScannedFileBytesMax = std::uint64_t{64} << 20;

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

// Largest text that an edit or a patch takes or makes: what read_file takes into memory.
inline constexpr std::uint64_t kTextBytesMax = kReadFileBytesMax;

// Edits of one call. Each passes over the whole text.
inline constexpr std::size_t kEditsMax = 256;

// Line numbers listed in one answer; nobody reads more of them.
inline constexpr std::size_t kLineNumbersMax = 20;

// Matches counted before "or more" is the answer: an exact count of millions helps nobody.
inline constexpr std::size_t kMatchesCountedMax = 10'000;

// Default largest diff shown: what read_file shows at once.
inline constexpr std::size_t kDiffBytesMax = 50'000;

// The closest text shown after a miss: a glance, not the file.
inline constexpr std::size_t kClosestBytesMax = 3'000;
inline constexpr std::size_t kClosestLineBytesMax = 200;

// Lines of a text that are compared when looking for the closest place: 2 million are 80 MB of
// ordinary source; a file of empty lines must not cost gigabytes.
inline constexpr std::size_t kClosestLinesMax = 2'000'000;

// A patch as text. Parsed it takes up to 16 times as much memory.
inline constexpr std::size_t kPatchBytesMax = std::size_t{8} << 20;

// Files and hunks of one patch. Every file is held open or staged until all are checked.
inline constexpr std::size_t kPatchFilesMax = 1'000;
inline constexpr std::size_t kPatchHunksMax = 20'000;

// Lines compared while looking for the places of one file's hunks: about a second.
inline constexpr std::uint64_t kPatchStepsMax = 500'000'000;

// Names longer than this are no typing errors, nor are names that differ in more letters. Comparing
// two takes the product of both.
inline constexpr std::size_t kSimilarNameBytesMax = 255;
inline constexpr std::size_t kSimilarLettersMax = 8;

// Patterns that the braces of one glob may stand for, and their bytes together: every path is
// compared with each. Two lists of thirty, one after the other, still fit.
inline constexpr std::size_t kGlobAlternativesMax = 1024;
inline constexpr std::size_t kGlobExpandedBytesMax = std::size_t{64} << 10;

// Largest ignore file that is taken into account, and most rules of it that no index can find and
// that every name is therefore compared with. The Linux kernel's largest has 159 lines and nine
// such rules.
inline constexpr std::size_t kIgnoreFileBytesMax = std::size_t{1} << 20;
inline constexpr std::size_t kIgnoreGlobsMax = 4096;

// A pattern is written by a model or a person; RE2's own work grows with it.
inline constexpr std::size_t kPatternBytesMax = 65536;

// What RE2 may take for one pattern: program and automaton. Its own default, and enough for all
// but nested counted repetitions.
inline constexpr std::int64_t kRegexMemoryMax = std::int64_t{8} << 20;

// One read of a search: fits the processor's second cache, and most source files at once.
inline constexpr std::size_t kSearchBufferBytes = 65536;

// The longest line that is searched as one. Generated files hold lines of a few megabytes; what is
// longer is data without lines.
inline constexpr std::size_t kSearchLineBytesMax = std::size_t{16} << 20;

// The largest file that is searched as a whole, for matches across lines or to be decoded.
inline constexpr std::size_t kSearchWholeBytesMax = std::size_t{64} << 20;

// Directories that one walk of a search holds open together: far from the usual 1024 descriptors
// of a process. The others are opened again by path.
inline constexpr int kSearchHeldDirectoriesMax = 256;

// What a search may hold of results that wait for earlier ones.
inline constexpr std::size_t kSearchAheadBytesMax = std::size_t{4} << 20;

// Of a line that grep found, what it gives out by default: the rest of a generated line says
// little.
inline constexpr std::size_t kGrepLineBytes = 2000;

// What grep holds of the lines of one file at most: a limit of lines is no limit of bytes.
inline constexpr std::size_t kGrepFileBytesMax = std::size_t{32} << 20;

// Entries of one directory that a search takes in; they are held to be sorted.
inline constexpr std::size_t kSearchEntriesMax = 1'000'000;

// Threads of one search. More only wait for each other in the kernel's descriptor table.
inline constexpr unsigned kSearchThreadsMax = 8;

// A file is searched by several threads, in parts of this size, from four parts on.
inline constexpr std::uint64_t kSearchPartBytes = std::uint64_t{4} << 20;

// But never in more parts than this, whatever size the file announces.
inline constexpr std::uint64_t kSearchPartsMax = 4096;

// Path rules of the operator: every path is looked up in all of them.
inline constexpr std::size_t kPathRulesMax = 256;

// How far the secret scanner looks before and behind a candidate: a long name, and a long name with
// its value or the header of a JSON web token. A stream holds back about as much.
inline constexpr std::size_t kSecretBehindMax = 64;
inline constexpr std::size_t kSecretAheadMax = 512;

// Values that the operator may name as secrets. Shorter ones would tear ordinary text apart; longer
// ones (a whole key file) are recognised by their shape, and the stream holds back that much.
inline constexpr std::size_t kKnownSecretsMax = 256;
inline constexpr std::size_t kKnownSecretBytesMin = 6;
inline constexpr std::size_t kKnownSecretBytesMax = 4096;

}  // namespace paddock::limits
