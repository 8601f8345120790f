#include "fs/replace.h"

#include <fcntl.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include <paddock/limits.h>

#include "sys/files.h"
#include "sys/io.h"

namespace paddock::fs {
namespace {

// Tries for an unused temporary name of 64 random bits; more than one is already an attack.
constexpr int kTempNameTriesMax = 64;

constexpr std::chrono::milliseconds kPause{1};

// NFS locks nothing that is not open for writing, and a directory never is.
bool gives_no_locks(int error) {
    return error == EOPNOTSUPP || error == ENOSYS || error == ENOLCK || error == EBADF;
}

}  // namespace

Outcome<DirectoryLock> DirectoryLock::take(int directory) {
    auto fd = sys::openat(directory, ".", O_RDONLY | O_DIRECTORY);
    if (!fd && fd.error().os_error == EACCES) return DirectoryLock(UniqueFd());
    if (!fd) return fd.error();
    using Clock = std::chrono::steady_clock;
    const auto deadline = Clock::now() + limits::kDirectoryLockDeadline;
    for (;;) {
        const auto locked = sys::try_lock_file(fd->get(), sys::FileLock::kAlone);
        if (locked) return DirectoryLock(std::move(*fd));
        const int error = locked.error().os_error;
        if (gives_no_locks(error)) return DirectoryLock(UniqueFd());
        if (error != EWOULDBLOCK) return locked.error();
        if (Clock::now() >= deadline) {
            return refuse(Code::kRace, "another program holds a lock on its directory", EAGAIN);
        }
        std::this_thread::sleep_for(kPause);
    }
}

// A child that this process made meanwhile has the descriptor too.
DirectoryLock::~DirectoryLock() {
    if (fd_.valid()) (void)sys::lock_file(fd_.get(), sys::FileLock::kNone);
}

namespace {

constexpr char kAcl[] = "system.posix_acl_access";
constexpr unsigned kAnyWriteBit = 0222;
constexpr unsigned kKeptModeBits = 01777;  // setuid and setgid never survive new content

// Privileges and signatures belong to the old bytes.
bool is_bound_to_content(std::string_view name) {
    return name == "security.capability" || name == "security.ima" || name == "security.evm";
}

// Labels that only the system may set; the new file got its own.
bool is_system_label(std::string_view name) {
    return name.starts_with("security.") || name.starts_with("trusted.");
}

// A directory's default ACL is for new files; an old one that had none gets none. Looked for first:
// removing what is not there is still a change that has to go to the disk.
Done drop_inherited_acl(int fd) {
    const auto inherited = sys::get_xattr(fd, kAcl);
    if (!inherited && inherited.error().os_error == ENODATA) return {};
    const auto dropped = sys::remove_xattr(fd, kAcl);
    const int error = dropped ? 0 : dropped.error().os_error;
    if (error == ENODATA || error == EOPNOTSUPP) return {};
    return dropped;
}

Done copy_xattrs(int from, int to) {
    PADDOCK_TRY(drop_inherited_acl(to));
    PADDOCK_ASSIGN(names, sys::list_xattrs(from));
    std::string_view rest = names;
    while (!rest.empty()) {
        const std::string_view name = rest.substr(0, rest.find('\0'));
        rest.remove_prefix(name.size() + 1);
        if (is_bound_to_content(name)) continue;
        const auto value = sys::get_xattr(from, name.data());
        if (!value && is_system_label(name)) continue;
        if (!value) return value.error();
        const auto copied = sys::set_xattr(to, name.data(), *value);
        if (!copied && !is_system_label(name)) return copied.error();
    }
    return {};
}

// The name was looked at before: gone, or a link by now, means that it has to be looked at again.
Failure since_looked_at(const Failure& failure) {
    const bool changed = failure.os_error == ENOENT || failure.os_error == ELOOP;
    return changed ? refuse(Code::kRace, {}, failure.os_error) : failure;
}

// `made` is what the new file is so far.
Done inherit(int old, const Stat& before, int fd, const Stat& made, Mode mode) {
    if (before.uid != made.uid || before.gid != made.gid) {
        auto owned = sys::fchown(fd, before.uid, before.gid);
        if (!owned) {
            return refuse(Code::kPermissionDenied,
                          before.uid == made.uid ? "its group could not be kept"
                                                 : "its owner could not be kept",
                          EPERM);
        }
    }
    PADDOCK_TRY(copy_xattrs(old, fd));
    return sys::fchmod(fd, mode);
}

Done take_after(const Place& place, int fd, const Stat& made, const WriteOptions& options) {
    auto old = sys::openat(place.directory, place.c_name(), O_RDONLY | O_NOFOLLOW | kNoWait);
    if (!old && old.error().os_error == EACCES) {
        return refuse(Code::kPermissionDenied, "its extended attributes could not be kept", EACCES);
    }
    if (!old) return since_looked_at(old.error());
    PADDOCK_ASSIGN(before, sys::fstat(old->get()));
    if (before.identity != place.node->stat.identity) return refuse(Code::kRace);
    const bool gets_mode = options.mode_of_old && options.mode;
    return inherit(old->get(), before, fd, made,
                   gets_mode ? *options.mode : before.mode & kKeptModeBits);
}

Done take_after_model(int like, int fd, const Stat& made, const WriteOptions& options) {
    PADDOCK_ASSIGN(model, sys::fstat(like));
    const Mode mode = options.mode.value_or(model.mode & kKeptModeBits);
    const auto inherited = inherit(like, model, fd, made, mode);
    const bool is_refused = !inherited && inherited.error().code == Code::kPermissionDenied;
    return is_refused && options.like_is_optional ? sys::fchmod(fd, mode) : inherited;
}

// Held without memory that might be missing when the file has been made.
using TempName = std::array<char, 32>;

// A new file in a directory that somebody else holds. The destructor removes the name unless
// keep() was called, or somebody else's file came under it by an exchange that was not undone.
class Draft {
public:
    Draft(int directory, const TempName& name, UniqueFd file) noexcept
        : directory_(directory), name_(name), file_(std::move(file)) {}
    Draft(Draft&& other) noexcept
        : directory_(std::exchange(other.directory_, -1)),
          name_(other.name_),
          file_(std::move(other.file_)) {}
    Draft(const Draft&) = delete;
    Draft& operator=(const Draft&) = delete;
    Draft& operator=(Draft&&) = delete;
    ~Draft() {
        if (directory_ >= 0 && is_ours()) {
            (void)sys::unlinkat(directory_, name(), sys::Unlink::kFile);
        }
    }

