// Root: what only looks.
#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>

#include <paddock/root.h>

#include "fs/procfs.h"
#include "fs/readable.h"
#include "fs/replace.h"
#include "fs/report.h"
#include "fs/resolver.h"
#include "fs/tree.h"
#include "sys/files.h"
#include "sys/io.h"

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

// Root: what changes files and directories.
namespace {

using fs::Place;

constexpr unsigned kSetIdBits = 06000;

Failure no_create() {
    return refuse(Code::kReadOnly, "nothing new may be created through this handle");
}

Done check_mode(const std::optional<Mode>& mode) {
    if (mode && (*mode & ~0777U) != 0) {
        return refuse(Code::kInvalidArgument, "the mode has bits other than permissions");
    }
    return {};
}

// Where a regular file is or would be.
Outcome<Place> locate_file(const RootState& state, const RelPath& path) {
    PADDOCK_ASSIGN(place, fs::locate_target(state, path));
    const bool is_directory = !place.node || place.node->stat.type == FileType::kDirectory;
    if (path.must_be_directory) {
        return refuse(is_directory ? Code::kIsADirectory : Code::kNotADirectory);
    }
    if (place.node && is_directory) return refuse(Code::kIsADirectory);
    if (place.node && place.node->stat.type != FileType::kRegular) {
        return refuse(Code::kNotRegularFile);
    }
    return std::move(place);
}

// A link takes a name too, wherever it leads.
Done check_free(const RootState& state, const RelPath& path) {
    PADDOCK_ASSIGN(place, fs::locate_name(state, path));
    return place.node ? Done(refuse(Code::kAlreadyExists)) : Done();
}

Done check_options(const OpenOptions& options) {
    const bool writes = options.write || options.append;
    const auto bad = [](std::string_view why) { return refuse(Code::kInvalidArgument, why); };
    if (!writes && !options.read) return bad("asks for neither reading nor writing");
    if (!writes && (options.truncate || options.create))
        return bad("asks for a change without write access");
    if (options.exclusive && !options.create) return bad("exclusive needs create");
    if (options.append && options.truncate) return bad("append and truncate exclude each other");
    return check_mode(options.mode);
}

int access_flags(const OpenOptions& options) {
    return (options.read ? O_RDWR : O_WRONLY) | (options.append ? O_APPEND : 0) | O_NOFOLLOW |
           fs::kNoWait;
}

Outcome<UniqueFd> create_file(const Place& place, const OpenOptions& options) {
    const mode_t mode = options.mode.value_or(0666);
    auto fd = sys::openat(place.directory, place.c_name(), access_flags(options) | O_CREAT | O_EXCL,
                          mode);
    if (!fd && fd.error().os_error == EEXIST && !options.exclusive) return refuse(Code::kRace);
    if (!fd || !options.mode) return fd;
    const auto exact = sys::fchmod(fd->get(), *options.mode);
    if (exact) return fd;
    (void)sys::unlinkat(place.directory, place.c_name(), sys::Unlink::kFile);
    return exact.error();
}

// The name was looked at before; what is opened under it now is looked at again.
Outcome<UniqueFd> open_in_place(const RootState& state, const Place& place,
                                const OpenOptions& options) {
    PADDOCK_TRY(fs::check_changeable(place.node->stat));
    PADDOCK_TRY(fs::check_writable(place));
    auto fd = sys::openat(place.directory, place.c_name(), access_flags(options));
    if (!fd) {
        const int error = fd.error().os_error;
        return error == ELOOP || error == ENOENT ? refuse(Code::kRace) : fd.error();
    }
    PADDOCK_ASSIGN(node, sys::node(fd->get()));
    if (!state.may_enter(node.mount)) return refuse(Code::kMountCrossing);
    PADDOCK_TRY(fs::check_same_names(place.node->stat, node.stat));
    PADDOCK_TRY(fs::check_changeable(node.stat));
    const auto named = sys::node_at(place.directory, place.c_name());
    if (!named) return named.error().os_error == ENOENT ? refuse(Code::kRace) : named.error();
    PADDOCK_TRY(fs::check_same_names(node.stat, named->stat));
    if ((node.stat.mode & kSetIdBits) != 0) {
        PADDOCK_TRY(sys::fchmod(fd->get(), node.stat.mode & ~kSetIdBits));
    }
    if (options.truncate) PADDOCK_TRY(sys::truncate(fd->get(), 0));
    return fd;
}

Outcome<UniqueFd> open_for_writing(const RootState& state, const RelPath& path,
                                   const OpenOptions& options, bool may_create) {
    if (options.exclusive) PADDOCK_TRY(check_free(state, path));
    PADDOCK_ASSIGN(place, locate_file(state, path));
    if (place.node && options.exclusive) return refuse(Code::kAlreadyExists);
    if (place.node) return open_in_place(state, place, options);
    if (!options.create) return refuse(Code::kNotFound);
    if (!may_create) return no_create();
    return create_file(place, options);
}

Outcome<Handle> open_writable(const RootState& state, const RelPath& path,
                              const OpenOptions& options, bool may_create) {
    return fs::retried([&]() -> Outcome<Handle> {
        PADDOCK_ASSIGN(fd, open_for_writing(state, path, options, may_create));
        PADDOCK_ASSIGN(stat, sys::fstat(fd.get()));
        return Handle(std::move(fd), stat);
    });
}

// The exact permissions; a setgid bit that came from the parent stays.
Done set_mode(const fs::ChildDirectory& directory, const std::optional<Mode>& mode) {
    if (!mode) return {};
    return fs::chmod_pinned(directory.fd.get(), *mode | (directory.node.stat.mode & S_ISGID));
}

Done make_child(const RootState& state, UniqueFd& directory, const std::string& name,
                const std::optional<Mode>& mode) {
    const auto made = sys::mkdirat(directory.get(), name.c_str(), mode.value_or(0777));
    if (!made && made.error().os_error != EEXIST) return made.error();
    auto child = fs::open_child(state, directory.get(), name.c_str(), O_PATH);
    if (!child) {
        return child.error().os_error == ENOENT ? refuse(Code::kRace) : child.error();
    }
    if (made) PADDOCK_TRY(set_mode(*child, mode));
    directory = std::move(child->fd);
    return {};
}

Done make_directories(const RootState& state, const RelPath& path, const std::optional<Mode>& mode,
                      bool may_create) {
    return fs::retried([&]() -> Done {
        auto existing = fs::open_object(state, path, O_PATH | O_DIRECTORY);
        if (existing) return {};
        if (existing.error().code != Code::kNotFound) return existing.error();
        if (!may_create) return no_create();
        PADDOCK_ASSIGN(end, fs::walk_settled(state, path, state.symlinks));
        if (end.node) return refuse(Code::kRace);
        if (end.by_link) return refuse(Code::kNotFound, "is a dangling link", ENOENT);
        const std::string names = end.missing.empty() ? end.name : end.name + '/' + end.missing;
        PADDOCK_ASSIGN(directory, end.directories.take_top());
        std::string_view rest = names;
        for (auto name = fs::take_component(rest); !name.empty(); name = fs::take_component(rest)) {
            PADDOCK_TRY(make_child(state, directory, std::string(name), mode));
        }
        return {};
    });
}

Outcome<Identity> write_through(const RootState& state, const RelPath& path,
                                const WriteOptions& options, bool may_create,
                                const fs::Fill& fill) {
    PADDOCK_TRY(check_mode(options.mode));
    if (options.make_parents && !path.parent().empty()) {
        RelPath parent;
        parent.text = path.parent();
        PADDOCK_TRY(make_directories(state, parent, {}, may_create));
    }
    std::optional<Handle> like;
    if (!options.like.empty()) {
        PADDOCK_ASSIGN(model, fs::parse_path(options.like, state.rules));
        PADDOCK_ASSIGN(opened, fs::open_readable(state, model));
        like = std::move(opened);
    }
    return fs::retried([&]() -> Outcome<Identity> {
        PADDOCK_ASSIGN(place, locate_file(state, path));
        if (options.must_create && place.by_link) return refuse(Code::kAlreadyExists);
        if (!place.node && !may_create) return no_create();
        return fs::replace_file(place, options, may_create, fill, like ? like->fd() : -1);
    });
}

}  // namespace

