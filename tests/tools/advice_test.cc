// Whatever is wrong with a call, the answer ends with what to do about it.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <filesystem>
#include <regex>

#include "escape/call_hook.h"
#include "tools/call.h"
#include "tools/desk.h"

namespace paddock::testing {
namespace {

using json::Array;
using json::Object;

// How sentences begin that say what to do.
constexpr std::array kBeginnings{"Add",           "Apply",
                                 "Ask",           "Begin",
                                 "Check",         "Choose",
                                 "Copy",          "Correct",
                                 "Count",         "Did you mean",
                                 "Give",          "Leave",
                                 "List",          "Make",
                                 "Mark",          "Name",
                                 "Only",          "Put",
                                 "Read",          "Remove",
                                 "Search",        "Set",
                                 "Start",         "State",
                                 "The tools are", "This tool takes",
                                 "Try",           "Use",
                                 "Wait",          "Work",
                                 "Write",         "It takes",
                                 "Change",        "Look",
                                 "Convert"};

std::vector<std::string> sentences_of(const std::string& text) {
    std::vector<std::string> sentences;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find(". ", at), text.size());
        sentences.push_back(text.substr(at, end - at));
        at = end + 2;
    }
    return sentences;
}

// What a caller asks for, or what the thing in quotes is. The steps inside paddock have other
// names.
constexpr std::array kPublicWords{"copy", "copy to", "glob",   "grep",  "list",   "move",
                                  "read", "remove",  "rename", "write", "pattern"};

// The words before the name that an error is about: "resolve" of "not_found: resolve 'x': ...".
std::string internal_word_of(const std::string& text) {
    static const std::regex kNamed("(?:^|[:.(] )([a-z]+(?: [a-z]+)*) '[^']*': ");
    for (std::sregex_iterator found(text.begin(), text.end(), kNamed), end; found != end; ++found) {
        const std::string word = (*found)[1];
        if (std::find(kPublicWords.begin(), kPublicWords.end(), word) == kPublicWords.end()) {
            return word;
        }
    }
    return {};
}

class Advice : public Desk {
protected:
    // Beyond its first sentence, which is the problem.
    static bool has_advice(const std::string& text) {
        const auto sentences = sentences_of(text);
        return std::any_of(sentences.begin() + 1, sentences.end(), [](const std::string& sentence) {
            return std::any_of(kBeginnings.begin(), kBeginnings.end(),
                               [&](const char* word) { return sentence.starts_with(word); });
        });
    }

    void expect_advice(std::string_view tool, const Object& arguments) {
        const tools::Answer answer = call(tool, arguments);
        ++calls_;
        if (!answer.error) return;
        ++errors_;
        EXPECT_TRUE(has_advice(answer.text())) << tool << ": " << answer.text();
        EXPECT_EQ(internal_word_of(answer.text()), "") << tool << ": " << answer.text();
    }
    void expect_error(std::string_view tool, const Object& arguments) {
        EXPECT_TRUE(call(tool, arguments).error) << tool << " took it";
        expect_advice(tool, arguments);
    }
    void expect_patch_error(const std::string& patch) { expect_error("patch", {{"patch", patch}}); }

    int calls_ = 0;
    int errors_ = 0;
};

// What a tool needs to be about a path.
Object about(const tools::Declaration& tool, const std::string& path) {
    Object object;
    for (const tools::Argument& argument : tool.arguments) {
        const std::string name(argument.name);
        if (name == "path" || name == "source" || name == "destination" || name == "cwd") {
            object[name] = path;
        } else if (name == "paths") {
            object[name] = Array{path};
        } else if (name == "patch") {
            object[name] = "--- a/" + path + "\n+++ b/" + path + "\n@@ -1 +1 @@\n-a\n+b\n";
        } else if (name == "old_string" || name == "new_string" || argument.required) {
            object[name] = name;
        }
    }
    if (tool.name == "move_path" || tool.name == "copy_path") object["destination"] = "free";
    return object;
}

TEST_F(Advice, follows_every_refusal_of_a_path) {
    const std::string binary("a\0b", 3);
    tree({"ROOT/f=text\n", "ROOT/d/e/", "ROOT/.env=x", "ROOT/pipe|", "ROOT/out->../OUT",
          "ROOT/loop->loop", "ROOT/gone->none"});
    os_write(ws("binary"), binary);
    options.rules = {{"d/e", PathAccess::kReadOnly}};
    const std::array<std::string, 17> paths{"none",
                                            "none/below/it",
                                            "f/below",
                                            "d",
                                            "d/e/new",
                                            ".env",
                                            "pipe",
                                            "out",
                                            "out/secret",
                                            "loop",
                                            "gone",
                                            "binary",
                                            "../OUT/secret",
                                            "/etc/passwd",
                                            "",
                                            std::string("a\0b", 3),
                                            std::string(5000, 'x')};
    for (const tools::Declaration* tool : tools::all_tools()) {
        if (!takes_a_path(*tool) || tool->name == "bash") continue;
        for (const std::string& path : paths) expect_advice(tool->name, about(*tool, path));
    }
    EXPECT_GT(errors_, 100) << "of " << calls_;
}