    const char* name() const noexcept { return name_.data(); }
    int fd() const noexcept { return file_.get(); }
    UniqueFd keep() noexcept {
        directory_ = -1;
        return std::move(file_);
    }

private:
    bool is_ours() const noexcept {
        const auto own = sys::fstat(fd());
        const auto there = sys::node_at(directory_, name());
        return own && there && own->identity == there->stat.identity;
    }

    int directory_;
    TempName name_;
    UniqueFd file_;
};

// What a plain open(O_CREAT) would give, found without touching the process's umask: the kernel
// applies it, or the directory's default ACL, to a file made with 0666 or 0777.
Outcome<Draft> make_draft(int directory, mode_t mode) {
    for (int i = 0; i < kTempNameTriesMax; ++i) {
        PADDOCK_ASSIGN(number, sys::random_u64());
        TempName name{};
        (void)std::snprintf(name.data(), name.size(), ".paddock-%016llx",
                            static_cast<unsigned long long>(number));
        auto file =
            sys::openat(directory, name.data(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, mode);
        if (file) return Draft(directory, name, std::move(*file));
        if (file.error().os_error != EEXIST) return file.error();
    }
    return refuse(Code::kRace);
}

Done check_still_there(const Place& place, const char* name, const Stat& expected) {
    const auto now = sys::node_at(place.directory, name);
    if (!now && now.error().os_error != ENOENT) return now.error();
    return now && is_unwritten(now->stat, expected) ? Done() : Done(refuse(Code::kStaleRead));
}

// The new content has its name already: what cannot be removed beside it is no failure of that.
void drop_temporary(const Place& place, const char* name) {
    (void)sys::unlinkat(place.directory, name, sys::Unlink::kFile);
}

Done exchange(const Place& place, const char* temp) {
    return sys::renameat2(place.directory, temp, place.directory, place.c_name(),
                          sys::Rename::kExchange);
}

// The exchange brought out another file than the one to be replaced, which has to get its name
// back. `last` is what the name was given. If that is not what comes out now, somebody gave the
// name to a newer file in between: then that one gets it back, until nobody was in between. What
// stays is older than what has the name, or it is the new content.
Done give_back(const Place& place, const char* temp, Identity last) {
    for (int i = 0; i < kOperationRetriesMax; ++i) {
        const auto returned = sys::node_at(place.directory, temp);
        if (!returned) break;
        if (!exchange(place, temp)) {
            // The name may have gone meanwhile.
            (void)sys::renameat2(place.directory, temp, place.directory, place.c_name(),
                                 sys::Rename::kNoReplace);
            break;
        }
        const auto out = sys::node_at(place.directory, temp);
        if (!out) break;
        if (out->stat.identity == last) {
            drop_temporary(place, temp);
            break;
        }
        last = returned->stat.identity;
    }
    return refuse(Code::kStaleRead);
}

// The name may have gone since it was looked at; an exchange does not make it anew. And what comes
// out of it can still be looked at, so that nobody's last change is lost.
Done exchange_name(const Place& place, const char* name, const Identity& ours,
                   const WriteOptions& options) {
    if (auto exchanged = exchange(place, name); !exchanged) {
        return since_looked_at(exchanged.error());
    }
    if (options.replaces && !check_still_there(place, name, *options.replaces)) {
        return give_back(place, name, ours);
    }
    drop_temporary(place, name);
    return {};
}

// The file under the temporary name, `ours`, gets the name of the place.
Done take_name(const Place& place, const char* name, const Identity& ours,
               const WriteOptions& options, bool may_create) {
    if (!may_create || options.replaces) {
        auto exchanged = exchange_name(place, name, ours, options);
        if (exchanged || exchanged.error().os_error != EINVAL) return exchanged;
        // A file system without RENAME_EXCHANGE: the look before must do, where a name may be made.
        if (!may_create) {
            return refuse(Code::kNotAvailable, "the file system cannot exchange names", EINVAL);
        }
    }
    const auto how = place.node ? sys::Rename::kReplace : sys::Rename::kNoReplace;
    auto renamed = sys::renameat2(place.directory, name, place.directory, place.c_name(), how);
    if (renamed || place.node || renamed.error().os_error != EINVAL) return renamed;
    // A file system without RENAME_NOREPLACE: a link refuses an existing name as well.
    PADDOCK_TRY(sys::linkat(place.directory, name, place.directory, place.c_name()));
    drop_temporary(place, name);
    return {};
}

// Somebody may have put another file under the temporary name before it was renamed. A later writer
// looks the same; writing once more serves both. Not so if a certain file had to be replaced, or
// none: EAGAIN ends the retries.
Done check_taken(const Place& place, const Identity& ours, const WriteOptions& options) {
    const auto there = sys::node_at(place.directory, place.c_name());
    if (!there || there->stat.identity == ours) return {};
    const bool is_final = options.must_create || options.replaces;
    return refuse(Code::kRace, {}, is_final ? EAGAIN : 0);
}

// From the last look at the name until it is taken. `temp` is kept once it has its name.
Outcome<UniqueFd> install(const Place& place, Draft& temp, const Identity& ours,
                          const WriteOptions& options, bool may_create) {
    std::optional<DirectoryLock> lock;
    if (options.replaces) {
        PADDOCK_ASSIGN(held, lock_expected(place, *options.replaces));
        lock.emplace(std::move(held));
    }
    PADDOCK_TRY(take_name(place, temp.name(), ours, options, may_create));
    UniqueFd file = temp.keep();  // no other file gets its inode number meanwhile
    PADDOCK_TRY(check_taken(place, ours, options));
    return file;
}

}  // namespace

Outcome<DirectoryLock> lock_expected(const Place& place, const Stat& expected) {
    PADDOCK_ASSIGN(lock, DirectoryLock::take(place.directory));
    PADDOCK_TRY(check_still_there(place, place.c_name(), expected));
    return std::move(lock);
}

Outcome<TempFile> make_temp(int directory, const std::string& parent_path) {
    PADDOCK_ASSIGN(draft, make_draft(directory, 0600));
    PADDOCK_ASSIGN(own, sys::duplicate(directory));
    std::string name = draft.name();
    std::string path = parent_path.empty() ? name : parent_path + '/' + name;
    return TempFile(std::move(own), std::move(name), std::move(path), draft.keep());
}

Done check_writable(const Place& place) {
    const Failure denied = refuse(Code::kPermissionDenied, "is write-protected", EACCES);
    if ((place.node->stat.mode & kAnyWriteBit) == 0) return denied;
    const auto writable = sys::may_write_at(place.directory, place.c_name());
    if (writable) return {};
    const int error = writable.error().os_error;
    if (error == EACCES) return denied;
    if (error != ENOSYS && error != EPERM) return since_looked_at(writable.error());
    // faccessat2 is missing or hidden by a filter: opening asks the same of a regular file.
    const auto opened =
        sys::openat(place.directory, place.c_name(), O_WRONLY | O_NOFOLLOW | kNoWait);
    if (opened) return {};
    return opened.error().os_error == EACCES ? denied : since_looked_at(opened.error());
}

Outcome<Identity> replace_file(const Place& place, const WriteOptions& options, bool may_create,
                               const Fill& fill, int like) {
    if (place.node) {
        if (place.node->stat.type == FileType::kDirectory) return refuse(Code::kIsADirectory);
        if (place.node->stat.type != FileType::kRegular) return refuse(Code::kNotRegularFile);
        if (options.must_create) return refuse(Code::kAlreadyExists);
        PADDOCK_TRY(check_writable(place));
    }
    const bool is_exact = options.mode && !options.less_umask;
    const bool by_umask = !place.node && !is_exact && like < 0;
    PADDOCK_ASSIGN(temp,
                   make_draft(place.directory, by_umask ? options.mode.value_or(0666) : 0600));
    PADDOCK_TRY(fill(temp.fd()));
    const bool syncs = options.durability != Durability::kNone;
    if (syncs) sys::begin_sync(temp.fd());
    PADDOCK_ASSIGN(made, sys::fstat(temp.fd()));
    if (place.node) {
        PADDOCK_TRY(take_after(place, temp.fd(), made, options));
    } else if (like >= 0) {
        PADDOCK_TRY(take_after_model(like, temp.fd(), made, options));
    } else if (is_exact) {
        PADDOCK_TRY(sys::fchmod(temp.fd(), *options.mode));
    }
    if (syncs) PADDOCK_TRY(sys::sync_data(temp.fd()));
    UniqueFd synced;
    if (options.durability == Durability::kDirectory) {
        PADDOCK_ASSIGN(directory, sys::openat(place.directory, ".", O_RDONLY | O_DIRECTORY));
        synced = std::move(directory);
    }
    const auto file = install(place, temp, made.identity, options, may_create);
    if (!file && file.error().os_error == EEXIST && !options.must_create) {
        return refuse(Code::kRace, {}, EEXIST);
    }
    if (!file) return file.error();
    if (synced.valid()) PADDOCK_TRY(sys::sync_all(synced.get()));
    return made.identity;
}

}  // namespace paddock::fs

namespace paddock {

TempFile::TempFile(UniqueFd directory, std::string name, std::string path, UniqueFd file) noexcept
    : directory_(std::move(directory)),
      name_(std::move(name)),
      path_(std::move(path)),
      file_(std::move(file)) {}

TempFile::~TempFile() {
    if (directory_.valid()) {
        (void)sys::unlinkat(directory_.get(), name_.c_str(), sys::Unlink::kFile);
    }
}

}  // namespace paddock
