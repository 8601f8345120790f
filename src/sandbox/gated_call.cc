#include "sandbox/gated_call.h"

#include <fcntl.h>
#include <sys/syscall.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>

#include <paddock/limits.h>

#include "base/text.h"
#include "sandbox/command_start.h"
#include "sandbox/denial.h"
#include "sys/files.h"
#include "sys/io.h"
#include "sys/seccomp.h"

namespace paddock::sandbox {
namespace {

// The beginning of a file of /proc, as far as anything of it is asked for.
std::string proc_text(const std::string& path) {
    std::string text(2048, '\0');
    const auto file = sys::openat(AT_FDCWD, path.c_str(), O_RDONLY);
    const auto size =
        file ? sys::read(file->get(), text.data(), text.size()) : Outcome<std::size_t>(0U);
    text.resize(size ? *size : 0);
    return text;
}

std::optional<std::uint64_t> number_after(std::string_view text, std::string_view field, int base) {
    const std::size_t at = text.find(field);
    if (at == text.npos) return std::nullopt;
    text.remove_prefix(at + field.size());
    text.remove_prefix(std::min(text.size(), text.find_first_not_of(" \t")));
    std::uint64_t number = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number, base);
    return read.ec == std::errc() ? std::optional(number) : std::nullopt;
}

bool is_number(std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

}  // namespace

std::string proc_of(int process) { return "/proc/" + std::to_string(process); }

std::optional<std::uint64_t> proc_number(int process, const std::string& file,
                                         std::string_view field, int base) {
    return number_after(proc_text(proc_of(process) + '/' + file), field, base);
}

mode_t umask_of(int process) {
    constexpr std::uint64_t kUsual = 022;
    return static_cast<mode_t>(proc_number(process, "status", "Umask:", 8).value_or(kUsual) & 0777);
}

int thread_group(int thread) {
    return static_cast<int>(proc_number(thread, "status", "Tgid:", 10).value_or(0));
}

bool is_signalled(int thread) {
    const std::string status = proc_text(proc_of(thread) + "/status");
    const auto set = [&](std::string_view field) {
        return number_after(status, field, 16).value_or(0);
    };
    return ((set("SigPnd:") | set("ShdPnd:")) & set("SigCgt:") & ~set("SigBlk:")) != 0;
}

std::string as_caller_sees(std::string path, int thread) {
    if (!path.starts_with("/proc/") && !path.starts_with("/dev/")) return path;
    const std::string own = proc_of(thread_group(thread));
    const auto replace = [&](std::string_view prefix, const std::string& with) {
        if (!is_within(path, prefix)) return false;
        path = with + path.substr(prefix.size());
        return true;
    };
    replace("/proc/self", own) || replace("/proc/thread-self", proc_of(thread)) ||
        replace("/dev/fd", own + "/fd") || replace("/dev/stdin", own + "/fd/0") ||
        replace("/dev/stdout", own + "/fd/1") || replace("/dev/stderr", own + "/fd/2");
    return path;
}

bool is_own_proc(std::string_view path, const Caller& caller) {
    return is_within(path, proc_of(thread_group(caller.process))) ||
           is_within(path, proc_of(caller.process));
}

bool is_descriptor_link(std::string_view path, const Caller& caller) {
    constexpr std::string_view kProc = "/proc/";
    if (!path.starts_with(kProc)) return false;
    std::string_view rest = path.substr(kProc.size());
    rest.remove_prefix(std::min(rest.find('/'), rest.size()));
    return rest.starts_with("/fd/") && is_number(rest.substr(4)) && is_own_proc(path, caller);
}

Outcome<std::string> read_path(const Caller& caller, std::uint64_t address) {
    std::string text;
    constexpr std::size_t kPart = 4096;  // a page
    std::array<char, kPart> part;
    while (text.size() < limits::kPathBytesMax) {
        // To the end of a page: the next may not be mapped.
        const std::size_t wanted = kPart - (address + text.size()) % kPart;
        const std::size_t got =
            read_foreign(caller.process, address + text.size(), {part.data(), wanted});
        // A process that may not be looked at: the kernel refuses what it must.
        if (got == 0) return Failure::from_errno(EFAULT);
        const void* end = std::memchr(part.data(), '\0', got);
        if (end == nullptr) {
            text.append(part.data(), got);
            continue;
        }
        text.append(part.data(),
                    static_cast<std::size_t>(static_cast<const char*>(end) - part.data()));
        if (text.size() >= limits::kPathBytesMax) break;
        // The memory was read of that process only if it still waits.
        if (!sys::seccomp::is_waiting(caller.listener, caller.id)) {
            return Failure::from_errno(ESRCH);
        }
        return text;
    }
    return Failure::from_errno(ENAMETOOLONG);
}

Outcome<HeldPath> hold(const std::string& path) {
    PADDOCK_ASSIGN(top, sys::openat(AT_FDCWD, "/", O_PATH | O_DIRECTORY));
    PADDOCK_ASSIGN(object, descend(top.get(), path.c_str() + 1));
    PADDOCK_ASSIGN(stat, sys::fstat(object.get()));
    return HeldPath{std::move(object), path, stat};
}

Outcome<HeldPath> hold_in(const HeldPath& directory, const std::string& name) {
    PADDOCK_ASSIGN(object, descend(directory.object.get(), name.c_str()));
    PADDOCK_ASSIGN(stat, sys::fstat(object.get()));
    return HeldPath{std::move(object), directory.path + '/' + name, stat};
}

namespace {

constexpr long kNrFchmodat2 = 452;

using Arguments = std::array<std::uint64_t, 6>;

GatedCall open_call(int directory, std::uint64_t path, std::uint64_t flags, std::uint64_t mode) {
    GatedCall call{.kind = GatedKind::kOpen, .name = {directory, path}};
    // The kernel looks at the low half.
    call.flags = static_cast<std::uint32_t>(flags);
    call.mode = static_cast<mode_t>(mode);
    return call;
}

GatedCall named(GatedKind kind, int directory, std::uint64_t path, std::uint64_t mode = 0) {
    return {.kind = kind, .name = {directory, path}, .mode = static_cast<mode_t>(mode)};
}

GatedCall two_names(GatedKind kind, GatedName name, GatedName second, std::uint64_t flags = 0) {
    return {
        .kind = kind, .name = name, .second = second, .flags = static_cast<std::uint32_t>(flags)};
}

GatedCall symlink_call(std::uint64_t target, int directory, std::uint64_t path) {
    GatedCall call = named(GatedKind::kSymlink, directory, path);
    call.text = target;
    return call;
}

GatedCall of_descriptor(GatedKind kind, std::uint64_t descriptor) {
    GatedCall call{.kind = kind};
    call.descriptor = static_cast<int>(descriptor);
    call.by_descriptor = true;
    return call;
}

// The arguments that calls about attributes share begin at `a[1]`: a name, a value, its size,
// flags.
GatedCall attribute_call(GatedCall call, const Arguments& a) {
    call.text = a[1];
    if (call.kind == GatedKind::kRemoveAttribute) return call;
    call.value = a[2];
    call.number = a[3];
    call.value_flags = static_cast<std::uint32_t>(a[4]);
    return call;
}

GatedCall named_attribute(GatedKind kind, const Arguments& a, std::uint64_t flags) {
    GatedCall call = named(kind, AT_FDCWD, a[0]);
    call.flags = flags;
    return attribute_call(call, a);
}

}  // namespace

std::optional<GatedCall> decode(const sys::seccomp::Notification& call) noexcept {
    const Arguments& a = call.arguments;
    const auto fd = [&](std::size_t i) { return static_cast<int>(a[i]); };
    switch (call.number) {
        case SYS_openat: return open_call(fd(0), a[1], a[2], a[3]);
        case SYS_truncate: {
            GatedCall made = named(GatedKind::kTruncate, AT_FDCWD, a[0]);
            made.number = a[1];
            return made;
        }
        case SYS_mkdirat: return named(GatedKind::kMakeDirectory, fd(0), a[1], a[2]);
        case SYS_mknodat: {
            GatedCall made = named(GatedKind::kMakeNode, fd(0), a[1], a[2]);
            made.number = a[3];
            return made;
        }
        case SYS_symlinkat: return symlink_call(a[0], fd(1), a[2]);
        case SYS_linkat: return two_names(GatedKind::kLink, {fd(2), a[3]}, {fd(0), a[1]}, a[4]);
#ifdef SYS_renameat
        case SYS_renameat: return two_names(GatedKind::kRename, {fd(0), a[1]}, {fd(2), a[3]});
#endif
        case SYS_renameat2:
            return two_names(GatedKind::kRename, {fd(0), a[1]}, {fd(2), a[3]}, a[4]);
        case SYS_unlinkat: {
            const auto flags = static_cast<std::uint32_t>(a[2]);
            if ((flags & ~static_cast<std::uint32_t>(AT_REMOVEDIR)) != 0) return std::nullopt;
            return named(flags != 0 ? GatedKind::kRemoveDirectory : GatedKind::kUnlink, fd(0),
                         a[1]);
        }
        case SYS_fchmodat: return named(GatedKind::kChmod, fd(0), a[1], a[2]);
        case kNrFchmodat2: {
            GatedCall made = named(GatedKind::kChmod, fd(0), a[1], a[2]);
            made.flags = static_cast<std::uint32_t>(a[3]);
            return made;
        }
        case SYS_fchmod: {
            GatedCall made = of_descriptor(GatedKind::kChmod, a[0]);
            made.mode = static_cast<mode_t>(a[1]);
            return made;
        }
        case SYS_setxattr: return named_attribute(GatedKind::kSetAttribute, a, 0);
        case SYS_lsetxattr:
            return named_attribute(GatedKind::kSetAttribute, a, AT_SYMLINK_NOFOLLOW);
        case SYS_fsetxattr: return attribute_call(of_descriptor(GatedKind::kSetAttribute, a[0]), a);
        case SYS_removexattr: return named_attribute(GatedKind::kRemoveAttribute, a, 0);
        case SYS_lremovexattr:
            return named_attribute(GatedKind::kRemoveAttribute, a, AT_SYMLINK_NOFOLLOW);
        case SYS_fremovexattr:
            return attribute_call(of_descriptor(GatedKind::kRemoveAttribute, a[0]), a);
        case SYS_bind: {
            GatedCall made = of_descriptor(GatedKind::kBind, a[0]);
            made.text = a[1];
            made.number = static_cast<std::uint32_t>(a[2]);
            return made;
        }
#ifdef SYS_open  // machines older than the *at calls
        case SYS_open: return open_call(AT_FDCWD, a[0], a[1], a[2]);
        case SYS_creat: return open_call(AT_FDCWD, a[0], O_CREAT | O_WRONLY | O_TRUNC, a[1]);
        case SYS_mkdir: return named(GatedKind::kMakeDirectory, AT_FDCWD, a[0], a[1]);
        case SYS_mknod: {
            GatedCall made = named(GatedKind::kMakeNode, AT_FDCWD, a[0], a[1]);
            made.number = a[2];
            return made;
        }
        case SYS_symlink: return symlink_call(a[0], AT_FDCWD, a[1]);
        case SYS_link: return two_names(GatedKind::kLink, {AT_FDCWD, a[1]}, {AT_FDCWD, a[0]});
        case SYS_rename: return two_names(GatedKind::kRename, {AT_FDCWD, a[0]}, {AT_FDCWD, a[1]});
        case SYS_unlink: return named(GatedKind::kUnlink, AT_FDCWD, a[0]);
        case SYS_rmdir: return named(GatedKind::kRemoveDirectory, AT_FDCWD, a[0]);
        case SYS_chmod: return named(GatedKind::kChmod, AT_FDCWD, a[0], a[1]);
#endif
        default: return std::nullopt;
    }
}

DeniedOperation operation_of(const GatedCall& call) noexcept {
    switch (call.kind) {
        case GatedKind::kOpen:
            return (call.flags & O_CREAT) != 0 ? DeniedOperation::kCreate : DeniedOperation::kWrite;
        case GatedKind::kMakeDirectory:
        case GatedKind::kMakeNode:
        case GatedKind::kSymlink:
        case GatedKind::kLink:
        case GatedKind::kBind: return DeniedOperation::kCreate;
        case GatedKind::kRename: return DeniedOperation::kRename;
        case GatedKind::kUnlink:
        case GatedKind::kRemoveDirectory: return DeniedOperation::kRemove;
        default: return DeniedOperation::kWrite;
    }
}

}  // namespace paddock::sandbox
