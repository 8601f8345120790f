// Memory of a session is counted as memory, without a cgroup: all that it holds, and once.
#include <chrono>
#include <thread>

#include "sandbox/session.h"

namespace paddock::testing {
namespace {

constexpr std::uint64_t kLimit = std::uint64_t{256} << 20;

// Arguments of the inmate "hold_memory"; megabytes.
struct Holder {
    const char* name;
    const char* what;
    bool is_on_full_level_only = false;
};

class MemoryOnBothLevels : public OnBothLevels {
protected:
    // Where the kernel keeps the limit there is nothing to count.
    sandbox::WardenSpec spec() const {
        sandbox::WardenSpec wanted = OnBothLevels::spec();
        wanted.options.limits.memory_bytes = kLimit;
        wanted.ceiling.cgroup = false;
        return wanted;
    }

    // A command that holds it until it is ended.
    sandbox::Process holding(sandbox::Warden& warden, const std::string& what) {
        const std::string done = "done-" + std::to_string(++holders_);
        sandbox::Process process =
            leave_running(warden, "exec " + inmate() + "hold_memory " + done + " " + what);
        EXPECT_TRUE(eventually([&] { return os_exists(ws(done)); })) << what;
        return process;
    }

    // A look may take more than one request.
    static bool is_found(sandbox::Warden& warden, sandbox::ProcessId guilty) {
        return eventually([&] {
            const auto census = warden.census();
            return census && census->exceeds_memory && census->most_memory == guilty;
        });
    }
    static bool is_left_alone(sandbox::Warden& warden) {
        const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(400);
        while (std::chrono::steady_clock::now() < end) {
            const auto census = warden.census();
            if (!census || census->exceeds_memory) return false;
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
        }
        return true;
    }

private:
    int holders_ = 0;
};

INSTANTIATE_TEST_SUITE_P(levels, MemoryOnBothLevels,
                         ::testing::Values(SandboxLevel::kFull, SandboxLevel::kLow),
                         [](const auto& level) { return std::string(level_name(level.param)); });

constexpr Holder kTooMuch[] = {
    {"private_pages", "private 300 stay"},
    {"shared_pages", "shared 300 stay"},
    {"a_memfd_that_nobody_maps", "memfd 700 stay"},
    {"a_mapped_memfd", "mapped 700 stay"},
    {"memfds_and_shared_pages", "memfd 150 shared 150 stay"},
    {"a_mapped_memfd_and_private_pages", "mapped 150 private 150 stay"},
    {"children", "children 40 stay"},
    {"page_tables", "tables 300 stay"},
    {"mappings_of_nine_processes", "mappings 14 private 150 children 1 stay"},
    {"a_process_whose_first_thread_has_ended", "private 300 leave"},
    {"such_a_process_below_another", "private 300 leave_twice"},
    {"a_memfd_of_such_a_process", "memfd 300 leave"},
    {"a_detached_segment", "segment 300 stay", true},
    {"semaphores", "semaphores 300 stay", true},
    {"messages", "messages 300 stay", true},
};

TEST_P(MemoryOnBothLevels, that_is_too_much_is_seen_however_it_is_held) {
    for (const Holder& holder : kTooMuch) {
        if (holder.is_on_full_level_only && !full()) continue;
        SCOPED_TRACE(holder.name);
        START(warden, spec());
        const sandbox::Process process = holding(warden, holder.what);
        EXPECT_TRUE(is_found(warden, process.id));
        EXPECT_OK(warden.kill_tree(process.id));
        EXPECT_TRUE(eventually([&] { return !warden.census()->exceeds_memory; }));
    }
}

constexpr Holder kFits[] = {
    {"reserved_addresses", "reserved 4000000 stay"},
    {"private_pages", "private 180 stay"},
    {"a_mapped_memfd_counts_once", "mapped 180 stay"},
    {"shared_pages_of_nine_processes_count_once", "shared 100 children 1 stay"},
    {"so_do_private_pages_that_none_of_them_changed", "private 100 children 1 stay"},
    {"so_does_a_memfd_that_they_inherited", "memfd 100 children 1 stay"},
    {"and_one_that_they_map", "mapped 100 children 1 stay"},
    {"mappings", "mappings 14 private 150 stay"},
    {"what_25_processes_share", "readers 100 stay"},
    {"memory_that_a_child_borrows", "private 180 lend"},
    {"also_from_one_whose_first_thread_has_ended", "private 180 leave_and_lend"},
    {"a_detached_segment", "segment 180 stay", true},
    {"semaphores", "semaphores 120 stay", true},
    {"messages", "messages 120 stay", true},
};

TEST_P(MemoryOnBothLevels, that_fits_is_left_alone) {
    for (const Holder& holder : kFits) {
        if (holder.is_on_full_level_only && !full()) continue;
        SCOPED_TRACE(holder.name);
        START(warden, spec());
        const sandbox::Process process = holding(warden, holder.what);
        EXPECT_TRUE(is_left_alone(warden));
        EXPECT_GE(warden.census()->alive, 1U);
    }
}

// Each takes long to look at: tens of thousands of mappings, and a memfd among them. Requests are
// answered in between.
TEST_P(MemoryOnBothLevels, that_is_held_so_that_looking_takes_long_holds_up_nobody) {
    START(warden, spec());
    const sandbox::Process slow = holding(warden, "mappings 14 readers 16 stay");
    int answers = 0;
    EXPECT_TRUE(eventually([&] {
        ++answers;
        const auto census = warden.census();
        return census && census->exceeds_memory && census->most_memory == slow.id;
    }));
    EXPECT_GE(answers, 2) << "the first request had to wait until all was looked at";
}

// The control: the kernel has nothing against it.
TEST_P(MemoryOnBothLevels, that_is_too_much_passes_when_nobody_looks) {
    START(warden, spec());
    for (const char* what : {"memfd 700", "shared 700", "private 700"}) {
        const Ran ran = run(warden, inmate() + "hold_memory done " + what);
        EXPECT_EQ(ran.exit_code, 0) << what << ran.output << ran.error;
    }
}

TEST_P(MemoryOnBothLevels, is_blamed_on_the_command_that_holds_the_most) {
    START(warden, spec());
    const sandbox::Process small = holding(warden, "private 120 stay");
    EXPECT_TRUE(is_left_alone(warden));
    const sandbox::Process large = holding(warden, "memfd 100 shared 100 stay");
    EXPECT_TRUE(is_found(warden, large.id));
    EXPECT_OK(warden.kill_tree(large.id));
    EXPECT_TRUE(eventually([&] { return !warden.census()->exceeds_memory; }));
    EXPECT_TRUE(eventually([&] { return warden.census()->alive == 1; }));
    EXPECT_CODE(warden.kill_tree(large.id), Code::kNotFound);
    EXPECT_OK(warden.kill_tree(small.id));
}

TEST_P(MemoryOnBothLevels, that_a_command_left_behind_is_found_and_ended) {
    START(warden, spec());
    const Ran ran = run(warden, inmate() +
                                    "hold_memory done memfd 300 stay > /dev/null 2>&1 & "
                                    "until [ -e done ]; do sleep 0.01; done");
    ASSERT_EQ(ran.exit_code, 0) << ran.output << ran.error;
    const sandbox::Process other = holding(warden, "private 10 stay");
    EXPECT_TRUE(is_found(warden, 0));
    EXPECT_TRUE(warden.kill_left().has_value());
    EXPECT_TRUE(eventually([&] { return !warden.census()->exceeds_memory; }));
    EXPECT_TRUE(eventually([&] { return warden.census()->alive == 1; }));
}

class Memory : public MemoryOnBothLevels {};
INSTANTIATE_TEST_SUITE_P(levels, Memory, ::testing::Values(SandboxLevel::kFull),
                         [](const auto& level) { return std::string(level_name(level.param)); });

TEST_P(Memory, that_one_command_left_in_objects_is_free_for_the_next) {
    START(warden, spec());
    for (const char* what : {"semaphores 200", "messages 200", "segment 200"}) {
        ASSERT_EQ(run(warden, inmate() + "hold_memory done " + what).exit_code, 0) << what;
        const sandbox::Process next = holding(warden, "private 150 stay");
        EXPECT_TRUE(is_left_alone(warden)) << what;
        EXPECT_OK(warden.kill_tree(next.id));
        EXPECT_TRUE(eventually([&] { return warden.processes().value_or(1) == 0; }));
    }
}

TEST_P(Memory, a_message_of_one_command_reaches_the_next) {
    START(warden, spec());
    ASSERT_EQ(
        run(warden, inmate() + "hold_memory done messages 1 segment 1 semaphores 1").exit_code, 0);
    EXPECT_NE(run(warden, "tail -n +2 /proc/sysvipc/msg | wc -l").output, "0\n");
    EXPECT_EQ(run(warden, "tail -n +2 /proc/sysvipc/shm | wc -l").output, "1\n");
}

TEST_P(Memory, of_many_semaphores_is_not_to_be_had_at_once) {
    START(warden, spec());
    EXPECT_EQ(run(warden, inmate() + "make_large_set").exit_code, EINVAL);
    EXPECT_EQ(run(warden, inmate() + "hold_memory done semaphores 1").exit_code, 0);
}

// It would stay until the end of the session.
TEST_P(Memory, of_a_segment_that_nobody_uses_any_more_is_freed_with_what_was_left) {
    START(warden, spec());
    const sandbox::Process other = holding(warden, "private 10 segment 1 stay");
    const Ran ran = run(warden, inmate() + "hold_memory done segment 300");
    ASSERT_EQ(ran.exit_code, 0) << ran.output << ran.error;
    EXPECT_TRUE(is_found(warden, 0));
    EXPECT_EQ(warden.kill_left().value_or(0), 1U);
    EXPECT_TRUE(eventually([&] { return !warden.census()->exceeds_memory; }));
    EXPECT_EQ(run(warden, "tail -n +2 /proc/sysvipc/shm | wc -l").output, "1\n")
        << "the segment of the one that runs stays";
}

}  // namespace
}  // namespace paddock::testing
