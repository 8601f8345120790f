// The bounds, each with its reason. Nothing here is tuned at run time.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace paddock::limits {

// Directories that a session has besides its workspace: each change by a command asks the gate of
// each in turn.
inline constexpr std::size_t kFurtherRootsMax = 8;

// PATH_MAX. What is longer after normalisation the kernel could not open anyway.
inline constexpr std::size_t kPathBytesMax = 4096;

// NAME_MAX of every file system in use.
inline constexpr std::size_t kComponentBytesMax = 255;

// What the kernel allows in one lookup; the user-space resolver answers the same.
inline constexpr int kSymlinksMax = 40;

// Components visited in one user-space lookup, link targets included: 40 links of PATH_MAX bytes
// would otherwise cost 80,000 steps for one call.
inline constexpr int kResolveStepsMax = 8192;

// Deepest level of a walk. A shell can nest far deeper than PATH_MAX, and such a tree has to be
// moved and removed too. What costs more with depth is the path of each entry that a rule names: at
// this depth it has 128 kB or more.
inline constexpr std::size_t kTreeDepthMax = 65'536;

// How long one lookup is retried while others rename directories. One millisecond was enough in
// every published trial; this leaves room for a loaded machine.
inline constexpr std::chrono::milliseconds kRaceDeadline{100};

// How long a writer waits for others that change names in the same directory. Each holds the lock
// for a few system calls; only a program that is not paddock keeps it for longer.
inline constexpr std::chrono::milliseconds kDirectoryLockDeadline{2000};

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

// Files that read_files takes, and the bytes of text and of media after which it reads no further
// one: each by itself is bounded, their sum would not be.
inline constexpr std::int64_t kReadFilesMax = 64;
inline constexpr std::size_t kReadFilesTextBytes = 100'000;
inline constexpr std::uint64_t kReadFilesMediaBytes = kMediaBytesMax;

// How deep list_directory looks and how many entries it shows: what a model still reads. How many
// it passes over before: they are looked at again for each page. What `ignore` may stand for in
// all, once its braces are expanded, is bounded as one glob (kGlobAlternativesMax).
inline constexpr std::int64_t kListDepthMax = 20;
inline constexpr std::size_t kListShownMax = 1000;
inline constexpr std::int64_t kListOffsetMax = 100'000;

// What glob shows, by default and at most, and passes over before: the newest are held until the
// search is over.
inline constexpr std::int64_t kGlobShown = 100;
inline constexpr std::int64_t kGlobShownMax = 5000;
inline constexpr std::int64_t kGlobOffsetMax = 100'000;

// What grep shows: lines or files, by default and at most; lines around a match; bytes of a line,
// and in all, as read_file.
inline constexpr std::int64_t kGrepShown = 250;
inline constexpr std::int64_t kGrepShownMax = 5000;
inline constexpr std::int64_t kGrepContextMax = 100;
inline constexpr std::size_t kGrepShownLineBytesMax = 500;
inline constexpr std::size_t kGrepShownBytesMax = kReadShownBytesMax;

// What they show in a pipe of a person's: it is held in memory as a whole.
inline constexpr std::size_t kGrepUncutBytesMax = std::size_t{64} << 20;
inline constexpr std::size_t kGlobUncutMax = 1'000'000;

// How much of the diff that an edit made is shown: the model has written it.
inline constexpr std::size_t kEditDiffBytes = 8000;

// Files up to this size are read to their end, so that their lines are counted and the session
// knows their content; of a larger one only the window is read.
inline constexpr std::uint64_t kScannedFileBytesMax = std::uint64_t{64} << 20;

// Files that a session remembers having read. A session that reads more is not editing them all.
inline constexpr std::size_t kTrackedFilesMax = 10'000;

// What is kept of the output of one command, to be read again: half of it is the beginning and the
// other half the end of what it printed.
inline constexpr std::size_t kCommandOutputBytesMax = std::size_t{16} << 20;

// What must stay free on the workspace's disk by default: a command that is running when less is
// left is ended, and what it wrote last is lost rather than what others write next.
inline constexpr std::uint64_t kDiskReserveBytes = std::uint64_t{256} << 20;

