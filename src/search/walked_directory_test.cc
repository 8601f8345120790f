// Directories that a walk could not keep open, and whose path leads elsewhere by then.
#include "search/walked_directory.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include <paddock/limits.h>

#include "search/find.h"
#include "search/grep.h"
#include "testing/jail.h"

namespace paddock::search {
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
    static constexpr int kMovedAt = limits::kSearchHeldDirectoriesMax + 10;
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
