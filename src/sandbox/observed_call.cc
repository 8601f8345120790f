#include "sandbox/observed_call.h"

#include <sys/syscall.h>

namespace paddock::sandbox {
namespace {

constexpr ObservedName kNoName{};

constexpr ObservedCall kCalls[] = {
    {SYS_openat, Deed::kWrite, NameMust::kAnything, {0, 1}, kNoName, 2},
    {SYS_truncate, Deed::kWrite, NameMust::kExist, {kNoArgument, 0}},
    {SYS_mkdirat, Deed::kCreate, NameMust::kBeMissing, {0, 1}},
    {SYS_mknodat, Deed::kCreate, NameMust::kBeMissing, {0, 1}},
    {SYS_symlinkat, Deed::kCreate, NameMust::kBeMissing, {1, 2}},
    {SYS_linkat, Deed::kCreate, NameMust::kBeMissing, {2, 3}},
    {SYS_renameat, Deed::kRename, NameMust::kExist, {0, 1}, {2, 3}},
    {.number = SYS_renameat2,
     .deed = Deed::kRename,
     .must = NameMust::kExist,
     .name = {0, 1},
     .second = {2, 3},
     .rename_flags = 4},
    {SYS_unlinkat, Deed::kRemove, NameMust::kExist, {0, 1}},
    {SYS_connect, Deed::kConnect},
#ifdef SYS_open  // machines older than the *at calls
    {SYS_open, Deed::kWrite, NameMust::kAnything, {kNoArgument, 0}, kNoName, 1},
    {SYS_creat, Deed::kCreate, NameMust::kAnything, {kNoArgument, 0}},
    {SYS_mkdir, Deed::kCreate, NameMust::kBeMissing, {kNoArgument, 0}},
    {SYS_mknod, Deed::kCreate, NameMust::kBeMissing, {kNoArgument, 0}},
    {SYS_symlink, Deed::kCreate, NameMust::kBeMissing, {kNoArgument, 1}},
    {SYS_link, Deed::kCreate, NameMust::kBeMissing, {kNoArgument, 1}},
    {SYS_rename, Deed::kRename, NameMust::kExist, {kNoArgument, 0}, {kNoArgument, 1}},
    {SYS_unlink, Deed::kRemove, NameMust::kExist, {kNoArgument, 0}},
    {SYS_rmdir, Deed::kRemove, NameMust::kExist, {kNoArgument, 0}},
#endif
};

}  // namespace

const ObservedCall* observed_call(long number) noexcept {
    for (const ObservedCall& call : kCalls) {
        if (call.number == number) return &call;
    }
    return nullptr;
}

}  // namespace paddock::sandbox
