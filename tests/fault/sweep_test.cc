// Every operation, with each of its system calls failing in turn with each errno.
//
// Whatever fails, each object is as before or as after a faultless run, nothing is left over, the
// outside is untouched, and the answer is the faultless one or a typed error.
#include <fcntl.h>

#include <cerrno>

#include "fault/faults.h"
#include "fault/operations.h"
#include "fault/scene.h"

using namespace paddock;
using namespace paddock::testing;

namespace {

constexpr int kErrors[] = {EINTR,  EIO,    ENOSPC, EDQUOT, EMFILE, EACCES, EPERM,
                           ENOSYS, EAGAIN, ELOOP,  EXDEV,  ENOENT, EINVAL};

// Failures of openat2 that another attempt or the walk makes good.
bool is_made_good(int error, sys::Call call) {
    if (error == EINTR) return true;
    return call == sys::Call::kOpenat2 && (error == EAGAIN || error == ENOSYS || error == EPERM ||
                                           error == ELOOP || error == EXDEV);
}

// Errors that are answers: something is gone, or is where following a link would have ended.
bool is_taken_for_true(const Operation& operation, int error) {
    if (error == ENOENT) return true;
    return operation.name.starts_with("readlink") && (error == EACCES || error == ELOOP);
}

// Errors that mean one thing only, which the caller must be told. (An owner that could not be kept
// is a refusal whatever the reason.)
bool must_be_named(int error, sys::Call call) {
    const bool is_plain = error == EIO || error == ENOSPC || error == EDQUOT || error == EMFILE;
    return is_plain && call != sys::Call::kChown;
}

class Sweep : public Scene, public ::testing::WithParamInterface<Operation> {
protected:
    // What a faultless run does, and how many calls it makes.
    void learn();
    void fail(std::size_t nth, int error);

