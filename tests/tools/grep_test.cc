// grep where its answer does not hold everything: by a limit, by size, or by what may be read.
#include <gtest/gtest.h>

#include <cstdio>

#include <paddock/limits.h>

#include "tools/desk.h"

namespace paddock::testing {
namespace {

using Entries = std::vector<std::string>;

class PagedGrep : public Desk {
protected:
    PagedGrep() { options.limits.calls_per_second.reset(); }

    // What a page shows: "path:12:" for a matching line, "path-13-" for one of context, and for a
    // file that is only named the line as it is.
    static Entries shown(const std::string& page, bool by_line) {
        Entries entries;
        std::istringstream lines(page.substr(0, page.find("\n[")));
        std::string path;
        for (std::string line; std::getline(lines, line);) {
            if (line.empty() || line == "--" || line == "No more matches.") continue;
            const std::size_t digits = line.find_first_not_of("0123456789");
            if (!by_line || line.ends_with("matches)")) {
                entries.push_back(line);
            } else if (digits == 0 || digits == line.npos) {
                path = line;
            } else {
                entries.push_back(path + line[digits] + line.substr(0, digits + 1));
            }
        }
        return entries;
    }

    // All that is found by going on as each answer says.
    Entries found(const char* mode, json::Object arguments) {
        arguments["output_mode"] = mode;
        const bool by_line = mode == std::string_view("content");
        Entries all;
        pages_ = 0;
        for (std::int64_t offset = 0; pages_ < 1000;) {
            arguments["offset"] = offset;
            const std::string page = ok("grep", arguments);
            ++pages_;
            EXPECT_LT(page.size(), 51'000U);
            const Entries some = shown(page, by_line);
            all.insert(all.end(), some.begin(), some.end());
            const std::string hint = "continue with offset=";
            const std::size_t at = page.rfind(hint);
            if (at == page.npos) return all;
            const std::int64_t next = std::stoll(page.substr(at + hint.size()));
            EXPECT_GT(next, offset) << "goes round in circles";
            if (next <= offset) return all;
            offset = next;
        }
        ADD_FAILURE() << "does not end";
        return all;
    }

    static std::string file_name(int number, std::size_t bytes) {
        char digits[16];
        EXPECT_EQ(std::snprintf(digits, sizeof digits, "f%05d", number), 6);
        return digits + std::string(bytes - 6, 'n');
    }

    int pages_ = 0;
};

TEST_F(PagedGrep, lines_come_each_once_whatever_their_size) {
    for (const std::size_t bytes : {10U, 400U, 499U, 700U, 5000U}) {
        for (const int lines : {1, 300, 3, 120}) {
            const std::string name = file_name(lines, 20);
            std::string text;
            for (int i = 1; i <= lines; ++i) {
                text += (i % 3 == 0 ? "other" : "match") + std::string(bytes - 6, 'x') + "\n";
            }
            os_write(ws(name), text);
        }
        os_write(ws("binary"), std::string("match\0", 6));
        Entries matching{"binary  (binary file matches)"};
        Entries with_context = matching;
        for (const int lines : {1, 3, 120, 300}) {
            const std::string name = file_name(lines, 20);
            for (int i = 1; i <= lines; ++i) {
                const char mark = i % 3 == 0 ? '-' : ':';
                const std::string entry = name + mark + std::to_string(i) + mark;
                if (mark == ':') matching.push_back(entry);
                with_context.push_back(entry);
            }
        }
        for (const int limit : {7, 250, 300, 5000}) {
            json::Object arguments{{"pattern", "match"}, {"head_limit", limit}};
            EXPECT_EQ(found("content", arguments), matching) << bytes << " bytes, limit " << limit;
            arguments["-C"] = 1;
            EXPECT_EQ(found("content", arguments), with_context)
                << bytes << " bytes, limit " << limit;
            EXPECT_TRUE(bytes < 400 || pages_ > 2) << "nothing was cut by size";
        }
    }
}

TEST_F(PagedGrep, files_come_each_once_whatever_their_names) {
    Entries names;
    Entries counts;
    for (int i = 0; i < 600; ++i) {
        names.push_back(file_name(i, 200));
        counts.push_back(names.back() + ": 2");
        os_write(ws(names.back()), "match\nmatch\n");
    }
    for (const int limit : {100, 250, 5000}) {
        const json::Object arguments{{"pattern", "match"}, {"head_limit", limit}};
        EXPECT_EQ(found("files_with_matches", arguments), names) << limit;
        EXPECT_GE(pages_, 3) << "nothing was cut";
        EXPECT_EQ(found("count", arguments), counts) << limit;
    }
}

TEST_F(PagedGrep, no_more_is_said_only_where_all_was_searched) {
    tree({"ROOT/a=x\n"});
    EXPECT_EQ(ok("grep", {{"pattern", "x"}, {"offset", 1}}), "No more matches.\n");
    os_write(ws("b"), std::string(limits::kSearchLineBytesMax + 1, 'y'));
    const std::string answer = ok("grep", {{"pattern", "x"}, {"offset", 1}});
    EXPECT_EQ(answer,
              "No more matches in what was searched.\n\n"
              "[1 could not be searched completely (b: limit_reached, has a line that is too long "
              "to be searched).]");
}

TEST_F(PagedGrep, a_cut_by_size_says_where_to_go_on) {
    std::string text;
    for (int i = 0; i < 300; ++i) text += std::string(400, 'x') + "\n";
    os_write(ws("f"), text);
    const std::string page =
        ok("grep", {{"pattern", "x"}, {"output_mode", "content"}, {"head_limit", 300}});
    const std::size_t given = shown(page, true).size();
    EXPECT_TRUE(page.ends_with("\n[Cut by size; continue with offset=" + std::to_string(given) +
                               ", or narrow the search.]"))
        << page.substr(page.size() - 200);
    EXPECT_GT(page.size(), 49'000U);
}

TEST_F(PagedGrep, what_was_found_before_the_byte_budget_is_shown_and_counted) {
    for (int i = 0; i < 200; ++i) os_write(ws(file_name(i, 6)), "match" + std::string(995, 'x'));
    options.limits.bytes_read = 40'500;
    const std::string part = ok("grep", {{"pattern", "match"}});
    EXPECT_EQ(shown(part, false).size(), 40U) << part;
    EXPECT_TRUE(
        part.ends_with("\n[This session has reached its read limit; the result is partial.]"))
        << part;
    EXPECT_EQ(refused("grep", {{"pattern", "match"}}), "quota_exceeded");
    EXPECT_EQ(refused("read_file", {{"path", file_name(0, 6)}}), "quota_exceeded") << "was counted";
    reopen();
    EXPECT_EQ(refused("grep", {{"pattern", "absent"}}), "quota_exceeded");
    EXPECT_EQ(refused("read_file", {{"path", file_name(0, 6)}}), "quota_exceeded") << "was counted";
}

}  // namespace
}  // namespace paddock::testing
