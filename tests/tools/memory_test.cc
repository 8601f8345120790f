// Calls for which there is not enough memory: each allocation of a call fails once.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>
#include <utility>

#include "json/write.h"
#include "tools/desk.h"

namespace {

// How many allocations of this thread succeed before one fails; negative: all do.
thread_local int allocations_left = -1;

}  // namespace

void* operator new(std::size_t size) {
    if (allocations_left >= 0 && allocations_left-- == 0) throw std::bad_alloc();
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

}  // namespace
}  // namespace paddock::testing
