// What commands see and can change: the workspace, and nothing else of the host.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "sandbox/session.h"

namespace paddock::testing {
namespace {

using sandbox::Warden;

bool has(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

class View : public Session {};

TEST_F(View, the_workspace_can_be_used_at_its_own_path) {
    tree({"ROOT/file=text"});
    START(warden, spec());
    EXPECT_EQ(run(warden, "pwd -P").output, ws() + "\n");
    EXPECT_EQ(run(warden, "cat file").output, "text");
    EXPECT_EQ(run(warden, "mkdir d && echo new > d/f && ln -s d l && mv file d && ls d").exit_code,
              0);
    EXPECT_EQ(os_read(ws("d/f")), "new\n");
    EXPECT_EQ(os_read(ws("d/file")), "text");
}

TEST_F(View, outside_does_not_exist) {
    START(warden, spec());
    // The careless twin: the same command without the sandbox.
    EXPECT_EQ(naive_read("../OUT/secret"), kSecret);
    for (const std::string& path : {out("secret"), std::string("../OUT/secret"),
                                    std::string("/proc/self/root") + out("secret"),
                                    std::string("/proc/self/cwd/../OUT/secret"),
                                    std::string("/proc/1/root") + out("secret")}) {
        const Ran ran = run(warden, "cat '" + path + "'");
        EXPECT_NE(ran.exit_code, 0) << path;
        EXPECT_FALSE(has(ran.output, kSecret)) << path;
    }
    EXPECT_NE(run(warden, "echo x > " + out("secret")).exit_code, 0);
    EXPECT_EQ(secret(), kSecret);
    tree({"ROOT/leak->@/OUT/secret"});
    EXPECT_NE(run(warden, "cat leak").exit_code, 0);
    EXPECT_EQ(run(warden, "ls -A ..").output, "ROOT\n");
}

TEST_F(View, the_root_holds_what_is_listed_and_cannot_be_changed) {
    START(warden, spec());
    const std::string names = run(warden, "ls /").output;
    for (const char* absent : {"root", "boot", "mnt", "media", "srv", "opt"}) {
        EXPECT_FALSE(has(names, std::string(absent) + "\n")) << names;
    }
    for (const char* place :
         {"/", "/usr", "/etc", "/dev", "/run", "/sys", "/home", "/var", "/.blank"}) {
        EXPECT_NE(run(warden, std::string("touch ") + place + "/new").exit_code, 0) << place;
    }
    EXPECT_NE(run(warden, "cat /etc/shadow").exit_code, 0);
    EXPECT_EQ(run(warden, "cut -d: -f1 /etc/passwd | head -1").output, "agent\n");
    EXPECT_EQ(run(warden, "id -un; id -gn").output, "agent\nagent\n");
    EXPECT_EQ(run(warden, "uname -n").output, "paddock\n");
    EXPECT_EQ(run(warden, "ls /sys /run").output, "/run:\n\n/sys:\n");
}

// The workspace of this test lies below /tmp, which can be written.
TEST_F(View, a_write_beside_the_workspace_fails_at_once) {
    START(warden, spec());
    ASSERT_TRUE(ws().starts_with("/tmp/"));
    EXPECT_EQ(run(warden, "echo x > /tmp/mine && cat /tmp/mine").output, "x\n");
    for (const char* change :
         {"echo x > ../new", "mkdir ../new", "ln -s x ../new", "mv ../ROOT ../new", "echo x > /new",
          "mkdir /home/new", "echo x > /dev/new"}) {
        const Ran ran = run(warden, change);
        EXPECT_NE(ran.exit_code, 0) << change;
        EXPECT_TRUE(has(ran.output, "Read-only file system") || has(ran.output, "busy"))
            << change << ": " << ran.output;
    }
    EXPECT_EQ(run(warden, "ls -A ..").output, "ROOT\n");
}

TEST_F(View, tmp_and_home_are_private) {
    const std::string mine = "/tmp/paddock-view-test-" + std::to_string(::getpid());
    os_write(mine, "host");
    START(warden, spec());
    EXPECT_NE(run(warden, "cat " + mine).exit_code, 0);
    EXPECT_EQ(run(warden, "echo inside > " + mine + " && cat " + mine).output, "inside\n");
    EXPECT_EQ(os_read(mine), "host");
    ::unlink(mine.c_str());
    EXPECT_EQ(run(warden, "echo $HOME && cd && pwd && touch f && ls -A").output,
              "/home/agent\n/home/agent\nf\n");
    EXPECT_EQ(run(warden, "echo x > /dev/shm/y && cat /dev/shm/y").output, "x\n");
    EXPECT_FALSE(os_exists("/dev/shm/y"));
    // It stays for the next command of the session, and is not there for another session.
    EXPECT_EQ(run(warden, "cat " + mine).output, "inside\n");
    START(other, spec());
    EXPECT_NE(run(other, "cat " + mine).exit_code, 0);
}

TEST_F(View, proc_is_fresh_and_cannot_be_written) {
    START(warden, spec());
    EXPECT_EQ(run(warden, "cat /proc/1/comm").output, "warden\n");
    EXPECT_NE(run(warden, "ls /proc/1/fd").exit_code, 0);
    EXPECT_NE(run(warden, "cat /proc/1/environ").exit_code, 0);
    EXPECT_EQ(run(warden, "tr -d '\\000' < /proc/1/cmdline").output, "");
    for (const char* path : {"/proc/sys/kernel/core_pattern", "/proc/sysrq-trigger",
                             "/proc/self/oom_score_adj", "/proc/sys/user/max_user_namespaces"}) {
        const Ran ran = run(warden, inmate() + "open_for_writing " + path);
        EXPECT_TRUE(ran.exit_code == EROFS || ran.exit_code == EACCES || ran.exit_code == ENOENT)
            << path << ": " << ran.exit_code;
    }
    EXPECT_EQ(run(warden, "cat /proc/sys/user/max_user_namespaces").output, "0\n");
    EXPECT_NE(run(warden, "cat /proc/kcore 2>&1 | head -c 1 >/dev/null; cat /proc/keys").exit_code,
              0);
    EXPECT_NE(run(warden, inmate() + "new_user_namespace").exit_code, 0);
}

TEST_F(View, devices_are_few_and_work) {
    START(warden, spec());
    EXPECT_EQ(
        run(warden, "ls /dev").output,
        "fd\nfull\nnull\nptmx\npts\nrandom\nshm\nstderr\nstdin\nstdout\ntty\nurandom\nzero\n");
    EXPECT_EQ(run(warden, "head -c 4 /dev/zero | od -An -tx1; echo x > /dev/null").output,
              " 00 00 00 00\n");
    EXPECT_EQ(run(warden, "head -c 9 /dev/urandom | wc -c").output, "9\n");
    EXPECT_NE(run(warden, "mknod node c 1 3").exit_code, 0);
}

TEST_F(View, a_read_only_workspace_cannot_be_changed) {
    tree({"ROOT/file=text"});
    sandbox::WardenSpec wanted = spec();
    wanted.read_only = true;
    START(warden, wanted);
    EXPECT_EQ(run(warden, "cat file").output, "text");
    EXPECT_NE(run(warden, "echo x > file").exit_code, 0);
    EXPECT_NE(run(warden, "touch new").exit_code, 0);
    EXPECT_NE(run(warden, "chmod 777 file").exit_code, 0);
    EXPECT_EQ(os_read(ws("file")), "text");
}

TEST_F(View, directories_of_the_operator_can_be_read) {
    tree({"OUT/shown/file=shown", "OUT/shown/d/f=deep"});
    sandbox::WardenSpec wanted = spec();
    wanted.options.read_only_directories = {out("shown"), out("shown/d")};
    START(warden, wanted);
    EXPECT_EQ(run(warden, "cat " + out("shown/file") + " " + out("shown/d/f")).output, "showndeep");
    EXPECT_NE(run(warden, "touch " + out("shown/new")).exit_code, 0);
    EXPECT_NE(run(warden, "cat " + out("secret")).exit_code, 0);
}

class ShownOnBothLevels : public OnBothLevels {
protected:
    void SetUp() override {
        tree({"MORE/part/file=meant", "MORE/link->@/OUT", "MORE/other/secret=outside-secret"});
        ::chmod(base().c_str(), 0755);
        shown_.push_back(std::move(*sandbox::hold(part())));
    }
    std::string part(const std::string& name = {}) const { return base() + "/MORE/part" + name; }

    sandbox::WardenSpec showing() {
        sandbox::WardenSpec wanted = spec();
        wanted.shown = shown_;
        return wanted;
    }
    // Between the look at a part and its mount.
    void exchange(const std::string& name) {
        ASSERT_EQ(::renameat2(AT_FDCWD, part().c_str(), AT_FDCWD,
                              (base() + "/MORE/" + name).c_str(), RENAME_EXCHANGE),
                  0);
        ASSERT_EQ(os_read(part("/secret")), kSecret) << "the path does not lead there";
    }

private:
    std::vector<sandbox::HeldPath> shown_;
};

INSTANTIATE_TEST_SUITE_P(levels, ShownOnBothLevels,
                         ::testing::Values(SandboxLevel::kFull, SandboxLevel::kLow),
                         [](const auto& level) { return std::string(level_name(level.param)); });

TEST_P(ShownOnBothLevels, a_part_can_be_read) {
    START(warden, showing());
    EXPECT_EQ(run(warden, "cat " + part("/file")).output, "meant");
    EXPECT_NE(run(warden, "touch " + part("/new")).exit_code, 0);
}

TEST_P(ShownOnBothLevels, a_part_exchanged_after_the_look_shows_nothing_else) {
    for (const char* name : {"link", "other"}) {
        exchange(name);
        START(warden, showing());
        EXPECT_FALSE(has(run(warden, "cat " + part("/secret")).output, kSecret)) << name;
        ::renameat2(AT_FDCWD, part().c_str(), AT_FDCWD, (base() + "/MORE/" + name).c_str(),
                    RENAME_EXCHANGE);
    }
}

TEST_F(View, what_cannot_be_shown_is_refused) {
    for (const char* path :
         {"/", "relative", "/a/../b", "/a//b", "/a/", "/proc/self", "/dev/shm/x"}) {
        sandbox::WardenSpec wanted = spec();
        SCOPED_TRACE(path);
        wanted.workspace_path = path;
        EXPECT_CODE(Warden::start(wanted), Code::kInvalidArgument);
    }
    for (const std::string& path : {std::string("/"), std::string("/tmp"), ws(), out("missing")}) {
        sandbox::WardenSpec wanted = spec();
        SCOPED_TRACE(path);
        wanted.options.read_only_directories = {path};
        EXPECT_CODE(Warden::start(wanted), Code::kInvalidArgument);
    }
    sandbox::WardenSpec wanted = spec();
    for (const char* reason : {" \t", "test", "true 1"}) {
        wanted.options.host_network = permit::HostNetwork{reason};
        EXPECT_CODE(Warden::start(wanted), Code::kInvalidArgument);
    }
    wanted.options.host_network = permit::HostNetwork{"a test"};
    wanted.options.network_allow = {"example.org"};
    EXPECT_CODE(Warden::start(wanted), Code::kInvalidArgument);
}

TEST_F(View, mounts_cannot_be_changed_from_inside) {
    START(warden, spec());
    EXPECT_NE(run(warden, inmate() + "remount_writable /usr").exit_code, 0);
    EXPECT_NE(run(warden, inmate() + "unmount /proc").exit_code, 0);
    const std::string mounts = run(warden, "cat /proc/self/mountinfo").output;
    for (std::size_t at = 0; at < mounts.size();) {
        const std::size_t end = mounts.find('\n', at);
        const std::string line = mounts.substr(at, end - at);
        EXPECT_TRUE(has(line, ",nosuid")) << line;
        EXPECT_FALSE(has(line, "shared:") || has(line, "master:")) << line;
        at = end + 1;
    }
}

// Without a view only Landlock stands, and says permission denied.
class LowView : public Session {};

TEST_F(LowView, the_workspace_works_and_outside_cannot_be_opened) {
    tree({"ROOT/file=text"});
    START(warden, spec(SandboxLevel::kLow));
    ASSERT_EQ(warden.report().level, SandboxLevel::kLow);
    EXPECT_EQ(run(warden, "cat file").output, "text");
    EXPECT_EQ(run(warden, "echo new > g && cat g").output, "new\n");
    EXPECT_EQ(naive_read("../OUT/secret"), kSecret);
    EXPECT_FALSE(has(run(warden, "cat " + out("secret")).output, kSecret));
    EXPECT_NE(run(warden, "echo x > " + out("new")).exit_code, 0);
    EXPECT_NE(run(warden, "cat /etc/shadow").exit_code, 0);
    EXPECT_NE(run(warden, "ls /root /home").exit_code, 0);
    EXPECT_NE(run(warden, "ls /dev/pts").exit_code, 0);
    EXPECT_EQ(run(warden, "cd && echo x > f && cd $TMPDIR && echo y > g && cat $HOME/f g").output,
              "x\ny\n");
    const std::string home = warden.home();
    EXPECT_TRUE(os_exists(home));
    warden.end();
    EXPECT_FALSE(os_exists(home)) << "the private directory is left";
}

}  // namespace
}  // namespace paddock::testing