Result<Handle> Root::open_file(std::string_view path, const OpenOptions& options) const {
    return fs::report("open", *state_, path, [&](const RelPath& at) -> Outcome<Handle> {
        if (!options.write && !options.append && options.read && !options.create &&
            !options.truncate) {
            return fs::open_readable(*state_, at);
        }
        PADDOCK_TRY(check_options(options));
        if (!may_write()) return refuse(Code::kReadOnly);
        return open_writable(*state_, at, options, may_create());
    });
}

Result<Handle> Root::create(std::string_view path, std::optional<Mode> mode) const {
    return open_file(path, {.write = true, .truncate = true, .create = true, .mode = mode});
}

Result<Handle> Root::create_exclusive(std::string_view path, std::optional<Mode> mode) const {
    return open_file(path, {.write = true, .create = true, .exclusive = true, .mode = mode});
}

Status Root::write_file(std::string_view path, std::string_view content,
                        const WriteOptions& options) const {
    const auto written = put_file(path, content, options);
    return written ? Status() : Status(written.error());
}

Result<Identity> Root::put_file(std::string_view path, std::string_view content,
                                const WriteOptions& options) const {
    return fs::report("write", *state_, path, [&](const RelPath& at) -> Outcome<Identity> {
        if (!may_write()) return refuse(Code::kReadOnly);
        return write_through(*state_, at, options, may_create(),
                             [&](int fd) { return sys::write_all(fd, content); });
    });
}

