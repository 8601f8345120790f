#include "search/find.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <initializer_list>

#include "testing/jail.h"

namespace paddock::search {
namespace {

bool is_of(std::string_view kind, std::string_view name) {
    KindFilter filter;
    EXPECT_TRUE(filter.add(kind).has_value()) << kind;
    return filter.matches(name);
}

TEST(FileTypes, by_ending_name_and_beginning) {
    EXPECT_TRUE(is_of("c", "main.c"));
    EXPECT_TRUE(is_of("c", ".c"));
    EXPECT_TRUE(is_of("cpp", "a.b.hpp"));
    EXPECT_TRUE(is_of("gradle", "build.gradle.kts"));
    EXPECT_TRUE(is_of("make", "Makefile"));
    EXPECT_TRUE(is_of("make", "Makefile.am"));
    EXPECT_TRUE(is_of("cmake", "CMakeLists.txt"));
    EXPECT_FALSE(is_of("c", "c"));
    EXPECT_FALSE(is_of("c", "main.cc"));
    EXPECT_FALSE(is_of("cmake", "xCMakeLists.txt"));
    EXPECT_FALSE(is_of("py", ""));
}

TEST(FileTypes, several_are_a_union) {
    KindFilter filter;
    EXPECT_TRUE(filter.empty());
    ASSERT_TRUE(filter.add("py") && filter.add("rust"));
    EXPECT_TRUE(filter.matches("a.py") && filter.matches("a.rs"));
    EXPECT_FALSE(filter.matches("a.c"));
}

TEST(FileTypes, an_unknown_one_is_refused) {
    KindFilter filter;
    EXPECT_EQ(filter.add("klingon").error().code, Code::kInvalidArgument);
    EXPECT_EQ(filter.add("").error().code, Code::kInvalidArgument);
}

TEST(FileTypes, the_table_is_sorted_and_each_row_usable) {
    const auto& kinds = file_kinds();
    EXPECT_TRUE(std::is_sorted(kinds.begin(), kinds.end(),
                               [](const auto& a, const auto& b) { return a.name < b.name; }));
    EXPECT_GE(kinds.size(), 60U);
    for (const FileKind& kind : kinds) {
        EXPECT_EQ(kind.patterns.find_first_of("[]{}?!/"), std::string_view::npos) << kind.name;
        for (std::size_t star = kind.patterns.find('*'); star != kind.patterns.npos;
             star = kind.patterns.find('*', star + 1)) {
            const bool ending = kind.patterns.substr(star).starts_with("*.");
            const bool beginning =
                star + 1 == kind.patterns.size() || kind.patterns[star + 1] == ' ';
            EXPECT_TRUE(ending || beginning) << kind.name;
        }
    }
}

}  // namespace

namespace {

PathFilter with(std::initializer_list<const char*> globs, std::string_view start = {}) {
    PathFilter filter;
    for (const char* glob : globs) EXPECT_TRUE(filter.add_glob(glob).has_value()) << glob;
    filter.set_start(start);
    return filter;
}

bool takes(const PathFilter& filter, std::string_view path) {
    return filter.choose(path, path.substr(path.rfind('/') + 1), FileType::kRegular).take;
}

bool enters(const PathFilter& filter, std::string_view path) {
    return filter.choose(path, path.substr(path.rfind('/') + 1), FileType::kDirectory).enter;
}

TEST(PathFilter, without_rules_everything_regular) {
    const PathFilter all;
    EXPECT_TRUE(takes(all, "a/b") && enters(all, "a"));
    EXPECT_FALSE(all.choose("l", "l", FileType::kSymlink).take);
}

TEST(PathFilter, names_at_any_depth_and_paths) {
    EXPECT_TRUE(takes(with({"*.c"}), "x/y/a.c"));
    EXPECT_FALSE(takes(with({"*.c"}), "a.h"));
    EXPECT_TRUE(takes(with({"src/*.c"}), "src/a.c"));
    EXPECT_FALSE(takes(with({"src/*.c"}), "lib/a.c"));
    EXPECT_FALSE(enters(with({"src/*.c"}), "lib"));
    EXPECT_TRUE(enters(with({"src/*.c"}), "src"));
    EXPECT_TRUE(enters(with({"*.c"}), "anywhere"));
    EXPECT_TRUE(takes(with({"*.{c,h}"}), "a.h"));
}

TEST(PathFilter, the_last_that_matches_decides) {
    const auto filter = with({"*.c", "!test_*", "test_main.c"});
    EXPECT_TRUE(takes(filter, "a.c"));
    EXPECT_FALSE(takes(filter, "test_a.c"));
    EXPECT_TRUE(takes(filter, "test_main.c"));
    EXPECT_TRUE(takes(with({"!*.c"}), "a.h"));
    EXPECT_FALSE(enters(with({"!node_modules"}), "a/node_modules"));
}

TEST(PathFilter, paths_below_the_start_or_the_root) {
    const auto filter = with({"net/*.c"}, "src");
    EXPECT_TRUE(takes(filter, "src/net/a.c"));
    EXPECT_TRUE(takes(with({"src/net/*.c"}, "src"), "src/net/a.c"));
    EXPECT_TRUE(enters(with({"src/net/*.c"}, "src"), "src/net"));
    EXPECT_FALSE(enters(filter, "src/fs"));
}

TEST(PathFilter, kinds_are_one_more_condition) {
    PathFilter filter = with({"src/**"});
    ASSERT_TRUE(filter.add_kind("py").has_value());
    EXPECT_TRUE(takes(filter, "src/a.py"));
    EXPECT_FALSE(takes(filter, "src/a.c"));
    EXPECT_FALSE(takes(filter, "a.py"));
    EXPECT_EQ(filter.add_kind("nope").error().code, Code::kInvalidArgument);
    EXPECT_EQ(filter.add_glob("../*").error().code, Code::kPathEscape);
    EXPECT_EQ(filter.add_glob("!/etc/*").error().code, Code::kPathEscape);
}

}  // namespace

namespace {

using std::chrono::nanoseconds;

void add(FoundFiles& files, std::string_view path, int modified) {
    files.add(FileType::kRegular, nanoseconds(modified), [&](std::string& to) { to += path; });
}

std::string listed(const FoundFiles& files) {
    std::string text;
    for (std::size_t i = 0; i < files.size(); ++i) {
        text.append(files[i].path).append(" ");
    }
    return text;
}

TEST(FoundFiles, of_equal_times_the_first_stays_first_whenever_others_are_forgotten) {
    FoundFiles files;
    add(files, "a", 5);
    add(files, "b", 7);
    add(files, "c", 5);
    files.keep_newest(3);
    EXPECT_EQ(listed(files), "b a c ");
    files.keep_newest(2);
    EXPECT_EQ(listed(files), "b a ");
    add(files, "d", 5);
    add(files, "e", 7);
    files.keep_newest(3);
    EXPECT_EQ(listed(files), "b e a ");
    EXPECT_EQ(files[1].modified, nanoseconds(7));
}

TEST(FoundFiles, appended_ones_come_behind) {
    FoundFiles files;
    FoundFiles later;
    add(files, "a", 1);
    add(later, "bb", 1);
    add(later, "c", 1);
    files.append(FoundFiles(later), 1);
    files.append(FoundFiles(later), 0);
    add(files, "d", 1);
    EXPECT_EQ(listed(files), "a bb d ");
    files.append(std::move(later), 2);
    EXPECT_EQ(listed(files), "a bb d bb c ");
    files.keep_newest(4);
    EXPECT_EQ(listed(files), "a bb d bb ");
}

}  // namespace

namespace {

class FindTest : public testing::Jail {
protected:
    std::string find(FindQuery query) {
        const auto result = search::find(root(), query);
        if (!result) return "error: " + std::string(code_name(result.error().code));
        result_ = *result;
        std::string text;
        for (std::size_t i = 0; i < result->found.size(); ++i) {
            text.append(result->found[i].path).append(" ");
        }
        return text;
    }
    std::string by_path(std::string_view pattern) {
        return find({.pattern = std::string(pattern), .order = FindQuery::Order::kPath});
    }
    void set_time(const char* name, time_t seconds) {
        const timespec times[2] = {{seconds, 0}, {seconds, 0}};
        ASSERT_EQ(::utimensat(AT_FDCWD, ws(name).c_str(), times, AT_SYMLINK_NOFOLLOW), 0);
    }

