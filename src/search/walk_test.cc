#include "search/walk.h"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <latch>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <paddock/limits.h>

#include "search/find.h"
#include "search/grep.h"
#include "testing/jail.h"

namespace paddock::search {
namespace {

struct Log {
    std::string delivered;
    std::size_t stop_at = SIZE_MAX;
    std::atomic<int> ran = 0;
    std::atomic<bool> delivering = false;
};

// Puts two tasks behind itself, down to a depth; the deliveries spell the tree in order.
class Twin final : public Task {
public:
    Twin(Log& log, std::string name, int depth)
        : log_(log), name_(std::move(name)), depth_(depth) {}

    void run(unsigned, List& behind) override {
        ++log_.ran;
        if (depth_ == 0) return;
        behind.push_back(std::make_unique<Twin>(log_, name_ + "a", depth_ - 1));
        behind.push_back(std::make_unique<Twin>(log_, name_ + "b", depth_ - 1));
    }
    Next deliver() override {
        EXPECT_FALSE(log_.delivering.exchange(true));
        log_.delivered += name_ + " ";
        log_.delivering = false;
        return log_.delivered.size() >= log_.stop_at ? Next::kStop : Next::kGoOn;
    }
    std::size_t bytes() const noexcept override { return 100; }

private:
    Log& log_;
    std::string name_;
    int depth_;
};

std::string expected_order(const std::string& name, int depth) {
    std::string order = name + " ";
    if (depth > 0)
        order += expected_order(name + "a", depth - 1) + expected_order(name + "b", depth - 1);
    return order;
}

TEST(OrderedWork, delivers_in_order_whatever_the_threads) {
    const std::string expected = expected_order("", 9);
    for (const unsigned threads : {1U, 2U, 8U}) {
        for (const std::size_t ahead : {std::size_t{0}, std::size_t{1000}, SIZE_MAX}) {
            Log log;
            run_in_order(std::make_unique<Twin>(log, "", 9), threads, ahead);
            EXPECT_EQ(log.delivered, expected);
            EXPECT_EQ(log.ran, 1023);
        }
    }
}

TEST(OrderedWork, stops_soon_after_enough) {
    for (const unsigned threads : {1U, 4U}) {
        Log log;
        log.stop_at = 40;
        run_in_order(std::make_unique<Twin>(log, "", 12), threads, SIZE_MAX);
        EXPECT_EQ(log.delivered, expected_order("", 12).substr(0, log.delivered.size()));
        EXPECT_GE(log.delivered.size(), 40U);
        EXPECT_LT(log.delivered.size(), 60U);
        if (threads == 1) {
            EXPECT_LT(log.ran, 30);
        }
    }
}

// Keeps its search under way until it is released.
class Holding final : public Task {
public:
    Holding(std::latch& begun, std::latch& released) : begun_(begun), released_(released) {}
    void run(unsigned, List&) override {
        begun_.count_down();
        released_.wait();
    }
    Next deliver() override { return Next::kGoOn; }
    std::size_t bytes() const noexcept override { return 0; }

private:
    std::latch& begun_;
    std::latch& released_;
};

// Leaves behind it tasks that note which threads run them.
class Noting final : public Task {
public:
    Noting(std::atomic<unsigned>& highest, int behind) : highest_(highest), behind_(behind) {}
    void run(unsigned worker, List& behind) override {
        for (unsigned seen = highest_;
             seen < worker && !highest_.compare_exchange_weak(seen, worker);) {
        }
        for (int i = 0; i < behind_; ++i) behind.push_back(std::make_unique<Noting>(highest_, 0));
    }
    Next deliver() override { return Next::kGoOn; }
    std::size_t bytes() const noexcept override { return 0; }

private:
    std::atomic<unsigned>& highest_;
    int behind_;
};

// Leaves behind it tasks that wait until each of them runs.
class Meeting final : public Task {
public:
    Meeting(std::latch& together, int behind) : together_(together), behind_(behind) {}
    void run(unsigned, List& behind) override {
        if (behind_ == 0) together_.arrive_and_wait();
        for (int i = 0; i < behind_; ++i) behind.push_back(std::make_unique<Meeting>(together_, 0));
    }
    Next deliver() override { return Next::kGoOn; }
    std::size_t bytes() const noexcept override { return 0; }

private:
    std::latch& together_;
    int behind_;
};

TEST(OrderedWork, issue_17_10_searches_share_the_processors) {
    std::latch begun(3);
    std::latch released(1);
    std::vector<std::jthread> others;
    for (int i = 0; i < 3; ++i) {
        others.emplace_back(
            [&] { run_in_order(std::make_unique<Holding>(begun, released), 1, SIZE_MAX); });
    }
    begun.wait();
    std::atomic<unsigned> highest = 0;
    run_in_order(std::make_unique<Noting>(highest, 20'000), 8, SIZE_MAX);
    EXPECT_LT(highest, 2U) << "a quarter of eight";
    released.count_down();
    others.clear();
    // Alone, it has them all.
    std::latch together(8);
    run_in_order(std::make_unique<Meeting>(together, 8), 8, SIZE_MAX);
}

TEST(OrderedWork, the_number_of_threads_is_bounded) {
    EXPECT_GE(search_threads(0), 1U);
    EXPECT_EQ(search_threads(3), 3U);
    EXPECT_LE(search_threads(1000), 8U);
}

}  // namespace

// Directories that a walk could not keep open, and whose path leads elsewhere by then.
namespace {

class CountProblems final : public GrepSink {
public:
    Next file(const GrepFile&) override { return Next::kGoOn; }
    Next problem(std::string_view, const Failure& failure) override {
        codes.insert(failure.code);
        return Next::kGoOn;
    }
    std::set<Code> codes;
};

// Each directory has a file that comes after all directories below it. When the walk has read the
// last one, the first of those that are to be opened again is put behind a link.
class Reopened : public testing::Jail {
protected:
    static constexpr int kMovedAt = kSearchHeldDirectoriesMax + 10;
    static constexpr int kDepth = kMovedAt + 9;
    static constexpr int kLost = 10;  // from kMovedAt to kDepth

    void SetUp() override {
        std::filesystem::create_directories(ws(down(kDepth)));
        for (int i = 0; i <= kDepth; ++i) os_write(ws(down(i) + "z"), "x");
    }
    static std::string down(int levels) {
        std::string path;
        for (int i = 0; i < levels; ++i) path += "d/";
        return path;
    }
    WalkOptions moving() {
        WalkOptions options;
        options.visible = [this](std::string_view path, FileType) {
            if (path == down(kDepth) + "z") {
                const std::string top = ws(down(kMovedAt - 1) + "d");
                std::filesystem::rename(top, ws("moved"));
                std::filesystem::create_directory_symlink(ws("moved"), top);
            }
            return true;
        };
        return options;
    }
};

TEST_F(Reopened, grep_says_which_files_it_could_not_search) {
    CountProblems sink;
    const auto summary =
        grep(root(), {.pattern = "x", .walk = moving(), .threads = 1}, sink).value();
    EXPECT_EQ(summary.matched, static_cast<std::uint64_t>(kMovedAt));
    EXPECT_EQ(summary.problems, static_cast<std::uint64_t>(kLost));
    EXPECT_EQ(sink.codes, std::set<Code>{Code::kPathEscape});
}

TEST_F(Reopened, glob_says_how_many_directories_it_could_not_look_into) {
    const auto result = find(root(), {.pattern = "z", .walk = moving(), .threads = 1}).value();
    EXPECT_EQ(result.total, static_cast<std::uint64_t>(kMovedAt));
    EXPECT_EQ(result.unreadable, static_cast<std::uint64_t>(kLost));
    EXPECT_EQ(result.first_unreadable + "/", down(kDepth));
    EXPECT_EQ(result.why_unreadable.code, Code::kPathEscape);
}

}  // namespace
}  // namespace paddock::search
