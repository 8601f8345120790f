#include "sandbox/view_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/text.h"

namespace paddock::sandbox {
namespace {

ViewFacts facts(const std::string& workspace) {
    ViewFacts facts;
    facts.host = {{"/usr", FileType::kDirectory, {}},
                  {"/bin", FileType::kSymlink, "usr/bin"},
                  {"/etc/ssl", FileType::kDirectory, {}},
                  {"/etc/localtime", FileType::kSymlink, "/usr/share/zoneinfo/UTC"},
                  {"/etc/services", FileType::kRegular, {}}};
    facts.workspace = workspace;
    facts.user = facts.group = 1000;
    return facts;
}

ViewPlan plan(const ViewFacts& facts) {
    const auto made = plan_view(facts);
    EXPECT_TRUE(made.has_value());
    return made ? *made : ViewPlan{};
}

const Piece* find(const ViewPlan& plan, const std::string& path, Make make) {
    for (const Piece& piece : plan.pieces) {
        if (piece.path == path && piece.make == make) return &piece;
    }
    return nullptr;
}

// Every piece finds its parent made before it, in what was mounted or made; nothing is made twice.
void expect_in_order(const ViewPlan& plan) {
    std::set<std::string> made;
    std::vector<std::string> mounted;
    for (const Piece& piece : plan.pieces) {
        if (piece.make == Make::kCover) continue;
        const auto exists = [&](const std::string& path) {
            return made.contains(path) ||
                   std::any_of(mounted.begin(), mounted.end(), [&](const std::string& at) {
                       return path != at && is_within(path, at);
                   });
        };
        const std::size_t slash = piece.path.rfind('/');
        if (slash != std::string::npos) {
            EXPECT_TRUE(exists(piece.path.substr(0, slash))) << piece.path;
        }
        const bool mounts_on_what_is_there = piece.make == Make::kWorkspace ||
                                             piece.make == Make::kExtra ||
                                             piece.make == Make::kClosed;
        EXPECT_EQ(exists(piece.path), mounts_on_what_is_there) << piece.path;
        made.insert(piece.path);
        if (piece.make == Make::kSystem || mounts_on_what_is_there) mounted.push_back(piece.path);
    }
}

TEST(ViewPlan, everything_is_made_before_it_is_used) {
    for (const char* workspace :
         {"/home/me/project", "/tmp/x/y", "/tmp", "/home", "/home/agent", "/home/agent/x", "/usr",
          "/usr/src/x", "/etc", "/var", "/var/tmp", "/var/tmp/x", "/w", "/run/user/1/x", "/opt"}) {
        SCOPED_TRACE(workspace);
        const ViewPlan view = plan(facts(workspace));
        expect_in_order(view);
        EXPECT_EQ(view.pieces.back().make, Make::kWorkspace);
        EXPECT_FALSE(is_within(view.home, workspace)) << view.home;
    }
}

TEST(ViewPlan, links_are_made_again_and_files_are_mounted) {
    const ViewPlan view = plan(facts("/w"));
    EXPECT_EQ(find(view, "bin", Make::kLink)->text, "usr/bin");
    EXPECT_TRUE(find(view, "usr", Make::kSystem)->is_directory);
    EXPECT_FALSE(find(view, "etc/services", Make::kSystem)->is_directory);
    EXPECT_NE(find(view, "etc/passwd", Make::kText)->text.find("agent:x:1000:1000:"),
              std::string::npos);
    EXPECT_EQ(find(view, "etc/resolv.conf", Make::kText), nullptr);
}

TEST(ViewPlan, the_hosts_network_brings_its_resolver) {
    ViewFacts with = facts("/w");
    with.host_network = true;
    with.host_hosts = "1.2.3.4 host\n";
    with.host_resolver = "nameserver 1.2.3.4\n";
    const ViewPlan view = plan(with);
    EXPECT_EQ(find(view, "etc/resolv.conf", Make::kText)->text, with.host_resolver);
    EXPECT_EQ(find(view, "etc/hosts", Make::kText)->text, with.host_hosts);
}

TEST(ViewPlan, a_link_is_never_on_the_way_to_a_mount) {
    EXPECT_NE(find(plan(facts("/w")), "var/tmp", Make::kLink), nullptr);
    EXPECT_EQ(find(plan(facts("/var/tmp/x")), "var/tmp", Make::kLink), nullptr);
    ViewFacts with = facts("/w");
    with.extras = {{"/var/tmp/extra"}};
    EXPECT_EQ(find(plan(with), "var/tmp", Make::kLink), nullptr);
    expect_in_order(plan(with));
}

// A file that a command makes beside its workspace must not seem to be there and then be gone.
TEST(ViewPlan, the_way_through_a_scratch_directory_is_closed) {
    EXPECT_NE(find(plan(facts("/tmp/x/y/z")), "tmp/x", Make::kClosed), nullptr);
    EXPECT_NE(find(plan(facts("/var/tmp/x/y")), "var/tmp/x", Make::kClosed), nullptr);
    EXPECT_NE(find(plan(facts("/home/agent/x/y")), "home/agent/x", Make::kClosed), nullptr);
    EXPECT_EQ(find(plan(facts("/tmp/x")), "tmp/x", Make::kClosed), nullptr);
    EXPECT_EQ(find(plan(facts("/tmp/x")), "tmp", Make::kClosed), nullptr);
    ViewFacts with = facts("/tmp/x/y");
    with.extras = {{"/home"}, {"/tmp/a/b"}, {"/tmp/x/a"}};
    const ViewPlan view = plan(with);
    expect_in_order(view);
    const auto closed =
        std::count_if(view.pieces.begin(), view.pieces.end(),
                      [](const Piece& piece) { return piece.make == Make::kClosed; });
    EXPECT_EQ(closed, 2);
}

TEST(ViewPlan, extras_come_before_the_workspace_that_may_lie_in_them) {
    ViewFacts with = facts("/home/me/project");
    with.extras = {{"/home"}, {"/opt/tools"}};
    const ViewPlan view = plan(with);
    expect_in_order(view);
    EXPECT_EQ(view.home, "/tmp/agent");
    EXPECT_NE(find(view, "opt/tools", Make::kExtra), nullptr);
}

TEST(ViewPlan, places_that_are_made_anew_are_refused) {
    for (const char* wrong : {"/", "", "/proc", "/proc/1", "/sys/fs", "/dev", "/dev/shm/x", "a/b",
                              "/a/", "//a", "/a/./b", "/a/../b"}) {
        EXPECT_FALSE(plan_view(facts(wrong)).has_value()) << wrong;
        ViewFacts with = facts("/w");
        with.extras = {{wrong}};
        EXPECT_FALSE(plan_view(with).has_value()) << wrong;
    }
    ViewFacts with = facts("/w");
    with.extras = {{"/w/below"}};
    EXPECT_FALSE(plan_view(with).has_value());
    EXPECT_TRUE(plan_view(facts("/process")).has_value());
}

TEST(ViewPlan, etc_shows_what_is_listed) {
    EXPECT_TRUE(is_shown_in_etc("ssl"));
    EXPECT_TRUE(is_shown_in_etc("java-21-openjdk"));
    EXPECT_TRUE(is_shown_in_etc("python3.13"));
    for (const char* never : {"shadow", "passwd", "sudoers", "ssh", "gitconfig", "ssl2", "hosts"}) {
        EXPECT_FALSE(is_shown_in_etc(never)) << never;
    }
}

}  // namespace
}  // namespace paddock::sandbox