// How long a command may run by default and at most, in milliseconds: what agents are used to.
inline constexpr std::int64_t kCommandTimeoutMs = 120'000;
inline constexpr std::int64_t kCommandTimeoutMsMax = 600'000;

// What bash shows of the output of a command, head and tail, and bash_output at once.
inline constexpr std::size_t kCommandShownBytes = 30'000;

// The terminal of a command that asks for one: what a person's window has.
inline constexpr std::uint16_t kCommandTerminalRows = 40;
inline constexpr std::uint16_t kCommandTerminalColumns = 120;

// Keys of one call: more is text.
inline constexpr std::int64_t kInputKeysMax = 100;

// Commands that run in the background, and ended ones whose output can still be read.
inline constexpr std::size_t kBackgroundCommandsMax = 16;
inline constexpr std::size_t kEndedCommandsMax = 32;

// How long grep, glob and list_directory look, and read_file for its lines; what they have found by
// then is the answer, which says so.
inline constexpr std::chrono::seconds kSearchTimeMax{30};

// Arguments of a call as the audit trail shows them.
inline constexpr std::size_t kAuditBytesMax = 4096;

// One JSON document: a call that writes a file of kReadFileBytesMax, escaped.
inline constexpr std::size_t kJsonBytesMax = std::size_t{160} << 20;

// Nesting of a JSON document. Tool calls need four levels.
inline constexpr std::size_t kJsonDepthMax = 64;

// Values in one JSON document: each costs memory beyond its text.
inline constexpr std::size_t kJsonValuesMax = 1'000'000;

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

// A patch as text. Parsed it takes up to 16 times as much memory.
inline constexpr std::size_t kPatchBytesMax = std::size_t{8} << 20;

// Files and hunks of one patch. Every file is held open or staged until all are checked.
inline constexpr std::size_t kPatchFilesMax = 1'000;
inline constexpr std::size_t kPatchHunksMax = 20'000;

// Texts that a patch holds, each file as it is and as it will be: two of the largest fit. A copy
// costs a line in the patch and a whole file here.
inline constexpr std::uint64_t kPatchStagedBytesMax = 4 * kTextBytesMax;

// Lines compared while looking for the places of one file's hunks: about a second.
inline constexpr std::uint64_t kPatchStepsMax = 500'000'000;

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

// Instructions of the program that RE2 makes of a pattern. Beyond, its automaton does not even fit
// into that memory, and each byte of text costs as many steps: a megabyte would take minutes.
inline constexpr int kRegexProgramMax = 32'768;

// The longest line that is searched as one. Generated files hold lines of a few megabytes; what is
// longer is data without lines.
inline constexpr std::size_t kSearchLineBytesMax = std::size_t{16} << 20;

// The largest file that is searched as a whole, for matches across lines or to be decoded.
inline constexpr std::size_t kSearchWholeBytesMax = std::size_t{64} << 20;

// What grep holds of the lines of one file at most: a limit of lines is no limit of bytes.
inline constexpr std::size_t kGrepFileBytesMax = std::size_t{32} << 20;

// Entries of one directory that a search takes in; they are held to be sorted.
inline constexpr std::size_t kSearchEntriesMax = 1'000'000;

// Path rules of the operator: every path is looked up in all of them.
inline constexpr std::size_t kPathRulesMax = 256;

// A git configuration that is looked into. Those that git writes have a few kilobytes.
inline constexpr std::size_t kGitConfigBytesMax = std::size_t{1} << 20;

// Settings of one. A megabyte of short ones takes 65 times that in memory; those that git writes
// have no more than this.
inline constexpr std::size_t kGitSettingsMax = 50'000;

// How far the secret scanner looks before and behind a candidate: a long name, and a long name with
// its value or the header of a JSON web token. A stream holds back about as much.
inline constexpr std::size_t kSecretBehindMax = 64;
inline constexpr std::size_t kSecretAheadMax = 512;

// Values that the operator may name as secrets. Shorter ones would tear ordinary text apart; longer
// ones (a whole key file) are recognised by their shape, and the stream holds back that much.
inline constexpr std::size_t kKnownSecretsMax = 256;
inline constexpr std::size_t kKnownSecretBytesMin = 6;
inline constexpr std::size_t kKnownSecretBytesMax = 4096;

