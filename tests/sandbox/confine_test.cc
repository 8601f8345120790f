// What a confined process can and cannot do. Each refusal is preceded by the same attempt, made
// before the confinement, that succeeds.
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <thread>

#include "sandbox/child.h"
#include "sandbox/confine.h"
#include "sandbox/peers.h"
#include "testing/jail.h"

namespace paddock::testing {
namespace {

class Confine : public Jail {
protected:
    Confine() {
        tree({"ROOT/a/file=one", "ROOT/b/", "ROOT/link->@/OUT/secret", "OUT/dir/", "OUT/old=text"});
    }

    // Only the workspace, as `access` says.
    static void confine(const Root& root, Access access = Access::kReadWrite) {
        ConfineSpec spec;
        spec.rules = {{root.fd(), access}};
        const auto report = confine_self(spec);
        ASSERT_TRUE(report.has_value()) << report.error().message();
        EXPECT_NE(report->status, Enforcement::kNone);
    }
};

TEST_F(Confine, a_bug_in_wall_one_alone_does_not_read_the_outside) {
    NEEDS_LANDLOCK(3);
    const Root root = this->root();
    in_child([&] {
        // What a careless tool would do with paths from an agent, each way a different bug.
        const auto attempts = [&] {
            return std::vector<std::optional<std::string>>{
                os_read("/etc/passwd"), os_read(out("secret")), naive_read("../OUT/secret"),
                naive_read("link")};
        };
        for (const auto& read : attempts()) EXPECT_TRUE(read.has_value());
        confine(root);
        for (const auto& read : attempts()) EXPECT_FALSE(read.has_value());
        EXPECT_EQ(os_open_error("/etc/passwd", O_RDONLY), EACCES);
        EXPECT_EQ(error_of(::openat(root.fd(), "../OUT/secret", O_RDONLY)), EACCES);
        EXPECT_EQ(error_of(::openat(root.fd(), "..", O_RDONLY | O_DIRECTORY)), EACCES);
    });
}

TEST_F(Confine, a_pinned_outside_file_cannot_be_opened_again_through_proc) {
    NEEDS_LANDLOCK(3);
    const Root root = this->root();
    in_child([&] {
        const UniqueFd pinned(::open(out("secret").c_str(), O_PATH | O_CLOEXEC));
        const std::string magic = "/proc/self/fd/" + std::to_string(pinned.get());
        EXPECT_EQ(os_open_error(magic, O_RDONLY), 0);
        confine(root);
        EXPECT_EQ(os_open_error(magic, O_RDONLY), EACCES);
    });
}

TEST_F(Confine, outside_names_cannot_be_changed) {
    NEEDS_LANDLOCK(3);
    const Root root = this->root();
    in_child([&] {
        EXPECT_EQ(os_open_error(out("made"), O_WRONLY | O_CREAT | O_EXCL), 0);
        confine(root);
        EXPECT_EQ(os_open_error(out("made2"), O_WRONLY | O_CREAT | O_EXCL), EACCES);
        EXPECT_EQ(os_open_error(out("old"), O_WRONLY), EACCES);
        EXPECT_EQ(os_open_error(out("old"), O_RDONLY | O_TRUNC), EACCES);
        EXPECT_EQ(error_of(::truncate(out("old").c_str(), 0)), EACCES);
        EXPECT_EQ(error_of(::unlink(out("made").c_str())), EACCES);
        EXPECT_EQ(error_of(::rmdir(out("dir").c_str())), EACCES);
        EXPECT_EQ(error_of(::mkdir(out("new").c_str(), 0700)), EACCES);
        EXPECT_EQ(error_of(::symlink("x", out("sym").c_str())), EACCES);
        // Into the workspace and out of it. EXDEV: the kernel lets the caller copy instead.
        EXPECT_NE(error_of(::rename(out("old").c_str(), ws("old").c_str())), 0);
        EXPECT_NE(error_of(::rename(ws("a/file").c_str(), out("file").c_str())), 0);
        EXPECT_NE(error_of(::link(out("secret").c_str(), ws("hard").c_str())), 0);
    });
    EXPECT_EQ(os_read(out("old")), "text");
    EXPECT_EQ(os_read(ws("a/file")), "one");
    EXPECT_EQ(secret(), kSecret);
}

TEST_F(Confine, the_workspace_stays_fully_usable_through_root) {
    NEEDS_LANDLOCK(3);
    const Root root = this->root();
    in_child([&] {
        confine(root);
        EXPECT_EQ(root.read_file("a/file").value_or("-"), "one");
        EXPECT_OK(root.write_file("a/file", "two"));
        EXPECT_EQ(root.read_file("a/file").value_or("-"), "two");
        EXPECT_OK(root.append_file("a/file", "!"));
        EXPECT_OK(root.mkdir_all("c/d/e"));
        EXPECT_OK(root.rename("a/file", "c/d/e/moved"));
        EXPECT_OK(root.rename("c/d", "b/d"));
        EXPECT_OK(root.hard_link("b/d/e/moved", "twin"));
        EXPECT_OK(root.remove("twin"));
        EXPECT_OK(root.symlink("b/d/e/moved", "inner"));
        EXPECT_EQ(root.read_file("inner").value_or("-"), "two!");
        OpenOptions cut;
        cut.write = cut.truncate = true;
        EXPECT_OK(root.open_file("inner", cut));
        EXPECT_EQ(root.read_file("inner").value_or("-"), "");
        EXPECT_OK(root.copy_file("inner", "copied"));
        EXPECT_OK(root.chmod("copied", 0640));
        EXPECT_OK(root.utimes("copied", Times{std::chrono::seconds(1), std::chrono::seconds(2)}));
        EXPECT_EQ(root.list(".").value_or(Listing{}).entries.size(), 6U);
        EXPECT_OK(root.temp_file());
        EXPECT_OK(root.remove_all("b"));
        EXPECT_CODE(root.read_file("link"), Code::kPathEscape);
        EXPECT_OK(Root::open(ws()));
    });
}

TEST_F(Confine, special_files_can_be_moved_to_another_directory_but_not_devices_made) {
    NEEDS_LANDLOCK(3);
    tree({"ROOT/a/pipe|"});
    const Root root = this->root();
    in_child([&] {
        confine(root);
        EXPECT_OK(root.rename("a/pipe", "b/pipe"));
        const int device = error_of(::mknod(ws("null").c_str(), S_IFCHR | 0600, 0x0103));
        EXPECT_TRUE(device == EACCES || device == EPERM) << device;
    });
}

TEST_F(Confine, a_read_only_rule_refuses_every_change) {
    NEEDS_LANDLOCK(3);
    const Root root = this->root();
    in_child([&] {
        confine(root, Access::kReadOnly);
        EXPECT_EQ(root.read_file("a/file").value_or("-"), "one");
        EXPECT_OK(root.list("a"));
        EXPECT_CODE(root.write_file("a/file", "two"), Code::kPermissionDenied);
        EXPECT_CODE(root.append_file("a/file", "two"), Code::kPermissionDenied);
        EXPECT_CODE(root.mkdir("c"), Code::kPermissionDenied);
        EXPECT_CODE(root.remove("a/file"), Code::kPermissionDenied);
        EXPECT_CODE(root.rename("a", "c"), Code::kPermissionDenied);
        EXPECT_EQ(error_of(::truncate(ws("a/file").c_str(), 0)), EACCES);
    });
    EXPECT_EQ(os_read(ws("a/file")), "one");
}

TEST_F(Confine, only_the_execute_rule_runs_programs) {
    NEEDS_LANDLOCK(3);
    os_write(ws("script"), "#!/nowhere\n");
    ASSERT_EQ(::chmod(ws("script").c_str(), 0755), 0);
    const Root root = this->root();
    const auto exec_error = [&] {
        char name[] = "script";
        char* arguments[] = {name, nullptr};
        return error_of(::execv(ws("script").c_str(), arguments));
    };
    in_child([&] { EXPECT_EQ(exec_error(), ENOENT) << "allowed, but its interpreter is absent"; });
    in_child([&] {
        confine(root, Access::kReadExecute);
        EXPECT_EQ(exec_error(), ENOENT);
        EXPECT_EQ(os_open_error(ws("script"), O_WRONLY), EACCES);
    });
    in_child([&] {
        confine(root, Access::kReadWrite);
        EXPECT_EQ(exec_error(), EACCES);
    });
}

TEST_F(Confine, rules_differ_by_directory) {
    NEEDS_LANDLOCK(3);
    const Root root = this->root();
    const auto a = root.sub_root("a");
    const auto b = root.sub_root("b");
    ASSERT_TRUE(a && b);
    in_child([&] {
        ConfineSpec spec;
        spec.rules = {{a->fd(), Access::kReadOnly}, {b->fd(), Access::kReadWrite}};
        ASSERT_TRUE(confine_self(spec).has_value());
        EXPECT_OK(a->read_file("file"));
        EXPECT_CODE(a->write_file("file", "x"), Code::kPermissionDenied);
        EXPECT_OK(b->write_file("file", "x"));
        EXPECT_CODE(root.list("."), Code::kPermissionDenied);
    });
}

TEST_F(Confine, without_rules_no_file_can_be_opened) {
    NEEDS_LANDLOCK(3);
    in_child([&] {
        ASSERT_TRUE(confine_self({}).has_value());
        EXPECT_EQ(os_open_error(ws("a/file"), O_RDONLY), EACCES);
        EXPECT_EQ(os_open_error("/", O_RDONLY | O_DIRECTORY), EACCES);
    });
}

TEST_F(Confine, a_second_call_can_only_narrow) {
    NEEDS_LANDLOCK(3);
    const Root root = this->root();
    const UniqueFd outside(::open(out().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    in_child([&] {
        confine(root);
        ConfineSpec wider;
        wider.rules = {{root.fd(), Access::kReadOnly}, {outside.get(), Access::kReadWrite}};
        ASSERT_TRUE(confine_self(wider).has_value());
        EXPECT_FALSE(os_read(out("secret")).has_value());
        EXPECT_OK(root.read_file("a/file"));
        EXPECT_CODE(root.write_file("a/file", "x"), Code::kPermissionDenied);
    });
}

TEST_F(Confine, the_sixteenth_domain_is_the_last) {
    NEEDS_LANDLOCK(3);
    in_child([&] {
        for (int i = 0; i < 16; ++i) ASSERT_TRUE(confine_self({}).has_value()) << i;
        EXPECT_CODE(confine_self({}), Code::kSandboxUnavailable);
    });
}

TEST_F(Confine, tcp_is_refused_unless_permitted) {
    NEEDS_LANDLOCK(4);
    const TcpPeer peer;
    if (peer.port == 0) GTEST_SKIP() << "no loopback interface";
    in_child([&] {
        EXPECT_EQ(peer.connect_error(), 0);
        EXPECT_EQ(TcpPeer::bind_any_error(), 0);
        ASSERT_TRUE(confine_self({}).has_value());
        EXPECT_EQ(peer.connect_error(), EACCES);
        EXPECT_EQ(TcpPeer::bind_any_error(), EACCES);
    });
    in_child([&] {
        ConfineSpec spec;
        spec.network = permit::Network{"the test wants it"};
        const auto report = confine_self(spec);
        ASSERT_TRUE(report.has_value());
        EXPECT_EQ(report->permits, std::vector<std::string>{"network: the test wants it"});
        EXPECT_EQ(peer.connect_error(), 0);
        EXPECT_EQ(TcpPeer::bind_any_error(), 0);
    });
}

TEST_F(Confine, processes_outside_are_out_of_reach_unless_permitted) {
    NEEDS_LANDLOCK(6);
    const AbstractPeer peer;
    in_child([&] {
        EXPECT_EQ(peer.connect_error(), 0);
        EXPECT_EQ(error_of(::kill(::getppid(), 0)), 0);
        ASSERT_TRUE(confine_self({}).has_value());
        EXPECT_EQ(peer.connect_error(), EPERM);
        EXPECT_EQ(error_of(::kill(::getppid(), 0)), EPERM);
        const AbstractPeer inside;
        EXPECT_EQ(inside.connect_error(), 0);
    });
    in_child([&] {
        ConfineSpec spec;
        spec.other_processes = permit::OtherProcesses{"the test wants it"};
        ASSERT_TRUE(confine_self(spec).has_value());
        EXPECT_EQ(peer.connect_error(), 0);
        EXPECT_EQ(error_of(::kill(::getppid(), 0)), 0);
    });
}

TEST_F(Confine, children_are_confined_too_and_gain_no_privileges) {
    NEEDS_LANDLOCK(3);
    const Root root = this->root();
    in_child([&] {
        confine(root);
        in_child([&] {
            EXPECT_FALSE(os_read(out("secret")).has_value());
            EXPECT_EQ(::prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0), 1);
        });
    });
}

TEST_F(Confine, descriptors_are_neither_leaked_nor_needed_afterwards) {
    NEEDS_LANDLOCK(3);
    in_child([&] {
        UniqueFd workspace(::open(ws().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
        const int before = count_descriptors();
        ConfineSpec spec;
        spec.rules = {{workspace.get(), Access::kReadWrite}};
        ASSERT_TRUE(confine_self(spec).has_value());
        EXPECT_EQ(count_descriptors(), before);
        workspace.reset();
        EXPECT_TRUE(os_read(ws("a/file")).has_value());
    });
}

// A limit that the header admits: what is open stays usable.
TEST_F(Confine, descriptors_opened_before_keep_working) {
    NEEDS_LANDLOCK(3);
    in_child([&] {
        const UniqueFd early(::open(out("secret").c_str(), O_RDONLY | O_CLOEXEC));
        ASSERT_TRUE(confine_self({}).has_value());
        char first = 0;
        EXPECT_EQ(::read(early.get(), &first, 1), 1);
    });
}

TEST_F(Confine, other_threads_are_refused_before_abi_8) {
    NEEDS_LANDLOCK(3);
    in_child([&] {
        int hold[2];
        ASSERT_EQ(::pipe2(hold, O_CLOEXEC), 0);
        std::thread other([&] {
            char end = 0;
            EXPECT_EQ(::read(hold[0], &end, 1), 0);
        });
        EXPECT_CODE(sandbox::confine_self_at({}, 7), Code::kSandboxUnavailable);
        EXPECT_TRUE(os_read(out("secret")).has_value()) << "refused, yet confined";
        ::close(hold[1]);
        other.join();
        EXPECT_OK(sandbox::confine_self_at({}, 7));
    });
}

TEST_F(Confine, other_threads_are_confined_from_abi_8) {
    NEEDS_LANDLOCK(8);
    in_child([&] {
        int hold[2];
        ASSERT_EQ(::pipe2(hold, O_CLOEXEC), 0);
        std::thread other([&] {
            char end = 0;
            EXPECT_EQ(::read(hold[0], &end, 1), 0);
            EXPECT_EQ(os_open_error(out("secret"), O_RDONLY), EACCES);
        });
        EXPECT_OK(confine_self({}));
        ::close(hold[1]);
        other.join();
    });
}

}  // namespace
}  // namespace paddock::testing
