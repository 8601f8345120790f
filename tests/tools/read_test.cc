// The tools that look.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>

#include "escape/call_hook.h"
#include "fault/budget.h"
#include "testing/secret_samples.h"
#include "tools/desk.h"
#include "tools/session.h"
#include "tools/text_window.h"

namespace paddock::testing {
namespace {

class Look : public Desk {};

// Bytes of this process.
rlim_t address_space() {
    std::ifstream statm("/proc/self/statm");
    rlim_t pages = 0;
    statm >> pages;
    return pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE));
}

TEST_F(Look, read_numbers_lines_and_pages) {
    std::string lines;
    for (int i = 1; i <= 5; ++i) lines += "l" + std::to_string(i) + "\n";
    tree({"ROOT/f=x", "ROOT/empty="});
    os_write(ws("f"), lines);
    EXPECT_EQ(ok("read_file", {{"path", "f"}}),
              "     1\tl1\n     2\tl2\n     3\tl3\n     4\tl4\n     5\tl5\n");
    EXPECT_EQ(ok("read_file", {{"path", "f"}, {"offset", 2}, {"limit", 2}}),
              "     2\tl2\n     3\tl3\n\n[Lines 2-3 of 5; continue with offset=4.]");
    EXPECT_EQ(ok("read_file", {{"path", "f"}, {"offset", -1}, {"line_numbers", false}}), "l5\n");
    EXPECT_EQ(refused("read_file", {{"path", "f"}, {"offset", 6}}), "invalid_argument");
    EXPECT_EQ(refused("read_file", {{"path", "f"}, {"offset", 0}}), "invalid_argument");
    EXPECT_EQ(ok("read_file", {{"path", "empty"}}), "empty is empty.");
}

TEST_F(Look, read_numbers_lines_as_cat_does) {
    tree({"ROOT/many=x"});
    std::string lines;
    for (int i = 0; i < 1'000'009; ++i) lines += "x\n";
    os_write(ws("many"), lines);
    for (const int first : {1, 95, 995, 99'995, 999'995}) {
        std::string numbered;
        for (int i = first; i < first + 12; ++i) {
            const std::string digits = std::to_string(i);
            numbered +=
                std::string(6 - std::min<std::size_t>(6, digits.size()), ' ') + digits + "\tx\n";
        }
        const std::string shown =
            ok("read_file", {{"path", "many"}, {"offset", first}, {"limit", 12}});
        EXPECT_EQ(shown.substr(0, numbered.size()), numbered);
    }
}

