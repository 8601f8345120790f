// openat2 filtered or contended for good, transfers that are always short, and a process that has
// few descriptors left.
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <thread>

#include <paddock/limits.h>

#include "fault/faults.h"
#include "fault/operations.h"
#include "fault/scene.h"

using namespace paddock;
using namespace paddock::testing;
using sys::Call;

namespace {

class Storm : public Scene {
protected:
    // Runs everything once without and once with the plan: the same answers, the same trees.
    void expect_no_difference(const FaultPlan& plan);

    const Root root_ = root();
};

void Storm::expect_no_difference(const FaultPlan& plan) {
    for (const Operation& operation : operations()) {
        SCOPED_TRACE(operation.name);
        restore();
        const std::string answer = told(operation.run(root_));
        const Snapshot tree = snapshot();
        restore();
        const Faults faults(plan);
        EXPECT_EQ(told(operation.run(root_)), answer);
        EXPECT_EQ(difference(snapshot(), tree), "");
    }
}

TEST_F(Storm, openat2_that_disappears_is_replaced_by_the_walk) {
    expect_no_difference(storm(Call::kOpenat2, ENOSYS));
}

TEST_F(Storm, openat2_that_is_forbidden_is_replaced_by_the_walk) {
    expect_no_difference(storm(Call::kOpenat2, EPERM));
}

TEST_F(Storm, a_root_opened_without_openat2_walks) {
    RootOptions kernel_only;
    kernel_only.resolver = ResolverKind::kOpenat2;
    for (const int error : {ENOSYS, EPERM}) {
        const Faults faults(storm(Call::kOpenat2, error));
        const auto opened = Root::open(ws());
        ASSERT_TRUE(opened);
        EXPECT_EQ(opened->resolver(), ResolverKind::kWalk);
        EXPECT_EQ(opened->read_file("abs/sub/b").value_or(""), "2");
        EXPECT_CODE(opened->read_file("dir/escape"), Code::kPathEscape);
        EXPECT_CODE(Root::open(ws(), kernel_only), Code::kNotAvailable);
    }
}

TEST_F(Storm, endless_contention_is_a_race_and_selects_no_other_resolver) {
    if (root_.resolver() != ResolverKind::kOpenat2) GTEST_SKIP() << "openat2 is not used here";
    const Snapshot before = snapshot();
    const Faults faults(storm(Call::kOpenat2, EAGAIN));
    EXPECT_CODE(root_.open_file("dir/sub/b"), Code::kRace);
    EXPECT_CODE(root_.read_file("link"), Code::kRace);
    EXPECT_CODE(root_.stat("dir/sub"), Code::kRace);
    EXPECT_CODE(root_.list("dir"), Code::kRace);
    EXPECT_CODE(root_.walk("dir", [](const WalkEntry&) { return WalkAction::kContinue; }),
                Code::kRace);
    EXPECT_CODE(root_.sub_root("dir"), Code::kRace);
    EXPECT_CODE(root_.lstat("dir/a"), Code::kRace);
    EXPECT_CODE(root_.rename("dir/a", "b"), Code::kRace);
    EXPECT_EQ(difference(snapshot(), before), "");
}

// An operation that looks up anew when its target changed must not give a lookup that never settles
// its time again. Here each try takes all of it, so that a lookup has two: the one from which on
// the time counts, and the one after which it is up.
TEST_F(Storm, endless_contention_is_waited_for_once) {
    if (root_.resolver() != ResolverKind::kOpenat2) GTEST_SKIP() << "openat2 is not used here";
    const Snapshot before = snapshot();
    FaultPlan plan = storm(Call::kOpenat2, EAGAIN);
    plan.before = [] {
        std::this_thread::sleep_for(limits::kRaceDeadline + std::chrono::milliseconds(1));
    };
    const auto expect_two_tries = [&](const auto& act) {
        const Faults faults(plan);
        EXPECT_CODE(act(), Code::kRace);
        EXPECT_EQ(faults.calls(), 2U);
    };
    expect_two_tries([&] { return root_.stat("dir/sub"); });
    expect_two_tries([&] { return root_.write_file("dir/new", kNew); });
    expect_two_tries([&] { return root_.append_file("dir/a", kNew); });
    expect_two_tries([&] { return root_.remove("dir/a"); });
    expect_two_tries([&] { return root_.mkdir_all("dir/x/y"); });
    EXPECT_EQ(difference(snapshot(), before), "");
}

class ShortTransfers : public Scene, public ::testing::WithParamInterface<int> {
protected:
    FaultPlan plan() const {
        return {.nth = 1, .period = 1, .bytes_max = static_cast<std::size_t>(GetParam())};
    }