// Denied files whose values the secrets filter learns: each search reads those that changed, and a
// file of settings or a key is no longer.
inline constexpr std::size_t kDeniedFilesMax = 256;
inline constexpr std::uint64_t kDeniedFileBytesMax = std::uint64_t{64} << 10;

// Processes of a session: a parallel build with room to spare, and a fork bomb stays harmless.
inline constexpr std::uint64_t kCommandProcesses = 1024;

// Memory of a session: a linker of a large project fits.
inline constexpr std::uint64_t kCommandMemoryBytes = std::uint64_t{4} << 30;

// Largest file that a command may write.
inline constexpr std::uint64_t kCommandFileBytes = std::uint64_t{4} << 30;

// Open descriptors of one process: what distributions allow as the hard limit of old.
inline constexpr std::uint64_t kCommandOpenFiles = 4096;

// Private /tmp, home and /dev/shm together; they are memory of the host.
inline constexpr std::uint64_t kCommandScratchBytes = std::uint64_t{1} << 30;

// The home of a workspace's commands, which lasts: the caches of several package managers.
inline constexpr std::uint64_t kCommandHomeBytes = std::uint64_t{16} << 30;

// Inodes of the scratch directories: one for each kilobyte would be kernel memory without a bound
// of its own.
inline constexpr std::uint64_t kCommandScratchFiles = 262'144;

// Commands of a session that run at once; each holds a descriptor or two.
inline constexpr std::size_t kCommandsMax = 64;

// Protected paths of one request to the warden, which answers nothing else meanwhile.
inline constexpr std::size_t kProtectionsMax = 1024;

// Denials of one command that are told, and of each path or address so much: nobody reads more. All
// of them fit into a socket that nobody reads meanwhile.
inline constexpr std::size_t kDenialsMax = 32;
inline constexpr std::size_t kDenialTargetBytesMax = 512;

// A host name and one label of it: what DNS can carry.
inline constexpr std::size_t kHostNameBytesMax = 253;
inline constexpr std::size_t kHostLabelBytesMax = 63;

// Entries of the operator's allow list: every connection is compared with all of them.
inline constexpr std::size_t kHostRulesMax = 256;

// Connections of one session through the proxy at once; the next ones wait to be accepted. Package
// managers open some fifty. With three descriptors each it stays below the usual limit of 1024.
inline constexpr std::size_t kProxyConnectionsMax = 256;

// The head of a request to the proxy: what common servers accept, cookies included.
inline constexpr std::size_t kProxyHeadBytesMax = std::size_t{32} << 10;

// How long a client may take to say what it wants, the proxy to reach it, one address of it to
// answer, and a connection to carry nothing. Long polls and idle shells are met by the last.
inline constexpr std::chrono::seconds kProxyRequestTime{20};
inline constexpr std::chrono::seconds kProxyDialTime{30};
inline constexpr std::chrono::seconds kProxyDialOneTime{10};
inline constexpr std::chrono::seconds kProxyIdleTime{600};

// Ports of commands that are reached from this machine, connections to them at once (with two
// descriptors each), and how often servers are looked for.
inline constexpr std::size_t kPublishedPortsMax = 16;
inline constexpr std::size_t kPublishedConnectionsMax = 256;
inline constexpr std::chrono::milliseconds kPublishedLookPause{500};

// One message of an agent. A model writes some hundred kilobytes at most; each is held as text and
// once more in parts.
inline constexpr std::size_t kMcpMessageBytesMax = std::size_t{16} << 20;

// The id of a request, which is repeated in every answer and cancellation.
inline constexpr std::size_t kMcpIdBytesMax = 1024;

// Of the names that clients give themselves, what `paddock log` shows: enough to recognise one, and
// as many as somebody reads.
inline constexpr std::size_t kClientNameBytesMax = 64;
inline constexpr std::size_t kClientNamesMax = 4;

// What an error repeats of a name that a client sent.
inline constexpr std::size_t kMcpShownBytes = 100;