TEST_F(Look, read_cuts_what_is_too_long) {
    tree({"ROOT/wide=x", "ROOT/long=x"});
    os_write(ws("wide"), std::string(5000, 'a') + "\nnext\n");
    const std::string wide = ok("read_file", {{"path", "wide"}});
    EXPECT_NE(wide.find("[line cut: 3000 more bytes]"), std::string::npos) << wide;
    EXPECT_NE(wide.find("\tnext\n"), std::string::npos);
    std::string lines;
    for (int i = 0; i < 3000; ++i) lines += std::string(99, 'b') + "\n";
    os_write(ws("long"), lines);
    const std::string cut = ok("read_file", {{"path", "long"}});
    EXPECT_LT(cut.size(), 60'000U);
    EXPECT_NE(cut.find("(cut by size); continue with offset=501"), std::string::npos)
        << cut.substr(cut.size() - 100);
}

TEST_F(Look, read_decodes_and_says_so) {
    tree({"ROOT/utf16=x", "ROOT/latin=x", "ROOT/binary=x"});
    os_write(ws("utf16"), std::string("\xff\xfeh\0i\0\n\0", 8));
    EXPECT_EQ(ok("read_file", {{"path", "utf16"}}).substr(0, 10), "     1\thi\n");
    EXPECT_NE(ok("read_file", {{"path", "utf16"}}).find("UTF-16"), std::string::npos);
    os_write(ws("latin"), "caf\xe9\n");
    EXPECT_EQ(ok("read_file", {{"path", "latin"}}), "     1\tcaf\xc3\xa9\n\n[Encoding: Latin-1.]");
    os_write(ws("binary"), std::string("\x7f"
                                       "ELF\2\1\1\0\0\0\0\0\0\0\0\0\3\0>\0\1\0\0\0",
                                       24));
    EXPECT_EQ(refused("read_file", {{"path", "binary"}}), "binary_file");
    const std::string binary = call("read_file", {{"path", "binary"}}).text();
    EXPECT_NE(binary.find("ELF"), binary.npos) << binary;
    EXPECT_NE(binary.find("24 bytes"), binary.npos) << binary;
}

TEST_F(Look, images_are_known_by_content) {
    tree({"ROOT/picture.txt=x", "ROOT/fake.png=not a picture"});
    const std::string png("\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\10\2\0\0\0\x90wS\xde", 33);
    os_write(ws("picture.txt"), png);
    const tools::Answer answer = call("read_file", {{"path", "picture.txt"}});
    ASSERT_EQ(answer.blocks.size(), 1U) << answer.text();
    EXPECT_EQ(answer.blocks[0].kind, tools::BlockKind::kImage);
    EXPECT_EQ(answer.blocks[0].mime, "image/png");
    EXPECT_EQ(answer.blocks[0].data, png);
    EXPECT_EQ(ok("read_file", {{"path", "fake.png"}}), "     1\tnot a picture\n");
}

// What is shown as a picture does not pass the filter: no text may become one.
TEST_F(Look, a_text_with_a_secret_is_no_picture) {
    const std::string token = "ghp_" + Chance(4).text("abcdefghijkmnpqrstuvwxyzABCDEFGHJ", 36);
    const std::string gif("GIF89a\1\0\1\0\0\0\0", 13);
    const auto answer_to = [&](const std::string& content) {
        os_write(ws("f"), content);
        return call("read_file", {{"path", "f"}});
    };
    const tools::Answer text = answer_to("GIF89atoken: " + token + "\n");
    EXPECT_EQ(text.text(), "     1\tGIF89atoken: [REDACTED:github-token]\n");
    const tools::Answer commented = answer_to(gif + "!\xFE(" + token + ";");
    EXPECT_TRUE(commented.text().starts_with("denied_by_rule: ")) << commented.text();
    ASSERT_EQ(commented.blocks.size(), 1U);
    EXPECT_EQ(commented.blocks[0].kind, tools::BlockKind::kText);
    const tools::Answer picture = answer_to(gif + "!\xFE(no token at all;");
    ASSERT_EQ(picture.blocks.size(), 1U);
    EXPECT_EQ(picture.blocks[0].kind, tools::BlockKind::kImage);
}

TEST_F(Look, a_hurried_caller_gets_small_files_only) {
    os_write(ws("small"), "one\n");
    os_write(ws("large"), std::string(tools::kQuickReadBytesMax + 1, '\n'));
    int audited = 0;
    options.audit = [&](const AuditEvent&) { ++audited; };
    const auto deferred = [&](const char* arguments) {
        const tools::Answer answer =
            tools::call(workspace(), "read_file", arguments, {.only_quick = true});
        EXPECT_EQ(answer.blocks.empty(), answer.is_deferred);
        return answer.is_deferred;
    };
    EXPECT_FALSE(deferred(R"({"path": "small"})"));
    EXPECT_EQ(audited, 1);
    EXPECT_TRUE(deferred(R"({"path": "large"})"));
    EXPECT_EQ(audited, 1) << "it is made again";
    EXPECT_TRUE(deferred(R"({"path": "missing"})")) << "near names are looked for";
}

// Ten gigabytes, nearly all of it a hole.
class HugeFile : public Look {
protected:
    static constexpr off_t kSize = off_t{10} << 30;
    static constexpr off_t kMiddle = off_t{256} << 20;
    static constexpr int kBlockBytes = 65536;

    HugeFile() {
        os_write(ws("huge"), "first\n" + std::string(100'000, 'x') + "\n");
        const UniqueFd file(::open(ws("huge").c_str(), O_WRONLY | O_CLOEXEC));
        EXPECT_EQ(::pwrite(file.get(), "\nmiddle\n", 8, kMiddle), 8);
        EXPECT_EQ(::pwrite(file.get(), "\nlast but one\nlast\n", 19, kSize), 19);
    }

    struct Window {
        int offset;
        const char* shown;
        int reads_max;  // blocks that must be read to get there, and a few
    };
    static constexpr Window kWindows[] = {
        {1, "     1\tfirst\n", 4},
        {4, "     4\tmiddle\n", kMiddle / kBlockBytes + 4},
        {-2, "    -2\tlast but one\n", 6},
    };

    std::string shown(const Window& window) {
        return ok("read_file", {{"path", "huge"}, {"offset", window.offset}, {"limit", 1}});
    }

    // The code of a read that ends early, or "read".
    std::string read_within(std::int64_t first, std::chrono::milliseconds time_max) {
        const tools::Files& files = tools::Session::of(workspace()).files();
        auto file = files.open("huge");
        const auto head = tools::head_of(*file);
        const auto window = tools::read_window(files, *file, *head, {},
                                               {.first = first, .count = 1, .time_max = time_max});
        return window ? "read" : std::string(code_name(window.error().code));
    }
};

TEST_F(HugeFile, is_not_read_for_ever) {
    EXPECT_EQ(read_within(100, std::chrono::milliseconds(-1)), "limit_reached");
    EXPECT_EQ(read_within(-100, std::chrono::milliseconds(-1)), "limit_reached");
    EXPECT_EQ(read_within(1, std::chrono::milliseconds(-1)), "read") << "it is there already";
    std::stop_source stop;
    stop.request_stop();
    for (const int offset : {100, -100}) {
        const std::string arguments =
            R"({"path": "huge", "offset": )" + std::to_string(offset) + "}";
        EXPECT_EQ(
            tools::call(workspace(), "read_file", arguments, {.cancel = stop.get_token()}).error,
            Code::kCancelled);
    }
}

TEST_F(HugeFile, is_read_no_further_than_needed) {
    (void)workspace();
    for (const Window& window : kWindows) {
        std::string text;
        const int reads = count_calls([&] { text = shown(window); }, sys::Call::kRead);
        EXPECT_TRUE(text.starts_with(window.shown)) << text;
        EXPECT_LE(reads, window.reads_max) << window.shown;
    }
}

TEST_F(HugeFile, takes_constant_memory) {
    if (kSanitized) GTEST_SKIP() << "a sanitizer takes all the address space";
    constexpr rlim_t kRoom = rlim_t{8} << 20;
    (void)workspace();
    (void)shown(kWindows[0]);  // what is made once
    // Does this succeed in a process that may take no more than kRoom?
    const auto fits = [&](const std::function<bool()>& act) {
        const pid_t child = ::fork();
        if (child == 0) {
            const rlim_t used = address_space();
            const rlimit limit{used + kRoom, used + kRoom};
            if (::setrlimit(RLIMIT_AS, &limit) != 0) ::_exit(2);
            ::_exit(act() ? 0 : 1);
        }
        int status = 0;
        EXPECT_EQ(::waitpid(child, &status, 0), child);
        return WIFEXITED(status) && WEXITSTATUS(status) == 0;
    };
    for (const Window& window : kWindows) {
        EXPECT_TRUE(fits([&] { return shown(window).starts_with(window.shown); })) << window.shown;
    }
    EXPECT_FALSE(fits([] {
        void* volatile taken = std::malloc(kMiddle);
        return taken != nullptr;
    })) << "the limit limits nothing";
}

TEST_F(Look, a_missing_file_names_near_ones_inside) {
    tree({"ROOT/src/main.cc=x", "ROOT/src/name.h=x", "OUT/mein.cc=x", "ROOT/src/.env=x"});
    const std::string text = call("read_file", {{"path", "src/mian.cc"}}).text();
    EXPECT_NE(text.find("'src/main.cc'"), std::string::npos) << text;
    EXPECT_EQ(text.find("mein"), std::string::npos) << text;
    EXPECT_EQ(call("read_file", {{"path", "src/.evn"}}).text().find("'src/.env'"),
              std::string::npos)
        << "a denied name was told";
    tree({"ROOT/near/abc1=x", "ROOT/near/abc2=x", "ROOT/near/abc3=x", "ROOT/near/abc4=x"});
    const std::string three = call("read_file", {{"path", "near/abc"}}).text();
    EXPECT_EQ(std::count(three.begin(), three.end(), ','), 2) << "at most three: " << three;
}

TEST_F(Look, a_link_that_leads_nowhere_is_called_so) {
    tree({"ROOT/l->nowhere"});
    EXPECT_EQ(call("read_file", {{"path", "l"}}).text(),
              "not_found: 'l' is a link to 'nowhere', which does not exist. Use another file.");
}

TEST_F(Look, a_missing_file_is_looked_for_in_directories_named_alike_and_elsewhere) {
    tree({"ROOT/src/main.c=x", "ROOT/src/deep/util.c=x", "ROOT/n.txt=x", "ROOT/.gitignore=out\n",
          "ROOT/out/main.c=x", "ROOT/.cache/main.c=x", "ROOT/secrets/main.c=x", "OUT/main.c=x",
          "ROOT/leak->../OUT", "ROOT/.git/HEAD=x"});
    options.rules = {{"secrets", PathAccess::kDeny}};
    const auto said = [&](const char* tool, const std::string& path) {
        const std::string text = call(tool, {{"path", path}}).text();
        const std::size_t end = text.find("does not exist. ");
        return end == text.npos ? text : text.substr(end + 16);
    };
    for (const char* path :
         {"main.c", "scr/main.c", "lib/main.c", "lib/far/main.c", "src/deep/main.c"}) {
        EXPECT_EQ(said("read_file", path), "Did you mean 'src/main.c'?") << path;
    }
    EXPECT_EQ(said("read_file", "scr/dep/utl.c"), "Did you mean 'src/deep/util.c'?");
    EXPECT_EQ(said("read_file", ws("main.c")), "Did you mean 'src/main.c'?");
    EXPECT_EQ(said("list_directory", "deep"), "Did you mean 'src/deep'?");
    EXPECT_EQ(said("list_directory", "scr"), "Did you mean 'src'?");
    EXPECT_EQ(said("read_file", "nothere"), "Check the name by listing its directory.");
    EXPECT_EQ(said("read_file", "src/nothere"), "Check the name by listing its directory.");
    EXPECT_EQ(
        said("read_file", "lib/far/nothere"),
        "Its directory does not exist either. List '.', or find the file by its name with glob.");
    EXPECT_EQ(
        said("read_file", "src/none/nothere"),
        "Its directory does not exist either. List 'src', or find the file by its name with glob.");
    EXPECT_EQ(said("read_file", "[*]{"), "Check the name by listing its directory.");
    tree({"ROOT/a/main.c=x", "ROOT/b/main.c=x", "ROOT/c/main.c=x"});
    const std::string three = said("read_file", "main.c");
    EXPECT_EQ(std::count(three.begin(), three.end(), ','), 2) << three;
}

TEST_F(Look, unconfined_a_missing_file_is_looked_for_in_the_workspace) {
    tree({"ROOT/src/main.c=x", "OUT/d/other.c=x"});
    options.unconfined = permit::Unconfined{"a test"};
    EXPECT_NE(call("read_file", {{"path", "main.c"}}).text().find("Did you mean 'src/main.c'?"),
              std::string::npos);
    EXPECT_EQ(call("read_file", {{"path", "other.c"}}).text().find("OUT"), std::string::npos);
    const std::string text = call("read_file", {{"path", "../OUT/d/ohter.c"}}).text();
    EXPECT_NE(text.find("Did you mean '" + out("d/other.c") + "'?"), std::string::npos) << text;
}

TEST_F(Look, odd_names_round_trip) {
    const std::string odd = "a\xff\tb\"c";
    tree({"ROOT/d/"});
    os_write(ws("d/" + odd), "content");
    const std::string listing = ok("list_directory", {{"path", "d"}});
    const std::string shown = listing.substr(listing.find('\n') + 1);
    const std::string quoted = shown.substr(0, shown.size() - 1);
    EXPECT_EQ(quoted, R"("a\377\tb\"c")");
    EXPECT_EQ(ok("read_file", {{"path", R"("d/a\377\tb\"c")"}}), "     1\tcontent\n");
    EXPECT_EQ(refused("read_file", {{"path", "\"d\""}}), "not_found") << "quotes are a name here";
}

// Whatever a tool prints of a name, alone on its line, the others take.
TEST_F(Look, every_line_that_names_a_path_is_taken_back) {
    const std::vector<std::string> names{"d\xff\xfe", "f\xff",  "a\\b",         "t\tb",  "q\"q",
                                         " lead",     "x -> y", "\xe2\x80\x8b", "*\xff", "plain"};
    for (const std::string& directory : {std::string("d\xff\xfe"), std::string("a\\d")}) {
        for (const std::string& name : names) {
            std::filesystem::create_directories(ws(directory + "/" + name + " "));
            os_write(ws(directory + "/" + name), "needle\n");
        }
    }
    std::vector<std::string> lines;
    const auto collect = [&](const std::string& text) {
        std::istringstream stream(text);
        for (std::string line; std::getline(stream, line);) lines.push_back(line);
    };
    collect(ok("list_directory", {}));
    for (const char* directory : {R"("d\377\376/*")", R"("a\\d/")"}) {
        collect(ok("glob", {{"pattern", directory}}));
        collect(ok("glob", {{"pattern", "*/"}, {"path", "."}}));
    }
    collect(ok("glob", {{"pattern", "*/*/"}}));
    collect(ok("grep", {{"pattern", "needle"}}));
    EXPECT_GT(lines.size(), 60U);
    for (const std::string& line : lines) {
        (void)ok("file_info", {{"path", line}});
        const bool is_directory = line.ends_with("/") || line.ends_with("/\"");
        (void)ok(is_directory ? "list_directory" : "read_file", {{"path", line}});
        if (line == "./") continue;
        EXPECT_NE(ok("glob", {{"pattern", line}}).find(line + "\n"), std::string::npos) << line;
        if (is_directory) continue;
        EXPECT_NE(ok("grep", {{"pattern", "needle"}, {"glob", line}}).find(line + "\n"),
                  std::string::npos);
        EXPECT_EQ(ok("grep", {{"pattern", "needle"}, {"glob", "!" + line}}).find(line + "\n"),
                  std::string::npos);
    }
    EXPECT_EQ(ok("list_directory", {{"ignore", json::Array{R"("d\377*")", R"("a\\d")"}}}), "./\n");
    for (const char* none : {R"("d\377\376"/)", R"("d\377\376"/"f\377")"}) {
        EXPECT_EQ(refused("file_info", {{"path", none}}), "not_found") << none;
    }
}

TEST_F(Look, list_shows_links_as_links_and_does_not_enter_ignored_directories) {
    tree({"ROOT/z/", "ROOT/a=12345", "ROOT/in->a", "ROOT/out->../OUT", "ROOT/pipe|", "ROOT/.git/",
          "ROOT/.gitignore=build/\n", "ROOT/build/o=x", "ROOT/src/deep/f=x"});
    EXPECT_EQ(ok("list_directory", {{"sizes", true}}),
              "./\n.git/\nbuild/\nsrc/\nz/\n.gitignore  7\na  5\nin -> a\nout -> (outside the "
              "workspace)\npipe  (fifo)\n");
    EXPECT_EQ(ok("list_directory",
                 {{"depth", 3}, {"ignore", json::Array{".*", "a", "in", "out", "pipe"}}}),
              "./\nbuild/  (not entered)\nsrc/\n  deep/\n    f\nz/\n");
    EXPECT_EQ(refused("list_directory", {{"path", "a"}}), "not_a_directory");
    EXPECT_EQ(refused("list_directory", {{"path", "none"}}), "not_found");
    EXPECT_EQ(refused("list_directory", {{"ignore", json::Array{"../*"}}}), "path_escape");
}

TEST_F(Look, grep_finds_and_passes_over) {
    tree({"ROOT/a.c=int needle;\nx\n", "ROOT/b/c.h=// Needle\n", "ROOT/.hidden=needle\n",
          "ROOT/.git/", "ROOT/.gitignore=skip\n", "ROOT/skip=needle\n", "ROOT/link->a.c",
          "ROOT/.env=needle", "ROOT/out->../OUT", "ROOT/pipe|"});
    EXPECT_EQ(ok("grep", {{"pattern", "needle"}}), "a.c\n");
    EXPECT_EQ(ok("grep", {{"pattern", "needle"}, {"-i", true}}), "a.c\nb/c.h\n");
    EXPECT_EQ(ok("grep", {{"pattern", "needle"}, {"hidden", true}, {"ignored", true}}),
              ".hidden\na.c\nskip\n");
    EXPECT_EQ(ok("grep", {{"pattern", "needle"}, {"output_mode", "content"}, {"-A", 1}}),
              "a.c\n1:int needle;\n2-x\n");
    tree({"ROOT/far=needle\n2\n3\n4\nneedle\n"});
    EXPECT_EQ(ok("grep", {{"pattern", "needle"}, {"path", "far"}, {"output_mode", "content"}}),
              "far\n1:needle\n5:needle\n");
    EXPECT_EQ(
        ok("grep", {{"pattern", "needle"}, {"path", "far"}, {"output_mode", "content"}, {"-C", 1}}),
        "far\n1:needle\n2-2\n--\n4-4\n5:needle\n");
    EXPECT_EQ(::unlink(ws("far").c_str()), 0);
    EXPECT_EQ(ok("grep", {{"pattern", "NEEDLE"}, {"-i", true}, {"output_mode", "count"}}),
              "a.c: 1\nb/c.h: 1\n");
    EXPECT_EQ(ok("grep", {{"pattern", "outside"}, {"hidden", true}}).substr(0, 10), "No matches");
    EXPECT_EQ(refused("grep", {{"pattern", "("}}), "invalid_argument");
    EXPECT_EQ(refused("grep", {{"pattern", "x"}, {"path", "out"}}), "path_escape");
    EXPECT_EQ(refused("grep", {{"pattern", "x"}, {"glob", "../*"}}), "path_escape");
    EXPECT_EQ(ok("grep", {{"pattern", "-i"}}).substr(0, 10), "No matches");
}

TEST_F(Look, grep_decodes_utf16_and_takes_other_bytes_as_they_are) {
    tree({"ROOT/utf16=x", "ROOT/latin=x"});
    os_write(ws("utf16"), std::string("\xff\xfe\xe9\0h\0i\0\n\0", 10));
    os_write(ws("latin"), "\xe9hi\n");
    const auto content = [this](std::string_view pattern) {
        return ok("grep", {{"pattern", pattern}, {"output_mode", "content"}});
    };
    EXPECT_EQ(content("hi"), "latin\n1:\uFFFDhi\n\nutf16\n1:\u00E9hi\n");
    EXPECT_EQ(content(".hi"), "utf16\n1:\u00E9hi\n");
    EXPECT_EQ(content("\u00E9"), "utf16\n1:\u00E9hi\n");
    EXPECT_EQ(content("^\\Chi"), "latin\n1:\uFFFDhi\n");
}

TEST_F(Look, grep_classes_are_ascii_unless_they_name_a_property) {
    os_write(ws("f"), "\u00E9\n");
    EXPECT_EQ(ok("grep", {{"pattern", "^\\p{L}$"}}), "f\n");
    EXPECT_EQ(ok("grep", {{"pattern", "^\\w$"}}).substr(0, 10), "No matches");
}

TEST_F(Look, info_tells_of_a_link_itself) {
    tree({"ROOT/f=12345", "ROOT/in->f", "ROOT/out->../OUT/secret"});
    EXPECT_NE(ok("file_info", {{"path", "f"}}).find("size: 5"), std::string::npos);
    EXPECT_NE(ok("file_info", {{"path", "in"}}).find("target: f"), std::string::npos);
    const std::string outside = ok("file_info", {{"path", "out"}});
    EXPECT_NE(outside.find("outside the workspace"), std::string::npos);
    EXPECT_EQ(outside.find("OUT"), std::string::npos);
}

TEST_F(Look, several_files_in_one_call) {
    tree({"ROOT/a=1", "ROOT/b=2"});
    const std::string text = ok("read_files", {{"paths", json::Array{"a", "none", "b"}}});
    EXPECT_NE(text.find("==> a <==\n     1\t1"), std::string::npos) << text;
    EXPECT_NE(text.find("not_found"), std::string::npos);
    EXPECT_NE(text.find("==> b <==\n     1\t2"), std::string::npos);
}

TEST_F(Look, several_files_are_cut_by_their_sum) {
    const std::string head("\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\10\2\0\0\0\x90wS\xde",
                           33);
    json::Array images;
    json::Array texts;
    for (int i = 0; i < 5; ++i) {
        const std::string number = std::to_string(i);
        os_write(ws("i" + number), head + std::string(2 * limits::kReadFilesMediaBytes / 3, 'x'));
        images.push_back("i" + number);
        os_write(ws("t" + number), std::string(limits::kReadLineBytesMax, 'x') + "\n");
        texts.push_back("t" + number);
    }
    const tools::Answer answer = call("read_files", {{"paths", images}});
    ASSERT_EQ(answer.blocks.size(), 3U) << "the text and two images";
    EXPECT_EQ(answer.blocks[2].kind, tools::BlockKind::kImage);
    EXPECT_TRUE(
        answer.text().ends_with("[Cut by size after 2 of 5 files; ask for the others again.]\n"))
        << answer.text();
    EXPECT_EQ(ok("read_files", {{"paths", texts}}).find("Cut by size"), std::string::npos);
}

// The key in the first file has no end in what is shown.
TEST_F(Look, a_key_that_is_cut_does_not_hide_the_next_file) {
    tree({"ROOT/a=x", "ROOT/b=x"});
    std::string key =
        "hello\n-----BEGIN RSA PRIVATE"
        " KEY-----\n";
    for (int i = 0; i < 64; ++i) key += "aB3dE5gH7jK9mN"[i * 5 % 14];
    os_write(ws("a"), key + "\n");
    os_write(ws("b"), "hello\nall/fine\n");
    std::size_t secrets = 0;
    options.audit = [&](const AuditEvent& event) { secrets = event.secrets; };
    EXPECT_EQ(ok("grep", {{"pattern", "hello"}, {"output_mode", "content"}, {"-A", 2}}),
              "a\n1:hello\n2[REDACTED:private-key]\n\nb\n1:hello\n2-all/fine\n");
    EXPECT_EQ(secrets, 1U);
    const std::string both = ok("read_files", {{"paths", json::Array{"a", "b"}}});
    EXPECT_NE(both.find("==> b <==\n     1\thello\n     2\tall/fine"), std::string::npos) << both;
    EXPECT_EQ(secrets, 1U);
}

// It begins farther before the match than what is looked at around any other match.
TEST_F(Look, a_key_in_a_long_line_is_hidden_to_its_end) {
    tree({"ROOT/plain.json=x", "ROOT/encoded.json=x"});
    const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string body;
    for (std::uint32_t i = 0; i < 90; ++i) body += Chance(i).text(digits, 64) + "\\n";
    const std::string last = body.substr(body.size() - 66, 64);
    const std::string rest =
        "\",\"client_email\":\"x\",\"pad\":\"" + std::string(3000, '.') + "\"}\n";
    os_write(ws("plain.json"), std::string("{\"k\":\"-----BEGIN ") + "PRIVATE KEY-----\\n" + body +
                                   "-----END PRIVATE KEY-----\\n" + rest);
    // "-----BEGIN PRIVATE KEY-----\n"
    os_write(ws("encoded.json"), std::string("{\"k\":\"LS0tLS1CRUdJTiBQUklWQVRF") +
                                     "IEtFWS0tLS0tCk1J" + Chance(7).text(digits, 6000) + last +
                                     rest);
    for (const char* path : {"plain.json", "encoded.json"}) {
        const std::string shown =
            ok("grep", {{"pattern", "client_email"}, {"path", path}, {"output_mode", "content"}});
        EXPECT_NE(shown.find("[REDACTED:private-key]"), std::string::npos) << shown;
        EXPECT_NE(shown.find("client_email"), std::string::npos) << shown;
        EXPECT_EQ(shown.find(last), std::string::npos) << shown;
    }
}

TEST_F(Look, unconfined_needs_a_permit_and_keeps_the_rest) {
    tree({"ROOT/f=inside", "ROOT/.env=x"});
    options.unconfined = permit::Unconfined{"a test"};
    EXPECT_EQ(ok("read_file", {{"path", "f"}}), "     1\tinside\n");
    EXPECT_EQ(ok("read_file", {{"path", "../OUT/secret"}}), "     1\toutside-secret\n");
    EXPECT_EQ(ok("read_file", {{"path", out("secret")}}), "     1\toutside-secret\n");
    EXPECT_EQ(refused("read_file", {{"path", ".env"}}), "denied_by_rule");
}

TEST_F(Look, dotdot_goes_up_from_where_a_link_leads_only_when_unconfined) {
    tree({"ROOT/f=inside", "ROOT/far/away/", "ROOT/far/f=behind", "ROOT/link->far/away"});
    EXPECT_EQ(ok("read_file", {{"path", "link/../f"}}), "     1\tinside\n");
    options.unconfined = permit::Unconfined{"a test"};
    reopen();
    EXPECT_EQ(ok("read_file", {{"path", "link/../f"}}), "     1\tbehind\n");
    EXPECT_EQ(ok("read_file", {{"path", "link/../../link/../f"}}), "     1\tbehind\n");
    EXPECT_EQ(refused("read_file", {{"path", std::string("a\0/../f", 7)}}), "invalid_path");
}

}  // namespace
}  // namespace paddock::testing
