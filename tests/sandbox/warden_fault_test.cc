// Every system call of starting a session and a command fails in turn: in the server, in the warden
// and in the child that becomes the command. The answer is an error or a working session, and
// nothing is left.
#include <unistd.h>

#include <cerrno>

#include "fault/faults.h"
#include "sandbox/session.h"
#include "sys/memory.h"

namespace paddock::testing {
namespace {

using sandbox::Warden;

class FaultsOnBothLevels : public OnBothLevels {
protected:
    // Starts a session and a command with that fault; true if the command ran to its end.
    bool works(const FaultPlan& plan) {
        const Faults faults(plan);
        auto warden = Warden::start(spec());
        if (!warden) {
            EXPECT_FALSE(warden.error().message().empty());
            return false;
        }
        const auto process = warden->spawn(shell(*warden, "echo works > made"));
        if (!process) return false;
        const auto record = sandbox::read_exit(process->status.get());
        if (!record || !*record || (*record)->exit_code != 0) return false;
        EXPECT_EQ(os_read(ws("made")), "works\n");
        return true;
    }

    // Hits one call after the other until a row of hits changed nothing: in all three processes
    // there are no more. Says how many hits did change something.
    int sweep(sys::Call only) {
        constexpr int kQuietEnough = 12;
        const std::size_t descriptors = open_descriptors();
        int struck = 0;
        int quiet = 0;
        for (std::size_t nth = 1; quiet < kQuietEnough; ++nth) {
            FaultPlan plan = nth_call(nth, ENOMEM);
            plan.only = only;
            const bool worked = works(plan);
            quiet = worked ? quiet + 1 : 0;
            struck += worked ? 0 : 1;
            EXPECT_EQ(open_descriptors(), descriptors) << "call " << nth;
            if (nth > 2000) break;
        }
        return struck;
    }
};

INSTANTIATE_TEST_SUITE_P(levels, FaultsOnBothLevels,
                         ::testing::Values(SandboxLevel::kFull, SandboxLevel::kLow),
                         [](const auto& level) { return std::string(level_name(level.param)); });

TEST_P(FaultsOnBothLevels, no_call_that_fails_leaves_anything) {
    if (!sys::kChildrenShareMemory) {
        GTEST_SKIP() << "under ThreadSanitizer a child that should share memory counts its own "
                        "calls: one fault hits it and its parent, which cannot end it then";
    }
    START(probe, spec());
    probe.end();
    const auto directories = private_directories();
    // A refused namespace makes the low level, unless it is required, as spec() does.
    EXPECT_GE(sweep(sys::Call::kProcess), 10);
    EXPECT_GE(sweep(sys::Call::kCredential), full() || is_root() ? 20 : 2);
    EXPECT_GE(sweep(sys::Call::kSocket), 5);
    EXPECT_GE(sweep(sys::Call::kMkdir), full() ? 1 : 0);
    EXPECT_GE(sweep(sys::Call::kWrite), full() ? 3 : 1);
    EXPECT_GE(sweep(sys::Call::kMount), full() ? 50 : 0);
    EXPECT_EQ(*os_read("/proc/self/task/" + std::to_string(::getpid()) + "/children"), "");
    EXPECT_EQ(private_directories(), directories);
    START(warden, spec());
    EXPECT_EQ(run(warden, "echo works").output, "works\n");
}

}  // namespace
}  // namespace paddock::testing
