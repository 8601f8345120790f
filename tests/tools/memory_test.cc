// Calls for which there is not enough memory: each allocation of a call fails once. And what must
// not take much.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <new>
#include <utility>

#include "escape/call_hook.h"
#include "escape/in_memory.h"
#include "journal/prune.h"
#include "json/write.h"
#include "tools/desk.h"
#include "tools/job.h"

namespace {

// How many allocations of this thread succeed before one fails; negative: all do.
thread_local int allocations_left = -1;

thread_local std::size_t largest_allocation = 0;
thread_local std::size_t allocated = 0;  // in all

}  // namespace

void* operator new(std::size_t size) {
    if (allocations_left >= 0 && allocations_left-- == 0) throw std::bad_alloc();
    largest_allocation = std::max(largest_allocation, size);
    allocated += size;
    if (void* memory = std::malloc(size > 0 ? size : 1)) return memory;
    throw std::bad_alloc();
}

void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace paddock::testing {
namespace {

using Memory = Desk;

// A document that is too large for the memory there is counts as an invalid one.
bool is_refused(const tools::Answer& answer) {
    return answer.error == Code::kLimitReached || answer.error == Code::kInvalidArgument;
}

TEST_F(Memory, that_is_missing_is_an_answer) {
    constexpr int kAllocationsMax = 10'000;
    const std::pair<const char*, json::Object> calls[] = {
        {"read_file", {{"path", "f"}}},
        {"edit_file", {{"path", "f"}, {"old_string", "x"}, {"new_string", "x y"}}},
        {"grep", {{"pattern", "x"}, {"output_mode", "content"}}},
        {"list_directory", {{"path", "."}}},
        {"no_tool", {}}};
    for (const auto& [tool, arguments] : calls) {
        const std::string text = json::to_text(arguments);
        int limited = 0;
        int n = 0;
        for (; n < kAllocationsMax; ++n) {
            os_write(ws("f"), "x\n");
            (void)tools::call(workspace(), "read_file", R"({"path": "f"})");
            allocations_left = n;
            const tools::Answer answer = tools::call(workspace(), tool, text);
            const bool failed = allocations_left < 0;
            allocations_left = -1;
            if (!failed) break;
            EXPECT_TRUE(!answer.error || is_refused(answer)) << tool << ": " << answer.text();
            EXPECT_EQ(os_list(ws()), std::vector<std::string>{"f"}) << tool;
            limited += answer.error == Code::kLimitReached ? 1 : 0;
        }
        EXPECT_LT(n, kAllocationsMax) << tool;
        EXPECT_GT(limited, 0) << tool << " made " << n << " allocations";
    }
}

using DeepTree = InMemoryOf<Desk>;

// What is done for an entry does not grow with its depth: nobody makes a path of each, and the
// directories on the way are not opened again for each.
TEST_F(DeepTree, issue_17_12_costs_what_it_holds) {
    options.unconfined = permit::Unconfined{"a test"};
    for (const std::string& at : {ws(), out()}) {
        const auto bytes_and_calls = [&](int levels) {
            make_deep_tree(at + "/x", levels);
            (void)ok("file_info", {{"path", at + "/x"}});
            allocated = 0;
            const int calls = count_calls([&] {
                (void)ok("move_path", {{"source", at + "/x"}, {"destination", at + "/y"}});
                (void)ok("remove_path", {{"path", at + "/y"}, {"recursive", true}});
            });
            EXPECT_FALSE(os_exists(at + "/y"));
            return std::pair(allocated, calls);
        };
        const auto [few_bytes, few_calls] = bytes_and_calls(2000);
        const auto [many_bytes, many_calls] = bytes_and_calls(8000);
        EXPECT_LT(many_bytes, 6 * few_bytes) << at;
        EXPECT_LT(many_calls, 6 * few_calls) << at;
    }
    reopen();
    const auto later = std::chrono::system_clock::now() + std::chrono::hours(24 * 31);
    EXPECT_EQ(journal::prune(root().fd(), later, {}).value().sessions, 1U);
}

TEST(KeptOutput, copies_no_more_than_its_end) {
    constexpr std::size_t kLarge = 1 << 20;
    tools::KeptOutput output(secrets::SecretScanner::create().value());
    output.add(std::string(4 * kLarge, 'x') + "\u00e9nd\nTOKEN");
    output.settle();
    EXPECT_FALSE(output.rest().empty()) << "the filter waits for what follows";
    largest_allocation = 0;
    EXPECT_EQ(output.end(10), "\u00e9nd\nTOKEN");
    EXPECT_EQ(output.end(9), "nd\nTOKEN") << "no half of a character";
    EXPECT_EQ(output.end(16), "xxxxxx\u00e9nd\nTOKEN");
    EXPECT_LT(largest_allocation, kLarge);
}

}  // namespace
}  // namespace paddock::testing
