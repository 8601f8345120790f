// Who commands are: never the kernel's root, and the owner of the workspace on disk.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "sandbox/session.h"

namespace paddock::testing {
namespace {

using sandbox::Warden;

struct Owner {
    uid_t user;
    gid_t group;
    friend bool operator==(const Owner&, const Owner&) = default;
};

Owner owner_of(const std::string& path) {
    struct stat raw {};
    EXPECT_EQ(::lstat(path.c_str(), &raw), 0) << path;
    return {raw.st_uid, raw.st_gid};
}

class User : public Session {};
class UserOnBothLevels : public OnBothLevels {};

INSTANTIATE_TEST_SUITE_P(levels, UserOnBothLevels,
                         ::testing::Values(SandboxLevel::kFull, SandboxLevel::kLow),
                         [](const auto& level) { return std::string(level_name(level.param)); });

TEST_P(UserOnBothLevels, commands_have_no_rights_but_their_own) {
    START(warden, spec());
    EXPECT_NE(warden.report().user, 0U);
    const std::string status = run(warden, "cat /proc/self/status").output;
    for (const char* line :
         {"CapInh:\t0000000000000000", "CapPrm:\t0000000000000000", "CapEff:\t0000000000000000",
          "CapAmb:\t0000000000000000", "NoNewPrivs:\t1", "Seccomp:\t2"}) {
        EXPECT_NE(status.find(line), std::string::npos) << line;
    }
    if (full() || is_root()) {
        EXPECT_NE(status.find("CapBnd:\t0000000000000000"), std::string::npos) << status;
    }
    EXPECT_NE(run(warden, inmate() + "set_user").exit_code, 0);
    EXPECT_EQ(run(warden, inmate() + "set_groups").exit_code, EPERM);
    EXPECT_EQ(run(warden, inmate() + "change_capabilities").exit_code, EPERM);
}

TEST_P(UserOnBothLevels, files_land_as_the_owners_of_the_workspace) {
    START(warden, spec());
    EXPECT_EQ(run(warden, "mkdir d && touch d/f && ln -s f d/l").exit_code, 0);
    for (const char* made : {"d", "d/f", "d/l"}) {
        EXPECT_EQ(owner_of(ws(made)), owner_of(ws())) << made;
    }
    EXPECT_EQ(run(warden, "stat -c %u d/f").output, run(warden, "id -u").output);
}

// A command's user as the host sees it: what the one line of its map says.
TEST_F(User, root_is_never_root_inside) {
    START(warden, spec());
    const std::string map = run(warden, "tr -s ' ' < /proc/self/uid_map").output;
    EXPECT_EQ(map, " " + std::string(is_root() ? "1000" : std::to_string(::geteuid())) + " " +
                       std::to_string(warden.report().user) + " 1\n");
    EXPECT_NE(warden.report().user, 0U);
    EXPECT_NE(run(warden, "chown 0 .").exit_code, 0);
}

TEST_F(User, root_works_in_everybodys_workspace_and_reads_nobodys_files) {
    if (!is_root()) GTEST_SKIP() << "only root can give files away";
    for (const Owner owner :
         {Owner{0, 0}, Owner{1234, 5678}, Owner{65534, 65534}, Owner{1000, 0}}) {
        SCOPED_TRACE(owner.user);
        tree({"ROOT/mine=mine", "ROOT/other=other"});
        ASSERT_EQ(::chown(ws().c_str(), owner.user, owner.group), 0);
        ASSERT_EQ(::chown(ws("mine").c_str(), owner.user, owner.group), 0);
        ASSERT_EQ(::chown(ws("other").c_str(), 4321, 4321), 0);
        ASSERT_EQ(::chmod(ws("mine").c_str(), 0600), 0);
        ASSERT_EQ(::chmod(ws("other").c_str(), 0600), 0);
        START(warden, spec());
        EXPECT_EQ(run(warden, "cat mine").output, "mine");
        EXPECT_NE(run(warden, "cat other").exit_code, 0);
        EXPECT_EQ(run(warden, "id -u; touch new; stat -c '%u %g' new").output, "1000\n1000 1000\n");
        EXPECT_EQ(owner_of(ws("new")), owner);
        ASSERT_EQ(::unlink(ws("new").c_str()), 0);
    }
}

TEST_F(User, git_compares_no_owners_where_they_differ) {
    if (!is_root()) GTEST_SKIP() << "only root can give files away";
    for (const auto& [owner, differs] : {std::pair{Owner{0, 0}, true},
                                         {Owner{1234, 1234}, true},
                                         {Owner{1000, 5678}, true},
                                         {Owner{1000, 1000}, false}}) {
        SCOPED_TRACE(owner.user);
        ASSERT_EQ(::chown(ws().c_str(), owner.user, owner.group), 0);
        START(warden, spec());
        EXPECT_EQ(run(warden, "cat /etc/gitconfig").output.find("checkstat = \"minimal\"") !=
                      std::string::npos,
                  differs);
    }
}

TEST_F(User, without_mapped_owners_root_takes_the_owner_or_refuses) {
    if (!is_root()) GTEST_SKIP() << "only root has the choice";
    for (const SandboxLevel level : {SandboxLevel::kFull, SandboxLevel::kLow}) {
        sandbox::WardenSpec wanted = spec(level);
        wanted.ceiling.idmapped_mounts = false;
        ASSERT_EQ(::chown(ws().c_str(), 0, 0), 0);
        const auto refused = Warden::start(wanted);
        ASSERT_FALSE(refused.has_value());
        EXPECT_EQ(refused.error().code, Code::kSandboxUnavailable);
        EXPECT_NE(refused.error().message().find("change its owner to an unprivileged user"),
                  std::string::npos)
            << refused.error().message();
        ASSERT_EQ(::chown(ws().c_str(), 1234, 1234), 0);
        ASSERT_EQ(::chmod(base().c_str(), 0755), 0);
        START(warden, wanted);
        EXPECT_EQ(warden.report().user, 1234U);
        EXPECT_EQ(run(warden, "touch " + std::string(level_name(level))).exit_code, 0);
        EXPECT_EQ(owner_of(ws(level_name(level))), (Owner{1234, 1234}));
    }
}

}  // namespace
}  // namespace paddock::testing
