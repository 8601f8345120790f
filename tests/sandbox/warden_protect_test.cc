// Paths of the workspace that commands may not change or see, from the beginning and added later.
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "sandbox/session.h"

namespace paddock::testing {
namespace {

using sandbox::Protection;
using sandbox::Shield;

class Protect : public Session {
protected:
    Protect() {
        tree({"ROOT/repo/.git/config=config", "ROOT/repo/.git/hooks/", "ROOT/repo/.git/objects/",
              "ROOT/.env=SECRET", "ROOT/keys/id=KEY", "ROOT/plain=plain"});
    }

    static std::vector<Protection> default_value() {
        return {{"repo/.git/config", Shield::kReadOnly},
                {"repo/.git/hooks", Shield::kReadOnly},
                {".env", Shield::kHidden},
                {"keys", Shield::kHidden}};
    }

    void expect_protected(sandbox::Warden& warden) {
        EXPECT_EQ(run(warden, "cat repo/.git/config").output, "config");
        for (const char* attack :
             {"echo x >> repo/.git/config", "rm repo/.git/config", "mv repo/.git/config c",
              "cp plain repo/.git/hooks/pre-commit", "mkdir repo/.git/hooks/d",
              "chmod 777 repo/.git/config", "rm -r repo/.git/hooks", "mv repo/.git/hooks h",
              "ln repo/.git/config link", "cat .env", "cat keys/id", "ls keys", "echo x > .env",
              "rm .env", "mv .env e", "chmod 600 .env", "chmod 700 keys", "mv plain .env",
              "touch -d 2000-01-01 .env"}) {
            EXPECT_NE(run(warden, attack).exit_code, 0) << attack;
        }
        EXPECT_EQ(os_read(ws("repo/.git/config")), "config");
        EXPECT_EQ(os_read(ws(".env")), "SECRET");
        EXPECT_EQ(os_read(ws("keys/id")), "KEY");
        EXPECT_TRUE(os_list(ws("repo/.git/hooks")).empty());
        // The rest of the repository works.
        EXPECT_EQ(run(warden, "echo o > repo/.git/objects/o && rm repo/.git/objects/o").exit_code,
                  0);
    }
};

TEST_F(Protect, without_protections_all_of_it_can_be_changed) {
    START(warden, spec());
    EXPECT_EQ(run(warden, "cat .env; echo x >> repo/.git/config; touch repo/.git/hooks/h").output,
              "SECRET");
    EXPECT_EQ(os_read(ws("repo/.git/config")), "configx\n");
    EXPECT_EQ(run(warden, "mv repo/.git g").exit_code, 0);
}

TEST_F(Protect, from_the_beginning) {
    sandbox::WardenSpec wanted = spec();
    wanted.protections = default_value();
    START(warden, wanted);
    expect_protected(warden);
}

TEST_F(Protect, later_and_again) {
    START(warden, spec());
    EXPECT_EQ(*warden.enter("repo/.git"), sandbox::Entering::kEntered);
    EXPECT_OK(warden.protect(default_value()));
    EXPECT_OK(warden.protect(default_value()));
    // The directory that was entered before is the protected one now.
    EXPECT_NE(run(warden, "echo x >> config").exit_code, 0);
    EXPECT_EQ(*warden.enter("."), sandbox::Entering::kEntered);
    expect_protected(warden);
    const std::string before = run(warden, "grep -c . /proc/self/mountinfo").output;
    EXPECT_OK(warden.protect(default_value()));
    EXPECT_EQ(run(warden, "grep -c . /proc/self/mountinfo").output, before);
}

TEST_F(Protect, what_is_read_only_can_become_hidden) {
    START(warden, spec());
    const auto shield = [&](Shield how) {
        const Protection each{"keys", how};
        EXPECT_OK(warden.protect({&each, 1}));
    };
    shield(Shield::kReadOnly);
    EXPECT_NE(run(warden, "mv keys k").exit_code, 0);
    EXPECT_NE(run(warden, "touch keys/new").exit_code, 0);
    EXPECT_EQ(run(warden, "cat keys/id").output, "KEY");
    shield(Shield::kHidden);
    EXPECT_NE(run(warden, "cat keys/id").exit_code, 0);
    shield(Shield::kReadOnly);
    EXPECT_NE(run(warden, "cat keys/id").exit_code, 0) << "it became visible";
}

TEST_F(Protect, what_is_not_there_is_skipped_and_not_made) {
    tree({"ROOT/link->plain", "ROOT/dangling->nowhere"});
    START(warden, spec());
    const std::vector<Protection> absent = {{"missing", Shield::kReadOnly},
                                            {"missing/below", Shield::kHidden},
                                            {"plain/below", Shield::kReadOnly}};
    EXPECT_OK(warden.protect(absent));
    EXPECT_FALSE(os_exists(ws("missing")));
    // A link on the way is not followed.
    tree({"OUT/d/f=x", "ROOT/out->@/OUT/d"});
    const std::vector<Protection> through = {{"out/f", Shield::kHidden}};
    EXPECT_OK(warden.protect(through));
    EXPECT_EQ(os_read(out("d/f")), "x");
    const std::vector<Protection> wrong = {{"../OUT", Shield::kHidden}};
    EXPECT_FALSE(warden.protect(wrong).has_value());
}

TEST_F(Protect, only_the_object_that_was_seen) {
    tree({"ROOT/x/"});
    struct stat seen {};
    ASSERT_EQ(::stat(ws("keys/id").c_str(), &seen), 0);
    const auto exchange = [&] {
        ASSERT_EQ(
            ::renameat2(AT_FDCWD, ws("keys").c_str(), AT_FDCWD, ws("x").c_str(), RENAME_EXCHANGE),
            0);
    };
    Protection wanted{"keys/id", Shield::kHidden};
    START(warden, spec());
    exchange();
    EXPECT_OK(warden.protect({&wanted, 1}));
    exchange();
    EXPECT_EQ(run(warden, "cat keys/id").output, "KEY") << "by name alone nothing was protected";

    wanted.object = Identity{seen.st_dev, seen.st_ino};
    exchange();
    EXPECT_CODE(warden.protect({&wanted, 1}), Code::kRace);
    tree({"ROOT/keys/id=another"});
    EXPECT_CODE(warden.protect({&wanted, 1}), Code::kRace);
    EXPECT_EQ(run(warden, "cat keys/id").output, "another");
    exchange();
    EXPECT_OK(warden.protect({&wanted, 1}));
    EXPECT_NE(run(warden, "cat keys/id").exit_code, 0);
    EXPECT_OK(warden.protect({&wanted, 1}));
    // Below what is hidden there is nothing, and nothing is needed.
    const Protection above{"keys", Shield::kHidden};
    EXPECT_OK(warden.protect({&above, 1}));
    EXPECT_OK(warden.protect({&wanted, 1}));
}

TEST_F(Protect, a_link_is_shielded_itself) {
    tree({"ROOT/link->plain"});
    START(warden, spec());
    const std::vector<Protection> link = {{"link", Shield::kHidden}};
    const auto done = warden.protect(link);
    if (!done.has_value()) GTEST_SKIP() << "this kernel does not mount on links";
    EXPECT_NE(run(warden, "rm link").exit_code, 0);
    EXPECT_EQ(run(warden, "cat plain").output, "plain");
}

TEST_F(Protect, nobody_can_see_through_with_permissions_taken_away) {
    START(warden, spec());
    EXPECT_EQ(run(warden, "chmod 000 repo").exit_code, 0);
    EXPECT_OK(warden.protect(default_value()));
    EXPECT_EQ(run(warden, "chmod 755 repo").exit_code, 0);
    expect_protected(warden);
}

TEST_F(Protect, the_low_level_cannot) {
    START(warden, spec(SandboxLevel::kLow));
    EXPECT_CODE(warden.protect(default_value()), Code::kNotAvailable);
}

}  // namespace
}  // namespace paddock::testing
