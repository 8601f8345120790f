// Changes to several files, worked out in memory and then made: all, or none.
//
// Each file is replaced atomically. If one cannot be, what was done before is taken back, and what
// cannot be (the disk has failed, somebody else has changed it meanwhile) is named. A file that was
// removed or renamed is the same one again, owner, attributes and other names included; one that
// was changed is a new one with the old content, owner and attributes, as after any write.
//
// A file may become a directory, and the reverse: what goes is set aside first, and the directories
// that it leaves empty are removed. One that is taken back is a new one with the old permissions.
//
// A killed process leaves each file old or new, and no content is lost that the changes keep.
// Making the same changes again completes them, but for files that take names of each other: those
// may have their names already, and one that was set aside for its heir may have no other name.
// Files that were set aside are left beside, as ".paddock-" and digits.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/files.h"

namespace paddock::tools {

// A file as the changes so far would leave it.
struct StagedFile {
    std::string path;                    // canonical
    std::optional<std::string> content;  // absent: there is no such file
    std::optional<Mode> mode;            // as it is, or as it is to be; less the umask if it is new
    std::string origin;                  // the file on disk that it takes after; empty: none
    std::optional<Error> obstacle{};     // why there can be none, unless that makes way
};

// As git sees a file: all that it knows of a mode.
bool is_executable(const StagedFile& file);

class ChangeSet {
public:
    explicit ChangeSet(const Files& files) : files_(files) {}

    // Asks the rules and the tracker, once for each file. The pointer stays valid. This and
    // write(): limit_reached, if more than limits::kPatchStagedBytesMax would be held.
    Result<const StagedFile*> look(std::string_view path);

    // As it is on disk.
    StagedFile original(const StagedFile& file) const;
    std::uint64_t names_of(const StagedFile& file) const;  // how many it has; 0: it is new
    // Of one with an obstacle: what has to make way.
    const std::string& blocker_of(const StagedFile& file) const;

    Result<void> write(const StagedFile& file, std::string content, std::optional<bool> executable);
    void remove(const StagedFile& file);
    // What the next write() of `to` is made of: it takes after that file, and is that file if
    // nothing of it was changed and it is to go.
    void derive(const StagedFile& to, const StagedFile& source, bool renames);

    // Can each file have its name, and does git obey what is to be made or taken away? commit()
    // asks before its first step.
    Result<void> check() const;
    Result<void> commit();

private:
    // In the order in which they are made.
    enum class Step : std::uint8_t {
        kMake,
        kSetAside,           // what is in the way of a new file: files,
        kRemoveDirectories,  // and directories
        kFill,               // makes or renames that file
        kExchange,
        kChange,
        kRename,
        kRemove
    };

    struct Entry {
        Change change;  // as it is on disk
        StagedFile staged;
        bool is_touched = false;
        bool renames = false;  // takes the place of its origin
        bool is_written = false;
        Entry* moved = nullptr;                  // the origin, while it has this name
        std::string moved_to{};                  // the name that it got by that
        std::string aside{};                     // its temporary name
        std::string blocked_by{};                // a file above it, or a directory in its place
        std::vector<std::string> directories{};  // that were made on the way
        std::vector<std::pair<std::string, Mode>> removed_directories{};
    };

    struct Action {
        Step step;
        Entry* entry;
        Entry* other = nullptr;  // to exchange with; to set aside: beside this one's name
    };

    // Texts of these sizes are about to be held, or no longer.
    Result<void> hold(std::uint64_t more, std::uint64_t less);
    StagedFile& touched(const StagedFile& file);
    Result<void> check_names() const;
    Result<void> check_name(const Entry& entry) const;
    // What lies below the path of the entry, and goes.
    std::vector<Entry*> leaving_below(const Entry& entry);
    bool leaves(const std::string& path) const;
    static const std::string& place_of(const Entry& entry);  // of the file that is on disk
    bool is_pure_rename(const Entry& entry) const;
    Step step_of(const Entry& entry) const;
    std::vector<Action> plan();
    // What has to be done before the entry gets its name. `cleared`: those that are set aside.
    void plan_clearing(Entry& entry, std::vector<Action>& actions, std::set<Entry*>& cleared);
    // The files that get new content, each before the one that it is made of.
    std::vector<Action> plan_changes(const std::vector<Entry*>& changed) const;
    Result<void> make(const Action& action, bool is_last);
    Result<void> make_new(Entry& entry);
    Result<void> set_aside(Entry& entry, const std::string& beside);
    Result<void> remove_directories(Entry& entry);
    Result<void> restore_directories(Entry& entry);
    Result<void> exchange(Entry& one, Entry& other, bool is_back);
    Result<void> take_back(const Action& action);
    // The last first. The paths that could not be, as they are shown.
    std::string take_back_all(std::span<const Action> made);

    const Files& files_;
    std::uint64_t held_bytes_ = 0;                       // of all texts in entries_
    std::map<std::string, Entry, std::less<>> entries_;  // by canonical path
    std::map<std::string, Entry*, std::less<>> looked_;  // by the path that was given
    std::vector<std::string> order_;                     // in which they were touched
};

}  // namespace paddock::tools
