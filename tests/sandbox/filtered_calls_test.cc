// Container profiles hide single system calls, with ENOSYS or, when they are old, with EPERM. The
// workspace stays usable either way, and a real refusal stays one.
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstddef>

#include "sandbox/child.h"
#include "sandbox/probe.h"
#include "testing/jail.h"

namespace paddock::testing {
namespace {

constexpr unsigned kNrFaccessat2 = 439;
constexpr unsigned kNrFchmodat2 = 452;

bool hide(unsigned number, int error) {
    sock_filter program[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<unsigned>(error)),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const sock_fprog filter{sizeof program / sizeof program[0], program};
    return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

class FilteredCalls : public Jail, public ::testing::WithParamInterface<int> {
protected:
    void SetUp() override {
        if (!sandbox::try_seccomp()) GTEST_SKIP() << "no seccomp filters";
    }
};

TEST_P(FilteredCalls, modes_can_be_changed_without_fchmodat2) {
    tree({"ROOT/file=one"});
    const Root root = this->root();
    in_child([&] {
        ASSERT_TRUE(hide(kNrFchmodat2, GetParam()));
        EXPECT_OK(root.chmod("file", 0640));
        EXPECT_OK(root.mkdir("dir", 0750));
    });
}

TEST_P(FilteredCalls, files_can_be_replaced_without_faccessat2) {
    tree({"ROOT/file=one", "ROOT/fixed=one"});
    ASSERT_EQ(::chmod(ws("fixed").c_str(), 0444), 0);
    const Root root = this->root();
    in_child([&] {
        ASSERT_TRUE(hide(kNrFaccessat2, GetParam()));
        EXPECT_OK(root.write_file("file", "two"));
        EXPECT_CODE(root.write_file("fixed", "two"), Code::kPermissionDenied);
    });
}

INSTANTIATE_TEST_SUITE_P(Answers, FilteredCalls, ::testing::Values(ENOSYS, EPERM));

}  // namespace
}  // namespace paddock::testing
