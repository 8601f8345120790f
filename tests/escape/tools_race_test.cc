// Names that are swapped between the moment a tool judges them and the moment it acts.
//
// Not in the catalogue by id: the path layer has its races there. Here the prize is what a rule
// protects, and the attacker a process inside the workspace that may not touch it itself.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <future>
#include <optional>
#include <string>
#include <vector>

#include "escape/call_hook.h"
#include "escape/in_memory.h"
#include "escape/operations.h"
#include "escape/plain_os.h"
#include "tools/call.h"
#include "tools/desk.h"

namespace paddock::testing {
namespace {

class ToolsRace : public InMemoryOf<Desk> {
protected:
    ToolsRace() {
        options.track_reads = false;
        options.limits.calls_per_second.reset();
        options.limits.calls_in_flight.reset();
    }

    void exchange(const std::string& one, const std::string& other) const {
        const int done =
            ::renameat2(AT_FDCWD, ws(one).c_str(), AT_FDCWD, ws(other).c_str(), RENAME_EXCHANGE);
        ASSERT_TRUE(done == 0 || errno == ENOENT);  // it may have been removed by then
    }

    struct Call {
        std::string_view tool;
        json::Object arguments;
    };

    // Calls that are all about "d" and what is in it, one at least of every tool that takes a path.
    static std::vector<Call> calls() {
        const std::string diff = "--- a/d/f\n+++ b/d/f\n@@ -1 +1 @@\n-inside\n+new\n";
        return {{"read_file", {{"path", "d/f"}}},
                {"read_files", {{"paths", json::Array{"d/f", "d/h"}}}},
                {"write_file", {{"path", "d/f"}, {"content", "new\n"}}},
                {"write_file", {{"path", "d/new"}, {"content", "new\n"}}},
                {"write_file", {{"path", "d/deep/new"}, {"content", "new\n"}}},
                {"edit_file", {{"path", "d/f"}, {"old_string", "inside"}, {"new_string", "new"}}},
                {"patch", {{"patch", diff}}},
                {"patch", {{"patch", "*** Begin Patch\n*** Add File: d/new\n+x\n*** End Patch\n"}}},
                {"patch", {{"patch", "*** Begin Patch\n*** Delete File: d/f\n*** End Patch\n"}}},
                {"glob", {{"pattern", "**"}, {"path", "d"}, {"hidden", true}}},
                {"grep", {{"pattern", "."}, {"path", "d"}, {"output_mode", "content"}}},
                {"grep", {{"pattern", "."}, {"path", "d/f"}, {"output_mode", "content"}}},
                {"list_directory", {{"path", "d"}, {"depth", 3}, {"sizes", true}}},
                {"move_path", {{"source", "d/f"}, {"destination", "e/f"}}},
                {"move_path", {{"source", "e/g"}, {"destination", "d/g"}}},
                {"copy_path", {{"source", "d/f"}, {"destination", "e/f"}}},
                {"copy_path", {{"source", "d"}, {"destination", "e/d"}}},
                {"copy_path", {{"source", "e/g"}, {"destination", "d/g"}}},
                {"copy_path", {{"source", "e/in"}, {"destination", "d/in"}}},
                {"copy_path", {{"source", "e/g"}, {"destination", "d/f"}, {"overwrite", true}}},
                {"remove_path", {{"path", "d/f"}}},
                {"remove_path", {{"path", "d"}, {"recursive", true}}},
                {"make_directory", {{"path", "d/new/dir"}}},
                {"file_info", {{"path", "d/f"}}},
                {"file_info", {{"path", "d/l"}}}};
    }

    void set_up(const std::string& trap) {
        std::filesystem::remove_all(ws());
        tree({"ROOT/d/f=inside\n", "ROOT/d/h=inside\n", "ROOT/d/l->f", "ROOT/e/g=inside\n",
              "ROOT/e/in->g", "ROOT/.git/objects/", "ROOT/.git/refs/",
              "ROOT/.git/hooks/f=protected\n", "ROOT/.git/hooks/h=protected\n",
              "ROOT/.git/hooks/l->f", "ROOT/vault/f=outside-secret", "ROOT/vault/h=outside-secret",
              "ROOT/vault/l->name-in-the-vault", "ROOT/trap->" + trap});
    }

