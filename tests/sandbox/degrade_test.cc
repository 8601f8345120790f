// What is asked for, what is enforced and what is lost, for every ABI up to the kernel's: real
// domains in children, and the plan alone for the ABIs that no kernel at hand has.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "sandbox/child.h"
#include "sandbox/confine.h"
#include "sandbox/peers.h"
#include "testing/jail.h"

namespace paddock::testing {
namespace {

using Names = std::vector<std::string_view>;

struct Level {
    int abi;
    Names missing;
};

const std::vector<Level>& levels() {
    static const std::vector<Level> all = [] {
        const std::vector<std::pair<int, Names>> brings = {
            {9, {"resolve_unix"}}, {6, {"abstract_unix_socket", "signal"}},
            {5, {"ioctl_dev"}},    {4, {"bind_tcp", "connect_tcp"}},
            {3, {"truncate"}},     {2, {"refer"}},
        };
        std::vector<Level> made;
        for (int abi = 9; abi >= 1; --abi) {
            Level level{abi, {}};
            for (const auto& [since, names] : brings) {
                if (since > abi) {
                    level.missing.insert(level.missing.begin(), names.begin(), names.end());
                }
            }
            made.push_back(std::move(level));
        }
        return made;
    }();
    return all;
}

ConfineSpec best_effort() {
    ConfineSpec spec;
    spec.best_effort = permit::BestEffort{"the test wants less"};
    return spec;
}

bool has(const Names& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

class Degrade : public Jail {};

TEST_F(Degrade, the_plan_names_what_each_abi_lacks) {
    for (const Level& level : levels()) {
        const auto plan = sandbox::plan_for({}, level.abi);
        EXPECT_EQ(plan.requested.size(), 21U);
        EXPECT_EQ(plan.missing, level.missing) << "ABI " << level.abi;
        EXPECT_EQ(plan.enforced.size() + plan.missing.size(), plan.requested.size());
    }
    const auto none = sandbox::plan_for({}, 0);
    EXPECT_TRUE(none.enforced.empty());
    EXPECT_EQ(none.missing, none.requested);
    EXPECT_EQ(sandbox::plan_for({}, 99).enforced, sandbox::plan_for({}, 9).enforced);
}

TEST_F(Degrade, what_is_permitted_is_not_requested) {
    ConfineSpec spec;
    spec.network = permit::Network{"a test"};
    spec.other_processes = permit::OtherProcesses{"a test"};
    const auto plan = sandbox::plan_for(spec, 9);
    EXPECT_EQ(plan.requested.size(), 17U);
    EXPECT_FALSE(has(plan.requested, "connect_tcp"));
    EXPECT_FALSE(has(plan.requested, "signal"));
    EXPECT_EQ(plan.handled.network, 0U);
    EXPECT_EQ(plan.handled.scopes, 0U);
}

TEST_F(Degrade, a_rule_grants_nothing_that_the_abi_does_not_know) {
    for (const Level& level : levels()) {
        const auto handled = sandbox::plan_for({}, level.abi).handled;
        for (const Access access : {Access::kReadOnly, Access::kReadExecute, Access::kReadWrite,
                                    Access::kRemoveDirectories}) {
            EXPECT_EQ(sandbox::granted(access, handled) & ~handled.files, 0U);
        }
    }
}

TEST_F(Degrade, every_abi_up_to_the_kernels_enforces_and_reports_its_own) {
    NEEDS_LANDLOCK(1);
    const Root root = this->root();
    for (const Level& level : levels()) {
        if (level.abi > kernel_abi()) continue;
        SCOPED_TRACE("ABI " + std::to_string(level.abi));
        in_child([&] {
            ConfineSpec spec = best_effort();
            spec.rules = {{root.fd(), Access::kReadWrite}};
            const auto report = sandbox::confine_self_at(spec, level.abi);
            ASSERT_TRUE(report.has_value()) << report.error().message();
            EXPECT_EQ(report->kernel_abi, level.abi);
            EXPECT_EQ(report->missing, level.missing);
            EXPECT_EQ(report->requested.size(), 21U);
            EXPECT_EQ(report->enforced.size(), 21U - level.missing.size());
            EXPECT_EQ(report->status,
                      level.missing.empty() ? Enforcement::kFull : Enforcement::kPartly);
            EXPECT_TRUE(report->no_new_privs);
            EXPECT_EQ(report->denials_audited, level.abi >= 7);
            EXPECT_EQ(report->permits,
                      std::vector<std::string>{"best_effort: the test wants less"});
            EXPECT_EQ(os_open_error(out("secret"), O_RDONLY), EACCES);
            EXPECT_OK(root.write_file("file", "text"));
        });
    }
}

// The losses are real: what a level does not enforce does work there, and no longer one above.
TEST_F(Degrade, truncation_outside_is_stopped_from_abi_3) {
    NEEDS_LANDLOCK(3);
    for (const int abi : {2, 3}) {
        os_write(out("old"), "text");
        in_child([&] {
            EXPECT_OK(sandbox::confine_self_at(best_effort(), abi));
            EXPECT_EQ(error_of(::truncate(out("old").c_str(), 0)), abi < 3 ? 0 : EACCES);
        });
        EXPECT_EQ(os_read(out("old")), abi < 3 ? "" : "text");
    }
}

TEST_F(Degrade, moves_between_directories_need_abi_2) {
    NEEDS_LANDLOCK(2);
    for (const int abi : {1, 2}) {
        tree({"ROOT/a/file=one", "ROOT/b/"});
        const Root root = this->root();
        in_child([&] {
            ConfineSpec spec = best_effort();
            spec.rules = {{root.fd(), Access::kReadWrite}};
            EXPECT_OK(sandbox::confine_self_at(spec, abi));
            EXPECT_EQ(root.rename("a/file", "b/file").has_value(), abi >= 2);
            EXPECT_OK(root.write_file("a/other", "within one directory"));
        });
    }
}

TEST_F(Degrade, tcp_is_stopped_from_abi_4) {
    NEEDS_LANDLOCK(4);
    const TcpPeer peer;
    if (peer.port == 0) GTEST_SKIP() << "no loopback interface";
    for (const int abi : {3, 4}) {
        in_child([&] {
            EXPECT_OK(sandbox::confine_self_at(best_effort(), abi));
            EXPECT_EQ(peer.connect_error(), abi < 4 ? 0 : EACCES);
        });
    }
}

TEST_F(Degrade, abstract_sockets_are_stopped_from_abi_6) {
    NEEDS_LANDLOCK(6);
    const AbstractPeer peer;
    for (const int abi : {5, 6}) {
        in_child([&] {
            EXPECT_OK(sandbox::confine_self_at(best_effort(), abi));
            EXPECT_EQ(peer.connect_error(), abi < 6 ? 0 : EPERM);
        });
    }
}

TEST_F(Degrade, a_kernel_below_the_required_abi_is_refused_and_nothing_confined) {
    NEEDS_LANDLOCK(3);
    in_child([&] {
        for (int abi_min = 2; abi_min <= 9; ++abi_min) {
            ConfineSpec spec;
            spec.abi_min = abi_min;
            const auto refused = sandbox::confine_self_at(spec, abi_min - 1);
            ASSERT_FALSE(refused.has_value());
            EXPECT_EQ(refused.error().code, Code::kSandboxUnavailable);
            const std::string wanted = "ABI " + std::to_string(abi_min);
            EXPECT_NE(refused.error().message().find(wanted), std::string::npos)
                << refused.error().message();
        }
        EXPECT_EQ(os_open_error(out("secret"), O_RDONLY), 0);
    });
}

TEST_F(Degrade, the_present_kernel_is_held_to_the_required_abi) {
    if (kernel_abi() >= 9) GTEST_SKIP() << "this kernel has every ABI that can be required";
    in_child([&] {
        ConfineSpec spec;
        spec.abi_min = 9;
        EXPECT_CODE(confine_self(spec), Code::kSandboxUnavailable);
        EXPECT_EQ(os_open_error(out("secret"), O_RDONLY), 0);
    });
}

TEST_F(Degrade, without_landlock_only_best_effort_goes_on_and_says_so) {
    in_child([&] {
        const auto refused = sandbox::confine_self_at({}, 0);
        ASSERT_FALSE(refused.has_value());
        EXPECT_EQ(refused.error().code, Code::kSandboxUnavailable);
        EXPECT_NE(refused.error().message().find("lsm="), std::string::npos);

        const auto report = sandbox::confine_self_at(best_effort(), 0);
        ASSERT_TRUE(report.has_value());
        EXPECT_EQ(report->status, Enforcement::kNone);
        EXPECT_TRUE(report->enforced.empty());
        EXPECT_EQ(report->missing, report->requested);
        EXPECT_TRUE(report->no_new_privs);
        EXPECT_EQ(os_open_error(out("secret"), O_RDONLY), 0);
    });
}

TEST_F(Degrade, nonsense_is_refused_before_anything_happens) {
    in_child([&] {
        const int file = ::open(out("secret").c_str(), O_RDONLY | O_CLOEXEC);
        std::vector<ConfineSpec> wrong(8);
        wrong[0].rules = {{file, Access::kReadOnly}};
        wrong[1].rules = {{-1, Access::kReadOnly}};
        wrong[2].network = permit::Network{""};
        wrong[3].best_effort = permit::BestEffort{" "};
        wrong[4].abi_min = kLandlockAbiFloor - 1;
        wrong[5].abi_min = 10;
        wrong[6] = best_effort();
        wrong[6].abi_min = 4;
        wrong[7].other_processes = permit::OtherProcesses{"test"};
        for (const ConfineSpec& spec : wrong) {
            EXPECT_CODE(confine_self(spec), Code::kInvalidArgument);
        }
        EXPECT_EQ(os_open_error(out("secret"), O_RDONLY), 0);
    });
}

}  // namespace
}  // namespace paddock::testing
