#include "journal/keep.h"

#include <fcntl.h>

#include <cerrno>
#include <utility>

#include <paddock/limits.h>
#include <paddock/unique_fd.h>

#include "fs/copy.h"
#include "sys/attr.h"
#include "sys/io.h"
#include "sys/name.h"
#include "sys/open.h"
#include "sys/stat.h"

namespace paddock::journal {
namespace {

Outcome<Keeping> kept_none_of(const Failure& failure) {
    if (is_no_room(failure)) return Keeping::kNone;
    return failure;
}

}  // namespace

Done copy_file(int from, std::uint64_t size, int to) {
    if (sys::clone_content(from, to)) return {};
    auto copied = fs::copy_content(from, size, to);
    PADDOCK_TRY(sys::seek(from, 0));
    return copied;
}

Outcome<UniqueFd> open_whatever_its_mode(const Name& name, const Stat& stat, int access) {
    const int flags = access | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
    auto file = sys::openat(name.directory, name.leaf, flags);
    const bool is_closed = !file && file.error().os_error == EACCES;
    if (!is_closed || stat.type != FileType::kRegular) return file;
    PADDOCK_TRY(sys::chmodat(name.directory, name.leaf, stat.mode | 0600U));
    file = sys::openat(name.directory, name.leaf, flags);
    (void)sys::chmodat(name.directory, name.leaf, stat.mode);
    return file;
}

bool is_no_room(const Failure& failure) noexcept {
    return failure.os_error == ENOSPC || failure.os_error == EDQUOT || failure.os_error == EFBIG;
}

bool cannot_be_moved(const Failure& failure) noexcept {
    return is_no_room(failure) || failure.os_error == EXDEV || failure.os_error == EMLINK;
}

Done move_to_free_name(int directory, const char* name, int to_directory, const char* to) {
    auto moved = sys::renameat2(directory, name, to_directory, to, sys::Rename::kNoReplace);
    if (moved || moved.error().os_error != EINVAL) return moved;
    // Some file systems do not know that.
    if (sys::node_at(to_directory, to)) return Failure::from_errno(EEXIST);
    return sys::renameat2(directory, name, to_directory, to, sys::Rename::kReplace);
}

const std::string& Keeper::next_name() {
    name_ = letter_;
    name_ += std::to_string(++count_);
    return name_;
}

Outcome<Keeping> Keeper::keep_inode(int kept, const Name& name, const Stat& stat) {
    const auto linked = sys::linkat(name.directory, name.leaf, kept, next_name().c_str());
    if (linked) return Keeping::kInode;
    // It has too many links, or is protected from them, or the file system has none.
    if (stat.type == FileType::kRegular) return keep_copy(kept, name, -1, stat);
    return kept_none_of(linked.error());
}

Outcome<Keeping> Keeper::keep_copy(int kept, const Name& name, int file, const Stat& stat) {
    next_name();
    if (stat.size > limits::kJournalCopyBytesMax) return Keeping::kNone;
    UniqueFd opened;
    if (file < 0) {
        PADDOCK_ASSIGN(own, open_whatever_its_mode(name, stat, O_RDONLY));
        PADDOCK_ASSIGN(found, sys::fstat(own.get()));
        if (found.identity != stat.identity) return refuse(Code::kRace, {}, ESTALE);
        opened = std::move(own);
        file = opened.get();
    }
    constexpr int kNew = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW;
    const auto copy = sys::openat(kept, name_.c_str(), kNew, 0600);
    if (!copy) return kept_none_of(copy.error());
    const Done copied = copy_file(file, stat.size, copy->get());
    if (copied) return Keeping::kCopy;
    (void)sys::unlinkat(kept, name_.c_str(), sys::Unlink::kFile);
    return kept_none_of(copied.error());
}

}  // namespace paddock::journal
