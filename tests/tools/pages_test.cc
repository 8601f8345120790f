// What a bound cuts is had by the next page, and nothing comes twice.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <stop_token>

#include <paddock/limits.h>

#include "sys/files.h"
#include "tools/desk.h"

namespace paddock::testing {
namespace {

class Pages : public Desk {
protected:
    // The parts of an answer that was cut, each fetched as the one before says; without the hints.
    std::vector<std::string> pages(std::string_view tool, json::Object arguments) {
        constexpr std::string_view kHint = "continue with offset=";
        std::vector<std::string> all;
        while (all.size() < 10) {
            const std::string text = ok(tool, arguments);
            all.push_back(text.substr(0, text.find("\n[")));
            const std::size_t hint = text.find(kHint);
            if (hint == text.npos) break;
            arguments["offset"] = std::stoi(text.substr(hint + kHint.size()));
        }
        return all;
    }

    void age(const char* name, std::time_t seconds) {
        const timespec times[] = {{0, UTIME_OMIT}, {1'000'000'000 - seconds, 0}};
        ASSERT_EQ(::utimensat(AT_FDCWD, ws(name).c_str(), times, 0), 0);
    }
};

TEST_F(Pages, of_glob) {
    for (const char* name : {"a", "b", "c", "d", "e"}) tree({"ROOT/" + std::string(name) + "=x"});
    age("b", 1);  // the newest
    age("e", 2);
    for (const char* name : {"a", "c", "d"}) age(name, 3);
    EXPECT_EQ(pages("glob", {{"pattern", "*"}, {"limit", 2}}),
              (std::vector<std::string>{"b\ne\n", "a\nc\n", "d\n"}));
    EXPECT_EQ(ok("glob", {{"pattern", "*"}, {"limit", 2}, {"offset", 2}}),
              "a\nc\n\n[Newest 3 to 4 of 5 shown; continue with offset=4, or narrow the pattern.]");
    EXPECT_EQ(ok("glob", {{"pattern", "*"}, {"offset", 5}}), "No more files match.\n");
    EXPECT_EQ(refused("glob", {{"pattern", "*"}, {"offset", -1}}), "invalid_argument");
}

TEST_F(Pages, of_a_directory) {
    for (int i = 1000; i < 3500; ++i) os_write(ws(std::to_string(i)), "");
    tree({"ROOT/sub/"});
    const auto found = pages("list_directory", {});
    ASSERT_EQ(found.size(), 3U);
    EXPECT_TRUE(found[0].starts_with("./\nsub/\n1000\n")) << found[0];
    EXPECT_TRUE(found[1].starts_with("./\n1999\n2000\n")) << found[1];
    EXPECT_TRUE(found[2].starts_with("./\n2999\n3000\n")) << found[2];
    EXPECT_TRUE(found[2].ends_with("\n3499\n")) << found[2];
    EXPECT_EQ(ok("list_directory", {{"offset", 2501}}), "./\n\n[There are no more entries.]");
}

TEST_F(Pages, of_a_tree_name_again_what_they_are_in) {
    tree({"ROOT/a/b/", "ROOT/a/none/", "ROOT/other/x=", "ROOT/z="});
    for (int i = 1000; i < 2000; ++i) os_write(ws("a/b/" + std::to_string(i)), "");
    // a, a/b and 998 files; the other two, a/none, other, other/x, z.
    EXPECT_EQ(pages("list_directory", {{"depth", 3}}).back(),
              "./\na/\n  b/\n    1998\n    1999\n  none/\nother/\n  x\nz\n");
    EXPECT_EQ(ok("list_directory", {{"depth", 3}, {"offset", 1003}}), "./\nother/\n  x\nz\n");
}

TEST_F(Pages, end_where_no_further_offset_is_taken) {
    tree({"ROOT/d/", "ROOT/e/"});
    const auto directory = sys::openat(AT_FDCWD, ws("d").c_str(), O_RDONLY).value();
    for (std::size_t i = 0; i < limits::kListEntriesMax + 100; ++i) {
        ASSERT_EQ(::mknodat(directory.get(), std::to_string(i).c_str(), S_IFREG | 0600, 0), 0);
    }
    for (int i = 0; i < 1100; ++i) os_write(ws("e/" + std::to_string(i)), "");
    const auto closing = [&](std::string_view tool, const json::Object& arguments) {
        const std::string text = ok(tool, arguments);
        return text.substr(text.rfind('[') + 1);
    };
    EXPECT_EQ(closing("glob", {{"pattern", "d/*"}, {"limit", 100}, {"offset", 99'950}}),
              "Newest 99951 to 100050 of 100100 shown; narrow the pattern.]");
    EXPECT_EQ(closing("list_directory", {{"path", "d"}, {"offset", 99'500}}),
              "A directory has more than 100000 entries; the last ones, by name, are not listed. "
              "Find them with glob.]");
    const std::string last = closing("list_directory", {{"depth", 2}, {"offset", 100'000}});
    EXPECT_TRUE(last.starts_with("1000 entries shown, at least 102 more; list a directory below"))
        << last;
}

TEST_F(Pages, of_a_directory_end_when_cancelled) {
    tree({"ROOT/a="});
    tools::CallOptions cancelled;
    std::stop_source source;
    source.request_stop();
    cancelled.cancel = source.get_token();
    const auto answer = tools::call(workspace(), "list_directory", "{}", cancelled);
    ASSERT_TRUE(answer.error.has_value());
    EXPECT_EQ(*answer.error, Code::kCancelled);
}

TEST_F(Pages, what_is_left_out_of_a_directory_is_bounded_in_all) {
    tree({"ROOT/a=", "ROOT/b="});
    const std::string many = "{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}";  // 512
    EXPECT_EQ(ok("list_directory", {{"ignore", json::Array{many, "a", "c"}}}), "./\nb\n");
    EXPECT_EQ(refused("list_directory", {{"ignore", json::Array{many, many, "a"}}}),
              "limit_reached");
}

}  // namespace
}  // namespace paddock::testing