    const Root root_ = root();
    const Snapshot before_ = snapshot();
    Snapshot after_;
    std::string answer_;
    std::size_t calls_ = 0;
    bool is_changed_ = false;

private:
    void check_answer(const Result<std::string>& result, const FaultPlan& plan, sys::Call struck);
    void check_tree(const Snapshot& now, bool must_be_done) const;
};

void Sweep::learn() {
    const Faults none;
    answer_ = told(GetParam().run(root_));
    calls_ = none.calls();
    after_ = snapshot();
    is_changed_ = after_ != before_;
    ASSERT_EQ(take_temporaries(after_), 0U);
    ASSERT_EQ(is_changed_, GetParam().changes);
}

void Sweep::fail(std::size_t nth, int error) {
    if (is_changed_) restore();
    const std::size_t descriptors = open_descriptors();
    const FaultPlan plan = nth_call(nth, error);
    std::optional<sys::Call> struck;
    const auto result = [&] {
        const Faults faults(plan);
        auto answer = GetParam().run(root_);
        struck = faults.struck();
        return answer;
    }();
    SCOPED_TRACE(describe(plan, struck));
    ASSERT_TRUE(struck);
    EXPECT_EQ(open_descriptors(), descriptors);
    check_answer(result, plan, *struck);
    Snapshot now = snapshot();
    is_changed_ = now != before_;
    const bool may_stay = struck == sys::Call::kUnlink && error != EINTR;
    EXPECT_LE(take_temporaries(now), may_stay ? 1U : 0U) << "a temporary file was left";
    check_tree(now, result.has_value() && !is_taken_for_true(GetParam(), error));
}

void Sweep::check_answer(const Result<std::string>& result, const FaultPlan& plan,
                         sys::Call struck) {
    if (is_made_good(plan.error, struck)) {
        EXPECT_EQ(told(result), answer_);
        return;
    }
    if (!result) {
        EXPECT_NE(result.error().code, Code::kInternal) << result.error().message();
        EXPECT_EQ(result.error().message().find(base()), std::string::npos);
        if (must_be_named(plan.error, struck)) {
            EXPECT_EQ(code_name(result.error().code),
                      code_name(Failure::from_errno(plan.error).code));
        }
        return;
    }
    const bool partly_walked = result->find('!') != std::string::npos;
    if (is_taken_for_true(GetParam(), plan.error) || partly_walked) return;
    EXPECT_EQ(*result, answer_);
}

void Sweep::check_tree(const Snapshot& now, bool must_be_done) const {
    if (must_be_done) {
        EXPECT_EQ(difference(now, after_), "");
        return;
    }
    const auto state_in = [](const Snapshot& all, const std::string& path) {
        const auto found = all.find(path);
        return found == all.end() ? std::string("absent") : found->second;
    };
    Snapshot paths = before_;
    paths.insert(after_.begin(), after_.end());
    paths.insert(now.begin(), now.end());
    for (const auto& [path, ignored] : paths) {
        const std::string state = state_in(now, path);
        const std::string done = state_in(after_, path);
        const bool begun = GetParam().in_place && done.starts_with(state);
        EXPECT_TRUE(state == done || begun || state == state_in(before_, path))
            << path << " is in a third state: " << state;
    }
}

TEST_P(Sweep, one_failed_call) {
    learn();
    ASSERT_GT(calls_, 0U);
    // Where one call is much like the others, each gets only some of the errors, in turn.
    const std::size_t stride = calls_ > 60 ? 4 : 1;
    int faults = 0;
    for (std::size_t nth = 1; nth <= calls_; ++nth) {
        for (std::size_t i = nth % stride; i < std::size(kErrors); i += stride) {
            fail(nth, kErrors[i]);
            ++faults;
        }
    }
    RecordProperty("faults", faults);
}

TEST_P(Sweep, every_second_call_interrupted) {
    learn();
    if (is_changed_) restore();
    const Faults faults({.nth = 1, .period = 2, .error = EINTR});
    EXPECT_EQ(told(GetParam().run(root_)), answer_);
    EXPECT_EQ(difference(snapshot(), after_), "");
}

INSTANTIATE_TEST_SUITE_P(All, Sweep, ::testing::ValuesIn(operations()),
                         [](const auto& test) { return test.param.name; });

// What cannot be found out is not taken for harmless. (That a name is gone or a link loops
// can be.)
using SweepOfRefusal = Scene;

TEST_F(SweepOfRefusal, a_link_that_leads_outside_is_never_made) {
    const Root root = this->root();
    const auto make = [&] { return root.symlink("escape", "dir/new"); };
    EXPECT_CODE(make(), Code::kPathEscape);
    for (const int error : kErrors) {
        if (error == ENOENT || error == ELOOP) continue;
        std::optional<sys::Call> struck = sys::Call::kOpenat;
        for (std::size_t nth = 1; struck; ++nth) {
            const FaultPlan plan = nth_call(nth, error);
            const Faults faults(plan);
            EXPECT_FALSE(make()) << describe(plan, faults.struck());
            struck = faults.struck();
            if (os_exists(ws("dir/new"))) restore();
        }
    }
}

class SweepOfOpening : public Scene {
protected:
    // The number of calls that a faultless run makes.
    template <class Open>
    static std::size_t calls_of(const Open& open) {
        const Faults none;
        EXPECT_OK(open());
        return none.calls();
    }

    template <class Open>
    void expect_typed(const Open& open) {
        const std::size_t calls = calls_of(open);
        const std::size_t descriptors = open_descriptors();
        for (std::size_t nth = 1; nth <= calls; ++nth) {
            for (const int error : kErrors) {
                const FaultPlan plan = nth_call(nth, error);
                const Faults faults(plan);
                const auto code = [&]() -> std::optional<Code> {
                    const auto root = open();
                    if (root) return std::nullopt;
                    return root.error().code;
                }();
                SCOPED_TRACE(describe(plan, faults.struck()));
                EXPECT_NE(code, Code::kInternal);
                EXPECT_TRUE(error != EINTR || !code) << code_name(*code);
                EXPECT_EQ(open_descriptors(), descriptors);
            }
        }
    }
};

TEST_F(SweepOfOpening, one_failed_call) {
    RootOptions options;
    options.resolver = resolver_under_test();
    options.mounts = {"dir/sub"};
    expect_typed([&] { return Root::open(ws(), options); });
    expect_typed(
        [&] { return Root::adopt(UniqueFd(::open(ws().c_str(), O_PATH | O_CLOEXEC)), options); });
}

}  // namespace
