#include "sys/mount.h"

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sys/call.h"

namespace paddock::sys {
namespace {

// glibc 2.36 and the kernel's own header define these in ways that exclude each other.
constexpr long kNrOpenTree = 428;
constexpr long kNrMoveMount = 429;
constexpr long kNrFsopen = 430;
constexpr long kNrFsconfig = 431;
constexpr long kNrFsmount = 432;
constexpr long kNrMountSetattr = 442;

constexpr unsigned kOpenTreeClone = 1;
constexpr unsigned kOpenTreeCloexec = O_CLOEXEC;
constexpr unsigned kFromEmptyPath = 0x04;
constexpr unsigned kToEmptyPath = 0x40;
constexpr unsigned kFsopenCloexec = 1;
constexpr unsigned kFsconfigFlag = 0;
constexpr unsigned kFsconfigString = 1;
constexpr unsigned kFsconfigCreate = 6;
constexpr unsigned kFsmountCloexec = 1;
constexpr std::uint64_t kAttributeIdmap = 0x100000;
constexpr unsigned kAtRecursive = 0x8000;

struct Attributes {
    std::uint64_t set = 0;
    std::uint64_t clear = 0;
    std::uint64_t propagation = 0;
    std::uint64_t user_namespace = 0;
};

Done set_attributes(int mount, const Attributes& attributes, Tree tree) {
    const unsigned recursive = tree == Tree::kRecursive ? kAtRecursive : 0;
    return call(Call::kMount, [&] {
        return ::syscall(kNrMountSetattr, mount, "", AT_EMPTY_PATH | recursive, &attributes,
                         sizeof attributes);
    });
}

}  // namespace

Outcome<UniqueFd> copy_mount(int directory, const char* path, Tree tree) {
    unsigned flags = kOpenTreeClone | kOpenTreeCloexec | AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT;
    if (*path == '\0') flags |= AT_EMPTY_PATH;
    if (tree == Tree::kRecursive) flags |= kAtRecursive;
    PADDOCK_ASSIGN(fd, ask_kernel(Call::kMount,
                                  [&] { return ::syscall(kNrOpenTree, directory, path, flags); }));
    return UniqueFd(static_cast<int>(fd));
}

Done restrict_mount(int mount, std::uint64_t attributes, Tree tree) {
    return set_attributes(mount, {.set = attributes, .propagation = MS_PRIVATE}, tree);
}

Done loosen_mount(int mount, std::uint64_t attributes) {
    return set_attributes(mount, {.clear = attributes}, Tree::kOne);
}

Done map_owners(int mount, int user_namespace) {
    return set_attributes(
        mount,
        {.set = kAttributeIdmap, .user_namespace = static_cast<std::uint64_t>(user_namespace)},
        Tree::kOne);
}

Outcome<UniqueFd> new_mount(const char* type, std::span<const MountOption> options,
                            std::uint64_t attributes) {
    PADDOCK_ASSIGN(opened, ask_kernel(Call::kMount,
                                      [&] { return ::syscall(kNrFsopen, type, kFsopenCloexec); }));
    const UniqueFd context(static_cast<int>(opened));
    for (const MountOption& option : options) {
        PADDOCK_TRY(call(Call::kMount, [&] {
            return ::syscall(kNrFsconfig, context.get(),
                             option.value == nullptr ? kFsconfigFlag : kFsconfigString, option.name,
                             option.value, 0);
        }));
    }
    PADDOCK_TRY(call(Call::kMount, [&] {
        return ::syscall(kNrFsconfig, context.get(), kFsconfigCreate, nullptr, nullptr, 0);
    }));
    PADDOCK_ASSIGN(fd, ask_kernel(Call::kMount, [&] {
                       return ::syscall(kNrFsmount, context.get(), kFsmountCloexec,
                                        static_cast<unsigned>(attributes));
                   }));
    return UniqueFd(static_cast<int>(fd));
}

Done attach_mount(int mount, int directory, const char* path) {
    const unsigned flags = kFromEmptyPath | (*path == '\0' ? kToEmptyPath : 0);
    return call(Call::kMount,
                [&] { return ::syscall(kNrMoveMount, mount, "", directory, path, flags); });
}

Done pivot_root_here() {
    // The old root lands on top of the new one, and is what "." means until it is taken off.
    PADDOCK_TRY(call(Call::kMount, [] { return ::syscall(SYS_pivot_root, ".", "."); }));
    PADDOCK_TRY(call(Call::kMount, [] { return ::umount2(".", MNT_DETACH); }));
    return call(Call::kMount, [] { return ::chdir("/"); });
}

}  // namespace paddock::sys
