// Open objects and what is known of them.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <paddock/error.h>
#include <paddock/unique_fd.h>

namespace paddock {

// Permission bits 0 to 0777. Setuid, setgid and sticky are refused wherever a Mode is taken.
using Mode = std::uint32_t;

struct Identity {
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    friend bool operator==(const Identity&, const Identity&) = default;
};

enum class FileType : std::uint8_t {
    kUnknown,
    kRegular,
    kDirectory,
    kSymlink,
    kFifo,
    kSocket,
    kCharDevice,
    kBlockDevice,
};

// "file", "directory", "symlink", ...
std::string_view file_type_name(FileType type) noexcept;

struct Stat {
    FileType type = FileType::kUnknown;
    std::uint32_t mode = 0;  // permission bits with setuid, setgid and sticky
    std::uint32_t uid = 0;
    std::uint32_t gid = 0;
    std::uint64_t size = 0;
    std::uint64_t allocated = 0;  // bytes on the disk: less than its size where it has holes
    std::uint64_t links = 0;  // more than 1 on a file: it may have a name outside too
    Identity identity;
    std::chrono::nanoseconds accessed{};
    std::chrono::nanoseconds modified{};
    std::chrono::nanoseconds changed{};
    // Of the object, not of its content; 0 where it is not known. A file that was removed and one
    // that took over its inode number differ in this.
    std::chrono::nanoseconds created{};
};

// Not only of equal identity, which may be that of another object by now. False if that cannot be
// told: the time of creation is not known, and something has changed.
inline bool is_same_object(const Stat& a, const Stat& b) noexcept {
    const bool known = a.created.count() != 0 || a.changed == b.changed;
    return known && a.identity == b.identity && a.type == b.type && a.created == b.created;
}

// The same object, and nobody has written to it since, as far as its size and the time of its
// modification tell.
inline bool is_unwritten(const Stat& now, const Stat& then) noexcept {
    return now.identity == then.identity && now.size == then.size && now.modified == then.modified;
}

// An object that was reached through a Root; owns its descriptor. Movable, one thread at a time.
class Handle {
public:
    Handle(UniqueFd fd, const Stat& stat) noexcept : fd_(std::move(fd)), stat_(stat) {}

    int fd() const noexcept { return fd_.get(); }
    const Stat& stat() const noexcept { return stat_; }  // as it was when opened
    UniqueFd release() && noexcept { return std::move(fd_); }

private:
    UniqueFd fd_;
    Stat stat_;
};

// A private file with a generated name. The destructor removes the name unless keep() was called.
class TempFile {
public:
    TempFile(UniqueFd directory, std::string name, std::string path, UniqueFd file) noexcept;
    TempFile(TempFile&&) noexcept = default;
    TempFile(const TempFile&) = delete;
    TempFile& operator=(const TempFile&) = delete;
    TempFile& operator=(TempFile&&) = delete;
    ~TempFile();

    int fd() const noexcept { return file_.get(); }
    const std::string& path() const noexcept { return path_; }  // relative to the root
    void keep() noexcept { directory_.reset(); }

private:
    UniqueFd directory_;
    std::string name_;
    std::string path_;
    UniqueFd file_;
};

}  // namespace paddock
