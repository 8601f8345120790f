#include "sys/dir.h"

#include <dirent.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "sys/call.h"

namespace paddock::sys {
namespace {

// struct linux_dirent64 up to the name.
struct RawHeader {
    std::uint64_t inode;
    std::int64_t next;
    std::uint16_t size;
    std::uint8_t type;
};
constexpr std::size_t kNameOffset = 19;

FileType type_of(std::uint8_t type) {
    switch (type) {
        case DT_REG: return FileType::kRegular;
        case DT_DIR: return FileType::kDirectory;
        case DT_LNK: return FileType::kSymlink;
        case DT_FIFO: return FileType::kFifo;
        case DT_SOCK: return FileType::kSocket;
        case DT_CHR: return FileType::kCharDevice;
        case DT_BLK: return FileType::kBlockDevice;
        default: return FileType::kUnknown;
    }
}

bool is_dot_name(const char* name) {
    return std::strcmp(name, ".") == 0 || std::strcmp(name, "..") == 0;
}

}  // namespace

Outcome<const DirEntry*> DirReader::next(int fd) {
    for (;;) {
        if (position_ == filled_) {
            PADDOCK_ASSIGN(size, ask_kernel(Call::kGetdents, [&] {
                               return ::syscall(SYS_getdents64, fd, block_.get(), kBlockBytes);
                           }));
            if (size == 0) return nullptr;
            position_ = 0;
            filled_ = static_cast<std::size_t>(size);
        }
        RawHeader header;
        std::memcpy(&header, block_.get() + position_, kNameOffset);
        entry_.name = block_.get() + position_ + kNameOffset;
        entry_.type = type_of(header.type);
        entry_.next = header.next;
        position_ += header.size;
        if (!is_dot_name(entry_.name)) return &entry_;
    }
}

Done seek_entry(int fd, std::int64_t position) {
    return call(Call::kSeek, [&] { return ::lseek(fd, position, SEEK_SET); });
}

}  // namespace paddock::sys
