// Root: what only looks.
#include <paddock/root.h>

#include <fcntl.h>

#include <cerrno>

#include "fs/path_walk.h"
#include "fs/readable.h"
#include "fs/report.h"
#include "fs/resolver.h"
#include "fs/tree.h"
#include "sys/name.h"

namespace paddock {
namespace {

using fs::RelPath;
using fs::RootState;

Outcome<Stat> stat_of(const RootState& state, const RelPath& path) {
    PADDOCK_ASSIGN(fd, fs::open_object(state, path, O_PATH));
    return sys::fstat(fd.get());
}

}  // namespace

Result<std::string> Root::read_file(std::string_view path, std::uint64_t bytes_max) const {
    return fs::report("read", *state_, path, [&](const RelPath& at) -> Outcome<std::string> {
        PADDOCK_ASSIGN(file, fs::open_readable(*state_, at));
        return fs::read_content(file.fd(), file.stat().size, bytes_max);
    });
}

Result<Handle> Root::open_directory(std::string_view path) const {
    return fs::report("open directory", *state_, path, [&](const RelPath& at) -> Outcome<Handle> {
        PADDOCK_ASSIGN(fd, fs::open_object(*state_, at, O_PATH | O_DIRECTORY));
        PADDOCK_ASSIGN(stat, sys::fstat(fd.get()));
        return Handle(std::move(fd), stat);
    });
}

Result<Listing> Root::list(std::string_view path, std::size_t entries_max) const {
    return fs::report("list", *state_, path, [&](const RelPath& at) -> Outcome<Listing> {
        PADDOCK_ASSIGN(fd, fs::open_listing(*state_, at));
        return fs::list_entries(fd.get(), entries_max);
    });
}

Status Root::walk(std::string_view path, const WalkVisitor& visitor) const {
    return fs::report("walk", *state_, path, [&](const RelPath& at) -> Done {
        PADDOCK_ASSIGN(fd, fs::open_listing(*state_, at));
        if (!visitor) return refuse(Code::kInvalidArgument, "there is no visitor");
        return fs::walk_tree(*state_, fd.get(), at.text, visitor);
    });
}

Result<LinkTarget> Root::readlink(std::string_view path) const {
    return fs::report("readlink", *state_, path, [&](const RelPath& at) -> Outcome<LinkTarget> {
        PADDOCK_ASSIGN(place, fs::locate_name(*state_, at));
        if (!place.node) return refuse(Code::kNotFound);
        if (place.node->stat.type != FileType::kSymlink) {
            return refuse(Code::kInvalidArgument, "is not a symbolic link");
        }
        PADDOCK_ASSIGN(text, sys::readlinkat(place.directory, place.c_name()));
        const auto end = fs::walk_settled(*state_, at, state_->symlinks);
        const bool hidden = !end && end.error().os_error == EACCES;
        if (!end && !hidden && !fs::says_where(end.error())) return end.error();
        return LinkTarget{std::move(text), !end && end.error().code == Code::kPathEscape};
    });
}

Result<Stat> Root::lstat(std::string_view path) const {
    return fs::report("lstat", *state_, path, [&](const RelPath& at) -> Outcome<Stat> {
        if (at.is_root() || at.ends_in_dots) return stat_of(*state_, at);
        PADDOCK_ASSIGN(place, fs::locate_name(*state_, at));
        if (!place.node) return refuse(Code::kNotFound);
        return place.node->stat;
    });
}

Result<Stat> Root::stat(std::string_view path) const {
    return fs::report("stat", *state_, path,
                      [&](const RelPath& at) { return stat_of(*state_, at); });
}

Result<bool> Root::exists(std::string_view path) const {
    const auto found = stat(path);
    if (found) return true;
    if (found.error().code == Code::kNotFound) return false;
    return found.error();
}

}  // namespace paddock
