#include "cli/mcp.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "sandbox/child.h"
#include "testing/jail.h"
#include "tools/session.h"

namespace paddock::testing {
namespace {

// Wall two of the servers, seen by code that has no other guard.
class WallTwo : public Jail {
protected:
    void SetUp() override {
        NEEDS_LANDLOCK(1);
        tree({"ROOT/f=inside"});
        options_.root = ws();
    }

    // In a child that has been confined to the workspace.
    void confined(const std::function<void()>& body) {
        const auto workspace = Workspace::open(options_);
        ASSERT_TRUE(workspace.has_value());
        in_child([&] {
            for (const std::string& path : outside_) EXPECT_EQ(os_open_error(path, O_RDONLY), 0);
            const auto report = cli::confine_to(*workspace);
            ASSERT_TRUE(report.has_value()) << report.error().message();
            body();
        });
    }

    const std::vector<std::string> outside_{out("secret"), "/etc/passwd", "/", base()};
    WorkspaceOptions options_;
};

TEST_F(WallTwo, nothing_outside_can_be_opened) {
    confined([&] {
        for (const std::string& path : outside_) {
            EXPECT_EQ(os_open_error(path, O_RDONLY), EACCES) << path;
        }
        EXPECT_EQ(os_open_error(out("secret"), O_WRONLY), EACCES);
        EXPECT_EQ(os_open_error(out("new"), O_WRONLY | O_CREAT), EACCES);
        EXPECT_EQ(os_open_error(ws("f"), O_RDWR), 0);
        EXPECT_EQ(os_open_error(ws("new"), O_WRONLY | O_CREAT), 0);
    });
    EXPECT_FALSE(os_exists(out("new")));
}

TEST_F(WallTwo, a_read_only_workspace_can_only_be_read) {
    options_.read_only = true;
    confined([&] {
        EXPECT_EQ(os_open_error(out("secret"), O_RDONLY), EACCES);
        EXPECT_EQ(os_open_error(ws("f"), O_RDONLY), 0);
        EXPECT_EQ(os_open_error(ws("f"), O_WRONLY), EACCES);
        EXPECT_EQ(os_open_error(ws("new"), O_WRONLY | O_CREAT), EACCES);
    });
    EXPECT_EQ(os_list(ws()), std::vector<std::string>{"f"});
}

TEST_F(WallTwo, the_cgroup_of_a_session_can_be_removed_from_inside) {
    ASSERT_TRUE(!is_root() || ::chown(ws().c_str(), 65534, 65534) == 0);
    options_.shell.emplace();
    in_child([&] {
        const auto workspace = Workspace::open(options_);
        ASSERT_TRUE(workspace.has_value());
        const auto shell = tools::Session::of(*workspace).shell();
        if (!shell || (*shell)->cgroup_parent() < 0) return;  // none can be made here
        const UniqueFd parent(::dup((*shell)->cgroup_parent()));
        const std::string mine = "paddock-" + std::to_string(::getpid()) + "-";
        const auto names = os_list("/proc/self/fd/" + std::to_string(parent.get()));
        const auto group = std::find_if(names.begin(), names.end(), [&](const std::string& name) {
            return name.starts_with(mine);
        });
        ASSERT_NE(group, names.end());
        ASSERT_TRUE(cli::confine_to(*workspace).has_value());
        cli::end_commands(*workspace);
        EXPECT_NE(::faccessat(parent.get(), group->c_str(), F_OK, 0), 0);
    });
}

}  // namespace
}  // namespace paddock::testing
