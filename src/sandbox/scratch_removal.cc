// However deep it goes, three descriptors and no recursion are enough: a directory in the scratch
// directory is emptied by moving the directories in it up beside it, where their turn comes.
#include "sandbox/scratch_removal.h"

#include <fcntl.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstring>

#include <paddock/limits.h>

#include "sys/files.h"

namespace paddock::sandbox {
namespace {

// A command may have taken its own permissions away.
Outcome<UniqueFd> open_directory(int parent, const char* name) {
    constexpr int kFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW;
    auto directory = sys::openat(parent, name, kFlags);
    if (!directory && directory.error().os_error == EACCES) {
        PADDOCK_ASSIGN(held, sys::openat(parent, name, O_PATH | O_DIRECTORY | O_NOFOLLOW));
        PADDOCK_TRY(sys::chmod_path_fd(held.get(), 0700));
        directory = sys::openat(parent, name, kFlags);
    }
    if (directory) PADDOCK_TRY(sys::fchmod(directory->get(), 0700));
    return directory;
}

// False: it is a directory with something in it.
Outcome<bool> remove_name(int directory, const char* name) {
    const auto file = sys::unlinkat(directory, name, sys::Unlink::kFile);
    if (file) return true;
    const int error = file.error().os_error;
    if (error != EISDIR && error != EPERM) return file.error();
    const auto empty = sys::unlinkat(directory, name, sys::Unlink::kDirectory);
    if (empty) return true;
    if (empty.error().os_error == ENOTEMPTY) return false;
    return empty.error();
}

class ScratchRemoval {
public:
    ScratchRemoval(int top, sys::DirReader& reader) : top_(top), reader_(reader) {}

    // One pass, which may miss something, since names come and go while they are read. False: there
    // was nothing to be done.
    Outcome<bool> remove_some();

private:
    using Name = std::array<char, limits::kComponentBytesMax + 1>;

    Done remove_directory(Name name);
    Outcome<bool> empty(const Name& name);
    Done move_up(int directory, const char* name);
    Done read_from(int directory, std::int64_t position);

    const int top_;
    sys::DirReader& reader_;
    unsigned long moves_ = 0;
    Name moved_{};  // the last one, as it is called now
};

Done ScratchRemoval::read_from(int directory, std::int64_t position) {
    reader_.reset();
    return sys::seek_entry(directory, position);
}

Outcome<bool> ScratchRemoval::remove_some() {
    PADDOCK_TRY(read_from(top_, 0));
    for (bool acted = false;; acted = true) {
        PADDOCK_ASSIGN(entry, reader_.next(top_));
        if (entry == nullptr) return acted;
        PADDOCK_ASSIGN(gone, remove_name(top_, entry->name));
        if (gone) continue;
        const std::int64_t next = entry->next;
        Name name{};
        std::strncpy(name.data(), entry->name, name.size() - 1);
        PADDOCK_TRY(remove_directory(name));
        PADDOCK_TRY(read_from(top_, next));
    }
}

// And then what was moved up last, so that a chain takes one pass.
Done ScratchRemoval::remove_directory(Name name) {
    for (bool has_more = true; has_more; name = moved_) {
        PADDOCK_ASSIGN(moved, empty(name));
        PADDOCK_TRY(remove_name(top_, name.data()));
        has_more = moved;
    }
    return {};
}

// True if something was moved up.
Outcome<bool> ScratchRemoval::empty(const Name& name) {
    PADDOCK_ASSIGN(directory, open_directory(top_, name.data()));
    PADDOCK_TRY(read_from(directory.get(), 0));
    for (bool moved = false;;) {
        PADDOCK_ASSIGN(entry, reader_.next(directory.get()));
        if (entry == nullptr) return moved;
        PADDOCK_ASSIGN(gone, remove_name(directory.get(), entry->name));
        if (gone) continue;
        PADDOCK_TRY(move_up(directory.get(), entry->name));
        moved = true;
    }
}

Done ScratchRemoval::move_up(int directory, const char* name) {
    // To change its parent it has to be writable.
    PADDOCK_TRY(open_directory(directory, name));
    for (;;) {
        moved_ = {};
        std::to_chars(moved_.data(), moved_.data() + moved_.size() - 1, moves_++);
        const auto moved =
            sys::renameat2(directory, name, top_, moved_.data(), sys::Rename::kNoReplace);
        if (moved || moved.error().os_error != EEXIST) return moved;
    }
}

// Whoever still writes there must not keep the caller.
constexpr int kPassesMax = 1000;

}  // namespace

Done remove_scratch(const char* parent, const char* name, sys::DirReader& reader) {
    PADDOCK_ASSIGN(held, sys::openat(AT_FDCWD, parent, O_PATH | O_DIRECTORY));
    PADDOCK_ASSIGN(top, open_directory(held.get(), name));
    ScratchRemoval removal(top.get(), reader);
    for (int pass = 0; pass < kPassesMax; ++pass) {
        PADDOCK_ASSIGN(acted, removal.remove_some());
        const auto removed = sys::unlinkat(held.get(), name, sys::Unlink::kDirectory);
        if (removed || removed.error().os_error != ENOTEMPTY || !acted) return removed;
    }
    return Failure::from_errno(ENOTEMPTY);
}

Done empty_scratch(int directory, sys::DirReader& reader) {
    PADDOCK_ASSIGN(top, open_directory(directory, "."));
    ScratchRemoval removal(top.get(), reader);
    for (int pass = 0; pass < kPassesMax; ++pass) {
        PADDOCK_ASSIGN(acted, removal.remove_some());
        if (!acted) return {};
    }
    return Failure::from_errno(ENOTEMPTY);
}

}  // namespace paddock::sandbox