    // Before each system call of each call, in turn, "d" is exchanged with a link to `trap`.
    void expect_kept(const std::string& trap, const std::string& prize) {
        for (const Call& each : calls()) {
            std::optional<Unchanged> watched;
            const auto start = [&] {
                set_up(trap);
                watched.emplace(prize);
                reopen();
                (void)workspace();
            };
            const auto run = [&] {
                const std::string text = call(each.tool, each.arguments).text();
                EXPECT_EQ(text.find(kSecret), text.npos) << each.tool << ": " << text;
                EXPECT_EQ(text.find("name-in-the-vault"), text.npos) << each.tool << ": " << text;
                watched.reset();
            };
            at_every_call(
                start, [&] { exchange("d", "trap"); }, run);
        }
    }
};

TEST_F(ToolsRace, the_calls_are_of_every_tool_that_takes_a_path) {
    for (const tools::Declaration* tool : tools::all_tools()) {
        if (!takes_a_path(*tool) || tool->traits.needs_shell) continue;
        const auto all = calls();
        EXPECT_TRUE(std::any_of(all.begin(), all.end(),
                                [&](const Call& each) { return each.tool == tool->name; }))
            << tool->name << " is not attacked: add a call about \"d\"";
    }
}

TEST_F(ToolsRace, directory_becomes_a_link_to_the_outside) {
    tree({"OUT/f=outside-secret", "OUT/h=outside-secret", "OUT/l->name-in-the-vault",
          "ROOT/d->../OUT"});
    expect_naive_leak("d/f");
    expect_kept("../OUT", out());
}

TEST_F(ToolsRace, directory_becomes_a_link_to_a_denied_one) {
    // Judging where a path leads and then opening the path is too late.
    bool leaked = false;
    at_every_call([&] { set_up("vault"); }, [&] { exchange("d", "trap"); },
                  [&] {
                      const Root careless = root();
                      const auto judged = careless.resolve("d/f");
                      if (!judged || judged->path.starts_with("vault")) return;
                      leaked = leaked || careless.read_file("d/f") == kSecret;
                  });
    EXPECT_TRUE(leaked);

    options.rules = {{"/vault", PathAccess::kDeny}};
    expect_kept("vault", ws("vault"));
}

TEST_F(ToolsRace, directory_becomes_a_link_to_a_read_only_one) {
    expect_kept(".git/hooks", ws(".git/hooks"));
}

// The file has been judged and written, and only has to take its name, when its directory gets one
// under which it would be protected. The move must wait; how long it is given does not matter.
TEST_F(ToolsRace, file_is_written_while_its_directory_becomes_protected) {
    options.rules = {{"/vault/key", PathAccess::kDeny}};
    tree({"ROOT/v/"});
    // The journal of the session is there: its own renames are over.
    (void)ok("make_directory", {{"path", "other"}});
    std::future<tools::Answer> move;
    const CallHook hook([&](sys::Call which) {
        if (which == sys::Call::kRename && !move.valid()) {
            move = std::async(std::launch::async, [&] {
                return call("move_path", {{"source", "v"}, {"destination", "vault"}});
            });
            (void)move.wait_for(std::chrono::milliseconds(100));
        }
        return sys::Fault{};
    });
    (void)ok("write_file", {{"path", "v/key"}, {"content", "planted"}});
    const tools::Answer answer = move.get();
    EXPECT_EQ(answer.error, Code::kDeniedByRule) << answer.text();
    EXPECT_FALSE(os_exists(ws("vault")));
    EXPECT_EQ(os_read(ws("v/key")), "planted");
}

}  // namespace
}  // namespace paddock::testing