    FindResult result_;
};

TEST_F(FindTest, patterns) {
    tree({"ROOT/a.c=", "ROOT/src/b.c=", "ROOT/src/x/c.c=", "ROOT/src/x/c.h=", "ROOT/lib.c/d.txt="});
    EXPECT_EQ(by_path("**/*.c"), "a.c src/b.c src/x/c.c ");
    EXPECT_EQ(by_path("*.c"), "a.c src/b.c src/x/c.c ");
    EXPECT_EQ(by_path("src/*.c"), "src/b.c ");
    EXPECT_EQ(by_path("src/**"), "src/b.c src/x/c.c src/x/c.h ");
    EXPECT_EQ(by_path("**/*.{c,h}"), "a.c src/b.c src/x/c.c src/x/c.h ");
    EXPECT_EQ(by_path("*.c/"), "lib.c ");
    EXPECT_EQ(by_path("nothing"), "");
    EXPECT_EQ(find({.pattern = "x/*.c", .path = "src"}), "src/x/c.c ");
}

TEST_F(FindTest, newest_first_then_by_path) {
    tree({"ROOT/a=", "ROOT/b=", "ROOT/c=", "ROOT/d="});
    set_time("a", 100);
    set_time("b", 300);
    set_time("c", 200);
    set_time("d", 200);
    EXPECT_EQ(find({.pattern = "*"}), "b c d a ");
    EXPECT_EQ(find({.pattern = "*", .limit = 2}), "b c ");
    EXPECT_EQ(result_.total, 4U);
    EXPECT_EQ(find({.pattern = "*", .limit = 0}), "");
    EXPECT_EQ(result_.total, 4U);
}

TEST_F(FindTest, directories_if_asked_for) {
    tree({"ROOT/a/x/f=", "ROOT/b/x="});
    EXPECT_EQ(by_path("x"), "b/x ");
    EXPECT_EQ(find({.pattern = "x", .order = FindQuery::Order::kPath, .directories = true}),
              "a/x b/x ");
}

TEST_F(FindTest, is_cut_by_the_number_of_entries) {
    for (int i = 0; i < 20; ++i) tree({("ROOT/d" + std::to_string(i) + "/f=").c_str()});
    const auto cut_at = [&](std::uint64_t entries) {
        FindQuery query{.pattern = "f", .entries_max = entries};
        (void)find(query);
        return result_.cut;
    };
    EXPECT_EQ(cut_at(40), FindResult::Cut::kNone);
    EXPECT_EQ(cut_at(25), FindResult::Cut::kEntries);
    EXPECT_LT(result_.total, 20U);
}

TEST_F(FindTest, a_directory_with_too_many_entries_is_told) {
    tree({"ROOT/d/1=", "ROOT/d/2=", "ROOT/d/3=", "ROOT/e/4="});
    FindQuery query{.pattern = "*/*", .order = FindQuery::Order::kPath};
    query.walk.directory_entries_max = 3;
    EXPECT_EQ(find(query), "d/1 d/2 d/3 e/4 ");
    query.walk.directory_entries_max = 2;
    EXPECT_EQ(find(query), "e/4 ");
    EXPECT_EQ(result_.unreadable, 1U);
}

TEST_F(FindTest, links_are_shown_and_not_followed) {
    tree({"ROOT/d/f=", "ROOT/l->d", "ROOT/out->@/OUT", "ROOT/p|"});
    EXPECT_EQ(by_path("**"), "d/f l out ");
    EXPECT_EQ(by_path("l/*"), "");
    EXPECT_EQ(by_path("out/*"), "");
}

TEST_F(FindTest, patterns_are_jailed) {
    tree({"ROOT/f="});
    for (const char* pattern : {"../*", "/etc/*", "a/../../*", "{..,f}/*"}) {
        EXPECT_EQ(by_path(pattern), "error: path_escape") << pattern;
    }
    EXPECT_EQ(find({.pattern = "*", .path = "../OUT"}), "error: path_escape");
    EXPECT_EQ(find({.pattern = "*", .path = "f"}), "error: not_a_directory");
}

TEST_F(FindTest, ignored_and_hidden) {
    tree({"ROOT/.git/", "ROOT/.gitignore=*.o", "ROOT/a.o=", "ROOT/a.c=", "ROOT/.x="});
    EXPECT_EQ(by_path("*"), "a.c ");
    EXPECT_EQ(find({.pattern = "*",
                    .walk = {.hidden = true, .ignored = true},
                    .order = FindQuery::Order::kPath}),
              ".gitignore .x a.c a.o ");
    FindQuery hiding{.pattern = "*"};
    hiding.walk.visible = [](std::string_view path, FileType) { return path != "a.c"; };
    EXPECT_EQ(find(hiding), "");
}

TEST_F(FindTest, rules_from_above_the_start_count_up_to_a_repository) {
    tree({"ROOT/.git/", "ROOT/.gitignore=*.o", "ROOT/a/b/x.o=", "ROOT/a/b/x.c=", "ROOT/a/r/.git/",
          "ROOT/a/r/s/x.o="});
    EXPECT_EQ(find({.pattern = "*", .path = "a/b"}), "a/b/x.c ");
    EXPECT_EQ(find({.pattern = "*", .path = "a/r/s"}), "a/r/s/x.o ");
}

// A kernel source package has a .gitignore that ends in "/*".
TEST_F(FindTest, issue_17_17_gitignore_counts_only_in_a_repository) {
    tree({"ROOT/.gitignore=/*\n", "ROOT/a.c=", "ROOT/r/.git/", "ROOT/r/.gitignore=*.o\n",
          "ROOT/r/a.o=", "ROOT/r/d/a.o=", "ROOT/r/a.c=", "ROOT/w/.git=gitdir: ../r\n",
          "ROOT/w/.gitignore=*.o\n", "ROOT/w/a.o=", "ROOT/k/.gitignore=*.c\n",
          "ROOT/k/a.c=", "ROOT/i/.ignore=*.c\n", "ROOT/i/a.c="});
    EXPECT_EQ(by_path("*.?"), "a.c k/a.c r/a.c ");
    EXPECT_EQ(find({.pattern = "*", .path = "r/d"}), "");
    FindQuery query{.pattern = "*.?", .order = FindQuery::Order::kPath};
    query.walk.global_rules.root_in_repository = true;
    EXPECT_EQ(find(query), "");
    query.path = "k";
    EXPECT_EQ(find(query), "");
}

TEST_F(FindTest, issue_17_17_what_excludes_is_named_with_its_line) {
    tree({"ROOT/.git/", "ROOT/.gitignore=# mine\n\n/*\n!/sub\n",
          "ROOT/b=", "ROOT/a=", "ROOT/sub/.ignore=x\n", "ROOT/sub/x=", "ROOT/sub/y="});
    EXPECT_EQ(by_path("[ab]"), "");
    EXPECT_EQ(result_.excluded.names, 2U);
    EXPECT_EQ(result_.excluded.first, "a");
    EXPECT_EQ(result_.excluded.file, ".gitignore");
    EXPECT_EQ(result_.excluded.line, 3U);
    EXPECT_EQ(find({.pattern = "x", .path = "sub"}), "");
    EXPECT_EQ(result_.excluded.first, "sub/x");
    EXPECT_EQ(result_.excluded.file, "sub/.ignore");
    EXPECT_EQ(find({.pattern = "y", .path = "sub"}), "sub/y ");
    EXPECT_EQ(result_.excluded.names, 0U);
}

TEST_F(FindTest, global_rules_count_in_every_repository_and_are_the_weakest) {
    tree({"ROOT/a.o=", "ROOT/d/a.o=", "ROOT/d/top=", "ROOT/r/.git/",
          "ROOT/r/a.o=", "ROOT/r/top=", "ROOT/r/l=", "ROOT/k/.git/", "ROOT/k/.gitignore=!*.o",
          "ROOT/k/a.o=", "ROOT/top=", "ROOT/l="});
    const auto rules = [](const char* text) {
        return std::make_shared<const text::IgnoreFile>(text::IgnoreFile::parse(text).value());
    };
    FindQuery query{.pattern = "*", .order = FindQuery::Order::kPath};
    query.walk.global_rules = {.everywhere = rules("*.o\n/top\n"),
                               .in_repositories = rules("l\n*.o\n/top\n")};
    EXPECT_EQ(find(query), "d/top k/a.o l ");
    query.path = "r";
    EXPECT_EQ(find(query), "");
}

TEST_F(FindTest, a_strange_name_comes_back_as_it_is) {
    os_write(ws("a\nb\xff"), "");
    EXPECT_EQ(by_path("a*"), "a\nb\xff ");
}

TEST_F(FindTest, a_cancelled_search_says_so) {
    tree({"ROOT/a="});
    std::stop_source cancelled;
    cancelled.request_stop();
    EXPECT_EQ(find({.pattern = "*", .cancel = cancelled.get_token()}), "");
    EXPECT_EQ(result_.cut, FindResult::Cut::kCancelled);
}

}  // namespace
}  // namespace paddock::search
