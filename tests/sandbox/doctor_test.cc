#include "cli/doctor.h"

#include <gtest/gtest.h>
#include <sys/prctl.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "sandbox/child.h"
#include "sys/identity.h"
#include "testing/jail.h"

namespace paddock::testing {
namespace {

using cli::Finding;
using cli::State;

const Finding& named(const std::vector<Finding>& findings, const std::string& name) {
    const auto found = std::find_if(findings.begin(), findings.end(),
                                    [&](const Finding& finding) { return finding.name == name; });
    if (found == findings.end()) throw std::runtime_error("no finding " + name);
    return *found;
}

TEST(Doctor, finds_everything_once_and_explains_it) {
    const auto findings = cli::examine_host();
    std::set<std::string> names;
    for (const Finding& finding : findings) {
        EXPECT_TRUE(names.insert(finding.name).second) << finding.name << " twice";
        EXPECT_FALSE(finding.detail.empty()) << finding.name;
        EXPECT_FALSE(finding.without.empty()) << finding.name;
        EXPECT_EQ(finding.remedy.empty(), finding.state == State::kOn) << finding.name;
        RecordProperty(finding.name, std::string(cli::state_name(finding.state)));
    }
    EXPECT_EQ(names, (std::set<std::string>{"kernel", "openat2", "mount_ids", "fchmodat2", "proc",
                                            "landlock", "user_namespaces", "seccomp", "cgroup_v2",
                                            "no_new_privs"}));
}

TEST(Doctor, leaves_the_process_as_it_was) {
    const bool privileges = sys::no_new_privs().value_or(false);
    const int descriptors = count_descriptors();
    const int filter = ::prctl(PR_GET_SECCOMP, 0, 0, 0, 0);
    EXPECT_FALSE(cli::examine_host().empty());
    EXPECT_EQ(sys::no_new_privs().value_or(false), privileges);
    EXPECT_EQ(count_descriptors(), descriptors);
    EXPECT_EQ(::prctl(PR_GET_SECCOMP, 0, 0, 0, 0), filter);
    EXPECT_EQ(os_open_error("/etc/passwd", 0), 0);
}

TEST(Doctor, agrees_with_what_a_root_finds) {
    const ScratchDir scratch;
    const auto root = Root::open(scratch.path());
    ASSERT_TRUE(root.has_value());
    const auto findings = cli::examine_host();
    EXPECT_EQ(named(findings, "openat2").state == State::kOn,
              root->resolver() == ResolverKind::kOpenat2);
    EXPECT_NE(named(findings, "mount_ids").state, State::kMissing);
}

TEST(Doctor, tells_the_landlock_level) {
    const auto findings = cli::examine_host();
    const Finding& landlock = named(findings, "landlock");
    const int abi = kernel_abi();
    EXPECT_EQ(landlock.state,
              abi == 0 ? State::kMissing : (abi < 9 ? State::kPartial : State::kOn));
    if (abi > 0) {
        EXPECT_TRUE(landlock.detail.starts_with("ABI " + std::to_string(abi))) << landlock.detail;
    }
}

// A process that is confined itself cannot look at /proc; the doctor says so and does not fall.
TEST(Doctor, survives_a_confined_process) {
    NEEDS_LANDLOCK(3);
    in_child([] {
        ASSERT_TRUE(confine_self({}).has_value());
        const auto findings = cli::examine_host();
        EXPECT_EQ(findings.size(), 10U);
        EXPECT_EQ(named(findings, "cgroup_v2").state, State::kMissing);
        EXPECT_NE(named(findings, "no_new_privs").detail.find("already"), std::string::npos);
    });
}

TEST(Doctor, notices_a_filter) {
    in_child([] {
        ASSERT_TRUE(sys::set_no_new_privs().has_value());
        ASSERT_TRUE(sys::filter_getppid(1).has_value());
        const auto findings = cli::examine_host();
        EXPECT_NE(named(findings, "seccomp").detail.find("already"), std::string::npos);
    });
}

}  // namespace
}  // namespace paddock::testing
