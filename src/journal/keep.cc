#include "journal/keep.h"

#include <fcntl.h>

#include <cerrno>
#include <utility>

#include <paddock/limits.h>
#include <paddock/unique_fd.h>

#include "fs/copy.h"
#include "sys/io.h"
#include "sys/name.h"
#include "sys/open.h"
#include "sys/stat.h"

namespace paddock::journal {

Done copy_file(int from, std::uint64_t size, int to) {
    if (sys::clone_content(from, to)) return {};
    auto copied = fs::copy_content(from, size, to);
    PADDOCK_TRY(sys::seek(from, 0));
    return copied;
}

bool is_no_room(const Failure& failure) noexcept {
    return failure.os_error == ENOSPC || failure.os_error == EDQUOT || failure.os_error == EFBIG;
}

bool cannot_be_moved(const Failure& failure) noexcept {
    return is_no_room(failure) || failure.os_error == EXDEV || failure.os_error == EMLINK;
}

const std::string& Keeper::next_name() {
    name_ = letter_;
    name_ += std::to_string(++count_);
    return name_;
}

Keeping Keeper::keep_inode(int kept, const Name& name, const Stat& stat) {
    if (sys::linkat(name.directory, name.leaf, kept, next_name().c_str())) return Keeping::kInode;
    // It has too many links, or is protected from them, or the file system has none.
    return stat.type == FileType::kRegular ? keep_copy(kept, name, -1, stat) : Keeping::kNone;
}

Keeping Keeper::keep_copy(int kept, const Name& name, int file, const Stat& stat) {
    next_name();
    if (stat.size > limits::kJournalCopyBytesMax) return Keeping::kNone;
    UniqueFd opened;
    if (file < 0) {
        constexpr int kRead = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
        auto own = sys::openat(name.directory, name.leaf, kRead);
        if (!own) return Keeping::kNone;
        const auto found = sys::fstat(own->get());
        if (!found || found->identity != stat.identity) return Keeping::kNone;
        opened = std::move(*own);
        file = opened.get();
    }
    constexpr int kNew = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW;
    const auto copy = sys::openat(kept, name_.c_str(), kNew, 0600);
    if (!copy) return Keeping::kNone;
    if (copy_file(file, stat.size, copy->get())) return Keeping::kCopy;
    (void)sys::unlinkat(kept, name_.c_str(), sys::Unlink::kFile);
    return Keeping::kNone;
}

}  // namespace paddock::journal