// Each system call of each tool fails in turn.
TEST_F(Advice, issue_17_16_names_no_step_inside_paddock) {
    EXPECT_EQ(internal_word_of("not_found: resolve 'x': does not exist."), "resolve");
    EXPECT_EQ(internal_word_of("io_error: 'y': failed. look up 'x': failed."), "look up");
    EXPECT_EQ(internal_word_of("io_error: 'x': the disk is full."), "");
    const std::vector<std::pair<const char*, Object>> calls = {
        {"read_file", {{"path", "d/f"}}},
        {"read_files", {{"paths", Array{"d/f"}}}},
        {"file_info", {{"path", "l"}}},
        {"list_directory", {{"path", "d"}, {"depth", 2}}},
        {"glob", {{"pattern", "**"}, {"path", "d"}}},
        {"grep", {{"pattern", "one"}, {"path", "d"}}},
        {"write_file", {{"path", "new/f"}, {"content", "x"}}},
        {"write_file", {{"path", "d/f"}, {"content", "x\n"}}},
        {"edit_file", {{"path", "d/f"}, {"old_string", "one"}, {"new_string", "two"}}},
        {"make_directory", {{"path", "new/d"}}},
        {"move_path", {{"source", "d/f"}, {"destination", "new/f"}}},
        {"copy_path", {{"source", "d"}, {"destination", "new"}}},
        {"remove_path", {{"path", "d"}, {"recursive", true}}},
        {"patch",
         {{"patch",
           "*** Begin Patch\n*** Update File: d/f\n-one\n+two\n*** Add File: new/f\n+x\n"
           "*** Delete File: d/g\n*** End Patch\n"}}}};
    for (const auto& [tool, arguments] : calls) {
        std::atomic<int> count = 0;  // of late calls, which are much alike, every fifth
        for (int nth = 1; count + 5 >= nth; nth += nth < 40 ? 1 : 5) {
            for (const char* old : {"d", "l", "new"}) std::filesystem::remove_all(ws(old));
            tree({"ROOT/d/f=one\n", "ROOT/d/g=x\n", "ROOT/l->d/f"});
            read("d/f");
            read("d/g");
            count = 0;
            const CallHook hook([&](sys::Call) {
                return sys::Fault{.error = ++count == nth ? EACCES : 0, .bytes_max = 0};
            });
            expect_advice(tool, arguments);
        }
    }
    EXPECT_GT(errors_, 100) << "of " << calls_;
}

TEST_F(Advice, follows_every_refusal_of_arguments) {
    for (const tools::Declaration* tool : tools::all_tools()) {
        expect_advice(tool->name, {});
        expect_error(tool->name, {{"no_such_argument", 1}});
        for (const tools::Argument& argument : tool->arguments) {
            Object object = about(*tool, "f");
            object[std::string(argument.name)] = Object{{"wrong", true}};
            expect_error(tool->name, object);
        }
    }
    expect_error("no_such_tool", {});
    const tools::Answer list = tools::call(workspace(), "read_file", "[1]");
    EXPECT_TRUE(has_advice(list.text())) << list.text();
    const tools::Answer broken = tools::call(workspace(), "read_file", "{\"path\": ");
    EXPECT_TRUE(has_advice(broken.text())) << broken.text();
}

TEST_F(Advice, follows_every_refusal_of_a_search) {
    tree({"ROOT/f=text\n"});
    for (const char* pattern : {"(", "[", ")", "*", "a**", "\\", "\\y", "(foo)\\1", "\\k<a>",
                                "(?=a)", "(?P<a", "x{2000}", "a\nb", "[b-a]", "[[:no:]]", "\\pX"}) {
        expect_error("grep", {{"pattern", pattern}});
    }
    EXPECT_NE(call("grep", {{"pattern", "(foo)\\1"}})
                  .text()
                  .find("is a back-reference, which does not exist"),
              std::string::npos);
    expect_error("grep", {{"pattern", "x"}, {"type", "no-such"}});
    for (const char* glob :
         {"", "[", "{a", "a}", "../*", "/etc/*", "**/../x", "[z-a]", "[[:x:]]", "a\\"}) {
        expect_error("glob", {{"pattern", glob}});
        expect_error("grep", {{"pattern", "x"}, {"glob", glob}});
        expect_error("list_directory", {{"ignore", Array{glob}}});
    }
}

