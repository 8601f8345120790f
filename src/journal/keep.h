// Putting what a change takes away into a session's "kept": the inode itself where a link to it can
// be made, else a copy of its content. Names there are a letter for the process and a number.
//
// kNone: it is too large, or there is no room; the change goes on and cannot be undone. Whatever
// else keeps it from being kept is an error, and the change is not made: who can cause it would
// change files beyond undo. Nothing waits: only regular files are opened.
#pragma once

#include <cstdint>
#include <string>

#include <paddock/handle.h>
#include <paddock/unique_fd.h>

#include "base/outcome.h"
#include "journal/journal.h"
#include "journal/record.h"

namespace paddock::journal {

// The journal has no place for it: the change goes on and cannot be undone.
bool is_no_room(const Failure& failure) noexcept;
// A file that cannot be moved into the journal although its name can be taken away.
bool cannot_be_moved(const Failure& failure) noexcept;

// Renames to a name that is not taken.
Done move_to_free_name(int directory, const char* name, int to_directory, const char* to);

// A file of the user's own whose mode forbids it: the mode is another one for a moment. Otherwise
// whoever closes a file before changing it would do so beyond undo. `access`: O_RDONLY or O_RDWR.
Outcome<UniqueFd> open_whatever_its_mode(const Name& name, const Stat& stat, int access);

class Keeper {
public:
    explicit Keeper(char letter) noexcept : letter_(letter) {}

    // Of the last thing that was kept; valid until the next.
    const std::string& name() const noexcept { return name_; }
    const std::string& next_name();

    // Another name for what is at `name`, in the directory `kept`.
    Outcome<Keeping> keep_inode(int kept, const Name& name, const Stat& stat);

    // `file`: as of Journal::will_write.
    Outcome<Keeping> keep_copy(int kept, const Name& name, int file, const Stat& stat);

private:
    char letter_;
    std::uint64_t count_ = 0;
    std::string name_;
};

// The content of `from` becomes that of the empty file `to`, shared on the disk where it can be.
// `from` is at its start afterwards.
Done copy_file(int from, std::uint64_t size, int to);

}  // namespace paddock::journal
