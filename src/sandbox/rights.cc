#include "sandbox/rights.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace paddock::sandbox {
namespace {

namespace ll = sys::landlock;

enum class Field : std::uint8_t { kFiles, kNetwork, kScopes };

struct Right {
    std::string_view name;
    Field field;
    ll::Rights bit;
    int since;  // ABI
};

constexpr std::array<Right, 21> kRights{{
    {"execute", Field::kFiles, ll::kExecute, 1},
    {"write_file", Field::kFiles, ll::kWriteFile, 1},
    {"read_file", Field::kFiles, ll::kReadFile, 1},
    {"read_dir", Field::kFiles, ll::kReadDir, 1},
    {"remove_dir", Field::kFiles, ll::kRemoveDir, 1},
    {"remove_file", Field::kFiles, ll::kRemoveFile, 1},
    {"make_char", Field::kFiles, ll::kMakeChar, 1},
    {"make_dir", Field::kFiles, ll::kMakeDir, 1},
    {"make_reg", Field::kFiles, ll::kMakeReg, 1},
    {"make_sock", Field::kFiles, ll::kMakeSock, 1},
    {"make_fifo", Field::kFiles, ll::kMakeFifo, 1},
    {"make_block", Field::kFiles, ll::kMakeBlock, 1},
    {"make_sym", Field::kFiles, ll::kMakeSym, 1},
    {"refer", Field::kFiles, ll::kRefer, 2},
    {"truncate", Field::kFiles, ll::kTruncate, 3},
    {"bind_tcp", Field::kNetwork, ll::kBindTcp, 4},
    {"connect_tcp", Field::kNetwork, ll::kConnectTcp, 4},
    {"ioctl_dev", Field::kFiles, ll::kIoctlDev, 5},
    {"abstract_unix_socket", Field::kScopes, ll::kScopeAbstractUnixSocket, 6},
    {"signal", Field::kScopes, ll::kScopeSignal, 6},
    {"resolve_unix", Field::kFiles, ll::kResolveUnix, 9},
}};

bool is_requested(const ConfineSpec& spec, const Right& right) {
    switch (right.field) {
        case Field::kNetwork: return !spec.network;
        case Field::kScopes: return !spec.other_processes;
        case Field::kFiles: break;
    }
    return true;
}

ll::Rights& field_of(ll::Handled& handled, Field field) {
    switch (field) {
        case Field::kNetwork: return handled.network;
        case Field::kScopes: return handled.scopes;
        case Field::kFiles: break;
    }
    return handled.files;
}

constexpr ll::Rights kRead = ll::kReadFile | ll::kReadDir;

// FIFOs and sockets too: moving one to another directory needs the right to make one there.
constexpr ll::Rights kChange = ll::kWriteFile | ll::kTruncate | ll::kRemoveDir | ll::kRemoveFile |
                               ll::kMakeDir | ll::kMakeReg | ll::kMakeSym | ll::kMakeFifo |
                               ll::kMakeSock | ll::kRefer;

// By the ABI required.
constexpr std::array<std::string_view, ll::kAbiKnown - kLandlockAbiFloor + 1> kRequirements{
    "needs Landlock ABI 1 (Linux 5.13), and this kernel offers less",
    "needs Landlock ABI 2 (Linux 5.19), and this kernel offers less",
    "needs Landlock ABI 3 (Linux 6.2), and this kernel offers less",
    "needs Landlock ABI 4 (Linux 6.7), and this kernel offers less",
    "needs Landlock ABI 5 (Linux 6.10), and this kernel offers less",
    "needs Landlock ABI 6 (Linux 6.12), and this kernel offers less",
    "needs Landlock ABI 7 (Linux 6.15), and this kernel offers less",
    "needs Landlock ABI 8 (Linux 7.0), and this kernel offers less",
    "needs Landlock ABI 9 (Linux 7.1), and this kernel offers less",
};

}  // namespace

Plan plan_for(const ConfineSpec& spec, int abi) {
    Plan plan;
    for (const Right& right : kRights) {
        if (!is_requested(spec, right)) continue;
        plan.requested.push_back(right.name);
        if (right.since > abi) {
            plan.missing.push_back(right.name);
            continue;
        }
        plan.enforced.push_back(right.name);
        field_of(plan.handled, right.field) |= right.bit;
    }
    return plan;
}

ll::Rights granted(Access access, const ll::Handled& handled) {
    if (access == Access::kRemoveDirectories) return ll::kRemoveDir & handled.files;
    ll::Rights rights = kRead;
    if (access == Access::kReadExecute) rights |= ll::kExecute;
    if (access == Access::kReadWrite) rights |= kChange;
    return rights & handled.files;
}

std::string_view too_old_for(int abi_min) {
    return kRequirements[static_cast<std::size_t>(abi_min - kLandlockAbiFloor)];
}

}  // namespace paddock::sandbox