// Requests that take time run in so many threads, commands in so many others, whose work is to
// wait: both together are fewer than the calls that a workspace lets in at once by default. Before
// each of them is a queue of so many requests, which hold so many bytes. Whatever comes then is
// refused.
inline constexpr std::size_t kMcpWorkersMax = 16;
inline constexpr std::size_t kMcpCommandsMax = 32;
// Of a server with several clients, one session gets no more than its share of each: a search uses
// several processors by itself, a command waits.
inline constexpr std::size_t kMcpWorkersShare = 4;
inline constexpr std::size_t kMcpCommandsShare = 16;
inline constexpr std::size_t kMcpQueueMax = 1024;
inline constexpr std::size_t kMcpQueueBytesMax = std::size_t{16} << 20;

// After the end of its input a server finishes what it was asked, for this long at most: official
// clients send SIGTERM after two seconds.
inline constexpr std::chrono::seconds kMcpFinishTime{5};

// The operator's configuration: a file with every setting has 8 kB. Dots in one of its keys; the
// parser recurses on them. Items of one list.
inline constexpr std::size_t kConfigBytesMax = std::size_t{64} << 10;
inline constexpr std::size_t kConfigDepthMax = 7;
inline constexpr std::size_t kConfigItemsMax = 256;

// Connections of 'paddock serve' at once; the next ones are told to come back. A few kilobytes
// each.
inline constexpr std::size_t kHttpConnectionsMax = 1024;

// The head of a request, and the headers in it: what common servers accept.
inline constexpr std::size_t kHttpHeadBytesMax = std::size_t{16} << 10;
inline constexpr std::size_t kHttpHeadersMax = 100;

// The body of a request. It is held as a whole; a tool call that writes a large source file fits.
inline constexpr std::size_t kHttpBodyBytesMax = std::size_t{16} << 20;

// The bodies of all requests that are being received, or answered to a client that is still there.
// Without it each connection could hold the largest one.
inline constexpr std::size_t kHttpBodiesBytesMax = std::size_t{64} << 20;

// Events of one stream that wait for a slow client; further progress is dropped, the result is not.
inline constexpr std::size_t kHttpStreamBytesMax = std::size_t{1} << 20;

// How long a client may take to send a request, to send the next one, and to take 64 kB of an
// answer.
inline constexpr std::chrono::milliseconds kHttpRequestTime{30'000};
inline constexpr std::chrono::milliseconds kHttpIdleTime{60'000};
inline constexpr std::chrono::milliseconds kHttpWriteTime{30'000};

// A stream is never silent for longer: proxies cut at 30 to 60 seconds.
inline constexpr std::chrono::milliseconds kHttpSilenceMax{15'000};

// The largest file that the journal copies before it changes in place. Without reflinks 64 MB take
// about 20 ms; above, the answer says that the change cannot be undone.
inline constexpr std::uint64_t kJournalCopyBytesMax = std::uint64_t{64} << 20;

// Names of one call that its result lists, and their bytes: more than people read, and what fits
// into a pipe that nobody reads meanwhile.
inline constexpr std::size_t kChangedNamesMax = 100;
inline constexpr std::size_t kChangedNamesBytesMax = 32'768;

// The log of one session: two million changes. Beyond, a change is refused: none is made that is
// not recorded.
inline constexpr std::uint64_t kJournalLogBytesMax = std::uint64_t{256} << 20;

// The same with the ends of its calls. An undo may write as much: it tells of each change that it
// takes back, and then of its own. A log of this size can be read.
inline constexpr std::uint64_t kJournalWholeLogBytesMax = 6 * kJournalLogBytesMax;

// How long and how much the journal keeps of sessions that are over. A session that lives keeps as
// much again; beyond, changes are made and cannot be undone.
inline constexpr std::chrono::hours kJournalAgeMax{30 * 24};
inline constexpr std::uint64_t kJournalBytesMax = std::uint64_t{2} << 30;

// The same of what the session itself made or wrote before. Apart, and less: a session cannot use
// up the room for the owner's files by its own.
inline constexpr std::uint64_t kJournalOwnBytesMax = std::uint64_t{256} << 20;

}  // namespace paddock::limits