    // Not a multiple of any transfer size, no two neighbours alike.
    std::string content() const {
        std::string text;
        for (int i = 0; i < 1001; ++i) text += static_cast<char>('a' + i % 23);
        return text;
    }
};

TEST_P(ShortTransfers, move_everything) {
    const Root root = this->root();
    const Faults faults(plan());
    EXPECT_OK(root.write_file("file", content()));
    EXPECT_EQ(root.read_file("file").value_or(""), content());
    EXPECT_OK(root.append_file("file", content()));
    EXPECT_OK(root.copy_file("file", "copy"));
    EXPECT_EQ(os_read(ws("file")), content() + content());
    EXPECT_EQ(os_read(ws("copy")), content() + content());
    EXPECT_EQ(root.read_file("copy").value_or(""), content() + content());
}

INSTANTIATE_TEST_SUITE_P(Bytes, ShortTransfers, ::testing::Range(1, 8));

using CopyFallback = Scene;

TEST_F(CopyFallback, takes_over_where_the_kernel_does_not_copy) {
    const Root root = this->root();
    const std::string content(200'001, 'x');
    os_write(ws("file"), content);
    for (const int error : {EXDEV, EINVAL, ENOSYS, EOPNOTSUPP}) {
        for (const std::size_t nth : {1U, 2U}) {
            FaultPlan plan = storm(Call::kCopyRange, error);
            plan.nth = nth;
            const Faults faults(plan);
            EXPECT_OK(root.copy_file("file", "copy", true));
            EXPECT_EQ(os_read(ws("copy")), content);
        }
    }
}

// Lowers the limit so that `spare` more descriptors can be opened.
class FewDescriptors {
public:
    explicit FewDescriptors(rlim_t spare) {
        ::getrlimit(RLIMIT_NOFILE, &usual_);
        const int next = ::dup(STDIN_FILENO);
        ::close(next);
        const rlimit few{static_cast<rlim_t>(next) + spare, usual_.rlim_max};
        ::setrlimit(RLIMIT_NOFILE, &few);
    }
    ~FewDescriptors() { ::setrlimit(RLIMIT_NOFILE, &usual_); }
    FewDescriptors(const FewDescriptors&) = delete;
    FewDescriptors& operator=(const FewDescriptors&) = delete;

private:
    rlimit usual_;
};

using Descriptors = Storm;

TEST_F(Descriptors, running_out_of_them_is_a_limit_and_leaves_nothing) {
    constexpr rlim_t kAmple = 32;
    for (const Operation& operation : operations()) {
        SCOPED_TRACE(operation.name);
        restore();
        const Snapshot before = snapshot();
        const std::string answer = told(operation.run(root_));
        bool enough = false;
        for (rlim_t spare = 0; !enough; ++spare) {
            SCOPED_TRACE(spare);
            if (operation.changes) restore();
            const std::size_t descriptors = open_descriptors();
            const auto result = [&] {
                const FewDescriptors few(spare);
                return operation.run(root_);
            }();
            EXPECT_EQ(open_descriptors(), descriptors);
            enough = told(result) == answer;
            ASSERT_LT(spare, kAmple);
            if (enough) continue;
            if (result) {
                EXPECT_NE(result->find('!'), std::string::npos) << *result;
            } else {
                EXPECT_EQ(code_name(result.error().code), code_name(Code::kLimitReached));
            }
            // Directories may have been made or emptied on the way; files are whole.
            Snapshot now = snapshot();
            EXPECT_EQ(take_temporaries(now), 0U);
            for (const auto& [path, state] : before) {
                const auto found = now.find(path);
                EXPECT_TRUE(found == now.end() || found->second == state) << path;
            }
        }
    }
}

}  // namespace
