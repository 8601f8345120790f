// Calls for which there is not enough memory: each allocation of a call fails once. And what must
// not take much.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <new>
#include <utility>

#include "json/write.h"
#include "tools/desk.h"
#include "tools/kept_output.h"

namespace {

// How many allocations of this thread succeed before one fails; negative: all do.
thread_local int allocations_left = -1;

thread_local std::size_t largest_allocation = 0;

}  // namespace

void* operator new(std::size_t size) {
    if (allocations_left >= 0 && allocations_left-- == 0) throw std::bad_alloc();
    largest_allocation = std::max(largest_allocation, size);
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

TEST(KeptOutput, copies_no_more_than_its_end) {
    constexpr std::size_t kLarge = 1 << 20;
    tools::KeptOutput output(search::SecretScanner::create().value());
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
