#include "cli/agent_workspace.h"

#include <fcntl.h>

#include <cerrno>

#include "sandbox/child.h"
#include "testing/jail.h"

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

}  // namespace
}  // namespace paddock::testing
