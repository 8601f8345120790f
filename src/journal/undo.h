// Taking back what a session or one call of it has changed.
//
// Records are taken back from the newest, each by its own step, and every step goes through the
// journal: an undo is a session like others, and a redo is the undo of an undo. A plan says first
// what will be done, and what stands in the way: if anything does, nothing is done at all.
//
// In the way is a file that somebody else, or a later call, has changed since; and content that was
// not kept. What somebody has removed that the session had made is gone already, and is no
// conflict.
//
// A session that still lives can be undone as far as its calls are over. A command that such a call
// left running may write to a file that was put back: that write is not journalled again.
//
// Everything is reached from the workspace's directory, one component at a time and never through a
// link. Times and extended attributes are not brought back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/outcome.h"
#include "journal/journal.h"
#include "journal/rewind.h"
#include "journal/timeline.h"

namespace paddock::journal {

struct UndoTarget {
    std::string session;  // its id
    std::optional<CallId> call = std::nullopt;
    std::vector<std::string> files = {};  // and what is below them; empty: all. Normalised

    std::string text() const;  // "ID" or "ID/CALL"
};

// "ID", "ID/CALL", with the last four digits of the id for all of it, or "CALL" of the last
// session. Errors: not_found, invalid_argument.
Outcome<UndoTarget> parse_target(const Timeline& timeline, std::string_view text);

// The newest session that can be undone (an undo is not), or redone (an undo), as far as these
// files go. Nothing: none.
enum class Direction : bool { kUndo, kRedo };
std::optional<UndoTarget> last_target(int workspace, const Timeline& timeline, Direction direction,
                                      const std::vector<std::string>& files = {});

// What happens to one name.
struct PlannedChange {
    enum class What : std::uint8_t { kRemove, kMove, kRestore, kPutBack, kChmod };
    What what = What::kRemove;
    std::string path;
    std::string from = {};  // of kMove
    FileType type = FileType::kUnknown;
    std::uint32_t mode = 0;  // of kChmod: the one that comes back

    friend bool operator==(const PlannedChange&, const PlannedChange&) = default;
};

struct UndoPlan {
    UndoTarget target;
    std::vector<PlannedChange> changes = {};  // removals first
    std::vector<Conflict> conflicts = {};     // by their paths
    std::vector<Step> steps = {};             // in their order
    SealOn seal_on = {};
    // From this step on each is judged when it is performed (Rewinder::first_unjudged).
    std::optional<std::size_t> first_unjudged = std::nullopt;
    IsSameIndex is_same_index = {};  // for perform_undo

    bool is_empty() const noexcept { return changes.empty() && conflicts.empty(); }
};

// `seal_on`: as of Rewinder.
Outcome<UndoPlan> plan_undo(int workspace, const Timeline& timeline, const UndoTarget& target,
                            const SealOn& seal_on = {});

struct UndoResult {
    std::string session;  // of the undo; empty: it changed nothing
    Changes changes = {};
    std::string failed_path = {};                   // where it stopped half way
    std::optional<Failure> failure = std::nullopt;  // why
};

// Plans again while nobody else may change anything, and does it if the plan is the same. Errors:
// race if it is not; those of the file system before anything was changed.
Outcome<UndoResult> perform_undo(int workspace, const UndoPlan& plan, const std::string& client);

// Performing the steps of an undo on the disk.
// With a Turn of the journal held. Stops at the first step that fails; what was done until then is
// in the journal.
UndoResult perform_steps(int workspace, const Timeline& timeline, Journal& journal,
                         const UndoPlan& plan);

}  // namespace paddock::journal