Status Root::check_writable(std::string_view path) const {
    return fs::report("write", *state_, path, [&](const RelPath& at) -> Done {
        if (!may_write()) return refuse(Code::kReadOnly);
        PADDOCK_ASSIGN(place, locate_file(*state_, at));
        if (!place.node) return refuse(Code::kNotFound, {}, ENOENT);
        return fs::check_writable(place);
    });
}

Status Root::append_file(std::string_view path, std::string_view content) const {
    return fs::report("append", *state_, path, [&](const RelPath& at) -> Done {
        if (!may_write()) return refuse(Code::kReadOnly);
        OpenOptions options{.read = false, .append = true, .create = true, .mode = {}};
        PADDOCK_ASSIGN(file, open_writable(*state_, at, options, may_create()));
        return sys::write_all(file.fd(), content);
    });
}

Status Root::copy_file(std::string_view from, std::string_view to, bool replace,
                       const std::optional<Stat>& replaces, const std::stop_token& cancel) const {
    const auto source = open_file(from);
    if (!source) return source.error();
    return copy_file(*source, to, replace, replaces, cancel);
}

Status Root::copy_file(const Handle& from, std::string_view to, bool replace,
                       const std::optional<Stat>& replaces, const std::stop_token& cancel) const {
    return fs::report("copy to", *state_, to, [&](const RelPath& at) -> Done {
        if (!may_write()) return refuse(Code::kReadOnly);
        WriteOptions options;
        options.must_create = !replace;
        options.replaces = replaces;
        options.mode = from.stat().mode & 0777U;
        PADDOCK_TRY(write_through(*state_, at, options, may_create(), [&](int fd) {
            return fs::copy_content(from.fd(), from.stat().size, fd, cancel);
        }));
        return {};
    });
}

Result<TempFile> Root::temp_file(std::string_view directory) const {
    return fs::report("make temporary file", *state_, directory,
                      [&](const RelPath& at) -> Outcome<TempFile> {
                          if (!may_create()) return no_create();
                          PADDOCK_ASSIGN(fd, fs::open_object(*state_, at, O_PATH | O_DIRECTORY));
                          return fs::make_temp(fd.get(), at.text);
                      });
}

Status Root::mkdir(std::string_view path, std::optional<Mode> mode) const {
    return fs::report("mkdir", *state_, path, [&](const RelPath& at) -> Done {
        if (!may_create()) return no_create();
        PADDOCK_TRY(check_mode(mode));
        RelPath name = at;
        name.must_be_directory = false;
        PADDOCK_ASSIGN(place, fs::locate_name(*state_, name));
        if (place.node) return refuse(Code::kAlreadyExists, {}, EEXIST);
        PADDOCK_TRY(sys::mkdirat(place.directory, place.c_name(), mode.value_or(0777)));
        if (!mode) return {};
        const auto made = fs::open_child(*state_, place.directory, place.c_name(), O_PATH);
        const Done exact = made ? set_mode(*made, mode) : Done(made.error());
        if (!exact) {
            (void)sys::unlinkat(place.directory, place.c_name(), sys::Unlink::kDirectory);
        }
        return exact;
    });
}

Status Root::mkdir_all(std::string_view path, std::optional<Mode> mode) const {
    return fs::report("mkdir", *state_, path, [&](const RelPath& at) -> Done {
        if (!may_write()) return no_create();
        PADDOCK_TRY(check_mode(mode));
        return make_directories(*state_, at, mode, may_create());
    });
}

Status Root::chmod(std::string_view path, Mode mode) const {
    return fs::report("chmod", *state_, path, [&](const RelPath& at) -> Done {
        if (!may_write()) return refuse(Code::kReadOnly);
        PADDOCK_TRY(check_mode(mode));
        PADDOCK_ASSIGN(pinned, fs::pin_changeable(*state_, at));
        PADDOCK_ASSIGN(stat, sys::fstat(pinned.get()));
        const bool is_directory = stat.type == FileType::kDirectory;
        return fs::chmod_pinned(pinned.get(), mode | (is_directory ? stat.mode & S_ISGID : 0));
    });
}

Status Root::utimes(std::string_view path, const Times& times) const {
    return fs::report("utimes", *state_, path, [&](const RelPath& at) -> Done {
        if (!may_write()) return refuse(Code::kReadOnly);
        PADDOCK_ASSIGN(pinned, fs::pin_changeable(*state_, at));
        return sys::set_times(pinned.get(), times.accessed, times.modified);
    });
}

}  // namespace paddock
