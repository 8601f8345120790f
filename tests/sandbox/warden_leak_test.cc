// Sessions come and go, and leave nothing: no process, mount, namespace, file or descriptor.
#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <thread>

#include "fault/budget.h"
#include "sandbox/probe.h"
#include "sandbox/session.h"

namespace paddock::testing {
namespace {

using sandbox::Warden;

// PADDOCK_SESSIONS=1000 for the long form. Each is a copy of this process, with all the memory of a
// sanitizer.
int sessions() { return static_cast<int>(budget("PADDOCK_SESSIONS", 100, 10)); }

std::string children() {
    return *Session::os_read("/proc/self/task/" + std::to_string(::getpid()) + "/children");
}

// Groups of this process, if this machine lets it make any.
std::size_t groups() {
    const auto own = sandbox::own_cgroup_directory();
    if (!own) return 0;
    const std::string mine = "paddock-" + std::to_string(::getpid()) + "-";
    const auto names = os_list("/proc/self/fd/" + std::to_string(own->get()));
    return static_cast<std::size_t>(
        std::count_if(names.begin(), names.end(),
                      [&](const std::string& name) { return name.starts_with(mine); }));
}

class LeakOnBothLevels : public OnBothLevels {};

INSTANTIATE_TEST_SUITE_P(levels, LeakOnBothLevels,
                         ::testing::Values(SandboxLevel::kFull, SandboxLevel::kLow),
                         [](const auto& level) { return std::string(level_name(level.param)); });

TEST_P(LeakOnBothLevels, nothing_is_left_of_a_hundred_sessions) {
    const std::size_t descriptors = open_descriptors();
    const auto mounts = os_read("/proc/self/mountinfo");
    const auto directories = private_directories();
    for (int i = 0; i < sessions(); ++i) {
        START(warden, spec());
        ASSERT_EQ(run(warden, "sleep 1000 >/dev/null 2>&1 & echo $$ > " + warden.temporary() + "/f")
                      .exit_code,
                  0);
    }
    EXPECT_EQ(open_descriptors(), descriptors);
    EXPECT_EQ(os_read("/proc/self/mountinfo"), mounts);
    EXPECT_EQ(private_directories(), directories);
    EXPECT_EQ(children(), "");
    EXPECT_EQ(os_list(ws()).size(), 0U);
    EXPECT_EQ(groups(), 0U);
}

// Where only a few namespaces of each kind may exist at a time, a leak soon ends it. They are freed
// a moment later, so a refusal for lack of room is waited out.
TEST_F(Session, namespaces_are_freed) {
    in_child([&] {
        if (is_root()) {
            // Root's own namespaces have no such limit; whoever it is does not matter here.
            ASSERT_EQ(::chown(ws().c_str(), 65534, 65534), 0);
            ASSERT_EQ(::chmod(base().c_str(), 0755), 0);
            ASSERT_EQ(::setresgid(65534, 65534, 65534), 0);
            ASSERT_EQ(::setresuid(65534, 65534, 65534), 0);
            ASSERT_EQ(::prctl(PR_SET_DUMPABLE, 1), 0);
        }
        const std::string user = std::to_string(::geteuid());
        const std::string group = std::to_string(::getegid());
        if (::unshare(CLONE_NEWUSER) != 0) return;  // no namespaces, nothing to leak
        os_write("/proc/self/setgroups", "deny");
        os_write("/proc/self/uid_map", user + " " + user + " 1");
        os_write("/proc/self/gid_map", group + " " + group + " 1");
        for (const char* kind : {"user", "mnt", "pid", "net", "ipc", "uts", "cgroup"}) {
            os_write(std::string("/proc/sys/user/max_") + kind + "_namespaces", "12");
        }
        for (int i = 0; i < sessions(); ++i) {
            int refused = 0;
            const bool started = eventually([&] {
                auto warden = Warden::start(spec());
                if (!warden) refused = warden.error().os_error;
                return warden.has_value() || refused != ENOSPC;
            });
            ASSERT_TRUE(started) << "namespaces are left after " << i << " sessions";
            ASSERT_EQ(refused == ENOSPC ? 0 : refused, 0);
        }
    });
}

TEST_P(LeakOnBothLevels, a_session_that_cannot_start_leaves_nothing) {
    START(working, spec());
    working.end();
    const std::size_t descriptors = open_descriptors();
    const auto directories = private_directories();
    sandbox::WardenSpec wanted = spec();
    wanted.options.required = {Layer::kCgroup, Layer::kMountNamespace};
    wanted.ceiling.cgroup = false;
    for (int i = 0; i < 10; ++i) EXPECT_CODE(Warden::start(wanted), Code::kSandboxUnavailable);
    EXPECT_EQ(open_descriptors(), descriptors);
    EXPECT_EQ(private_directories(), directories);
    EXPECT_EQ(children(), "");
}

TEST_P(LeakOnBothLevels, threads_may_share_a_session) {
    START(warden, spec());
    std::vector<std::thread> threads;
    std::atomic<int> failed = 0;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&, t] {
            for (int i = 0; i < 10; ++i) {
                const std::string text = std::to_string(t) + "-" + std::to_string(i);
                if (run(warden, "echo " + text).output != text + "\n") ++failed;
                if (!warden.processes().has_value()) ++failed;
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(failed, 0);
}

// A thread that starts a session may end before it.
TEST_P(LeakOnBothLevels, a_session_outlives_the_thread_that_started_it) {
    START(probe, spec());
    probe.end();
    std::optional<Warden> warden;
    std::thread([&] {
        auto started = Warden::start(spec());
        if (started) warden = std::move(*started);
    }).join();
    ASSERT_TRUE(warden.has_value());
    EXPECT_EQ(run(*warden, "echo alive").output, "alive\n");
}

}  // namespace
}  // namespace paddock::testing
