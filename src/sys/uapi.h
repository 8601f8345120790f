// Kernel constants that Debian 12's headers (6.1) lack or that clash with glibc's.
#pragma once

#include <cstdint>

namespace paddock::sys::uapi {

// openat2(2), Linux 5.6.
struct OpenHow {
    std::uint64_t flags = 0;
    std::uint64_t mode = 0;
    std::uint64_t resolve = 0;
};
inline constexpr std::uint64_t kResolveNoXdev = 0x01;
inline constexpr std::uint64_t kResolveNoMagiclinks = 0x02;
inline constexpr std::uint64_t kResolveNoSymlinks = 0x04;
inline constexpr std::uint64_t kResolveBeneath = 0x08;
inline constexpr long kNrOpenat2 = 437;

// fchmodat2(2), Linux 6.6.
inline constexpr long kNrFchmodat2 = 452;

// statx(2) mount ids: Linux 5.8, and 6.8 for the one that is never reused.
inline constexpr unsigned kStatxMntId = 0x1000;
inline constexpr unsigned kStatxMntIdUnique = 0x4000;
inline constexpr std::uint64_t kStatxAttrMountRoot = 0x2000;  // Linux 5.8

// statfs(2).
inline constexpr long kProcSuperMagic = 0x9fa0;
inline constexpr long kAppArmorFsMagic = 0x5a3c69f0;
inline constexpr long kExtSuperMagic = 0xef53;
inline constexpr long kXfsSuperMagic = 0x58465342;
inline constexpr long kBtrfsSuperMagic = 0x9123683e;
inline constexpr long kTmpfsSuperMagic = 0x01021994;
inline constexpr long kOverlaySuperMagic = 0x794c7630;
inline constexpr long kF2fsSuperMagic = 0xf2f52010;
inline constexpr long kZfsSuperMagic = 0x2fc12fc1;
inline constexpr long kStNoSymFollow = 0x2000;

}  // namespace paddock::sys::uapi