TEST_F(Advice, follows_every_refusal_of_a_change) {
    tree({"ROOT/f=one\ntwo\none\n", "ROOT/d/g=x"});
    expect_error("write_file", {{"path", "f"}, {"content", "x"}});
    read("f");
    expect_error("edit_file", {{"path", "f"}});
    expect_error("edit_file", {{"path", "f"}, {"old_string", "one"}});
    expect_error("edit_file", {{"path", "f"},
                               {"old_string", "a"},
                               {"new_string", "b"},
                               {"edits", Array{Object{{"old_string", "c"}, {"new_string", "d"}}}}});
    for (const char* old : {"", "one", "twos", "nothing like it", "new"}) {
        expect_error("edit_file", {{"path", "f"}, {"old_string", old}, {"new_string", "new"}});
    }
    expect_error("read_file", {{"path", "f"}, {"offset", 0}});
    expect_error("read_file", {{"path", "f"}, {"offset", 100}});
    expect_error("remove_path", {{"path", "d"}});
    expect_error("remove_path", {{"path", "."}});
    expect_error("move_path", {{"source", "f"}, {"destination", "d"}});
    expect_error("move_path", {{"source", "f"}, {"destination", "f"}});
    expect_error("move_path", {{"source", "d"}, {"destination", "d/e"}});
    expect_error("copy_path", {{"source", "d"}, {"destination", "d/e"}});
    expect_error("copy_path", {{"source", "f"}, {"destination", "x/"}});
    expect_error("make_directory", {{"path", "f"}});
    os_write(ws("f"), "changed\n");
    expect_error("write_file", {{"path", "f"}, {"content", "x"}});
}

TEST_F(Advice, follows_every_refusal_of_a_patch) {
    tree({"ROOT/f=one\ntwo\none\n", "ROOT/l->f"});
    read("f");
    const auto marked = [](const std::string& body) {
        return "*** Begin Patch\n" + body + "*** End Patch\n";
    };
    for (const char* body :
         {"", "*** Update File: f\n", "*** Update File: none\n-a\n+b\n", "*** Update File: f\nx\n",
          "*** Update File: f\n@@\n one\n", "*** Add File: f\n+x\n", "*** Add File: n\nx\n",
          "*** Add File:\n", "*** Frobnicate: f\n", "*** Update File: f\n-three\n+x\n",
          "*** Update File: f\n-one\n+x\n", "*** Delete File: none\n", "*** Delete File: l\n"}) {
        expect_patch_error(marked(body));
    }
    const std::string git = "diff --git a/f b/f\n";
    for (const std::string& patch :
         {std::string("hello\n"),
          std::string("*** Begin Patch\n*** Add File: x\n+x\n"),
          git,
          git + "index 1..2 120000\n",
          git + "index 1..2 160000\n",
          git + "old mode 100644\nnew mode 104755\n",
          git + "GIT binary patch\nliteral 1\n",
          git + "new file mode 100644\ndeleted file mode 100644\n",
          git + "--- a/g\n+++ b/g\n@@ -1 +1 @@\n-a\n+b\n",
          git + "new file mode 100644\n--- /dev/null\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n",
          std::string("diff --git x\n"),
          std::string("diff --cc f\n@@@ -1 -1 +1 @@@\n"),
          std::string("@@ -1 +1 @@\n-a\n+b\n"),
          std::string("--- a/f\n+++ b/f\nhello\n"),
          std::string("--- \"\n+++ \"\n@@ -1 +1 @@\n-a\n+b\n"),
          std::string("--- /dev/null\n+++ /dev/null\n@@ -1 +1 @@\n-a\n+b\n"),
          std::string("--- a/f\n+++ b/f\n@@ -1 +1 @@\n one\n"),
          std::string("--- a/f\n+++ b/f\n@@ -1 +1 @@\n-one\n+b\n\\ No newline\n+c\n"),
          std::string("--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n-one\n+b\nc\n d\n"),
          std::string("--- a/f\n+++ b/f\n@@ -9 +9 @@\n-none\n+b\n"),
          std::string("--- a/f\n+++ b/f\n@@ -2 +2 @@\n-twos\n+b\n"),
          std::string("--- a/f\n+++ b/f\n@@ -2 +2 @@\n-two\n+b\n@@ -1,2 +1,2 @@\n-one\n+x\n two\n"),
          std::string("--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n")}) {
        expect_patch_error(patch);
    }
}

}  // namespace
}  // namespace paddock::testing
