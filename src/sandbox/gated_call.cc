#include "sandbox/gated_call.h"

#include <sys/syscall.h>

namespace paddock::sandbox {
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

Deed deed_of(const GatedCall& call) noexcept {
    switch (call.kind) {
        case GatedKind::kOpen: return (call.flags & O_CREAT) != 0 ? Deed::kCreate : Deed::kWrite;
        case GatedKind::kMakeDirectory:
        case GatedKind::kMakeNode:
        case GatedKind::kSymlink:
        case GatedKind::kLink:
        case GatedKind::kBind: return Deed::kCreate;
        case GatedKind::kRename: return Deed::kRename;
        case GatedKind::kUnlink:
        case GatedKind::kRemoveDirectory: return Deed::kRemove;
        default: return Deed::kWrite;
    }
}

}  // namespace paddock::sandbox
