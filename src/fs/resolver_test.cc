#include "fs/resolver.h"

#include <cerrno>

#include "sys/fault.h"
#include "unit/state_jail.h"

using namespace paddock;
using namespace paddock::testing;

namespace {

class ResolverTest : public StateJail {
protected:
    template <class T>
    static std::string code_of(const Outcome<T>& outcome) {
        return outcome ? "ok" : std::string(code_name(outcome.error().code));
    }

    std::string opened(std::string_view path, int flags = O_PATH) const {
        return code_of(fs::open_object(state_, at(path), flags));
    }
};

TEST_F(ResolverTest, opens_what_is_inside) {
    tree({"ROOT/a/f=x", "ROOT/l->a/f", "ROOT/abs->@/ROOT/a", "ROOT/out->../OUT/secret"});
    EXPECT_EQ(opened("a/f"), "ok");
    EXPECT_EQ(opened("."), "ok");
    EXPECT_EQ(opened("l"), "ok");
    EXPECT_EQ(opened("abs/f"), "ok");
    EXPECT_EQ(opened("out"), "path_escape");
    EXPECT_EQ(opened("absent"), "not_found");
    EXPECT_EQ(opened("a", O_PATH | O_DIRECTORY), "ok");
    EXPECT_EQ(opened("a/f", O_PATH | O_DIRECTORY), "not_a_directory");
    EXPECT_EQ(opened("a/f/"), "not_a_directory");
    EXPECT_EQ(code_of(fs::open_object(state_, at("l"), O_PATH, Symlinks::kReject)), "path_escape");
}

TEST_F(ResolverTest, locates_a_name_without_following_it) {
    tree({"ROOT/a/l->../f", "ROOT/f=x"});
    const auto link = fs::locate_name(state_, at("a/l"));
    ASSERT_TRUE(link);
    EXPECT_EQ(link->name, "l");
    EXPECT_EQ(link->node->stat.type, FileType::kSymlink);
    const auto absent = fs::locate_name(state_, at("a/new"));
    ASSERT_TRUE(absent);
    EXPECT_FALSE(absent->node);
    const auto top = fs::locate_name(state_, at("f"));
    ASSERT_TRUE(top);
    EXPECT_EQ(top->directory, state_.fd.get());
    EXPECT_FALSE(top->owned.valid());
}

TEST_F(ResolverTest, a_name_is_neither_the_root_nor_dots) {
    tree({"ROOT/a/b/"});
    for (const char* path : {".", "a/..", "a/.", "a/b/.."}) {
        EXPECT_EQ(code_of(fs::locate_name(state_, at(path))), "invalid_argument") << path;
    }
}

TEST_F(ResolverTest, a_final_slash_demands_a_directory) {
    tree({"ROOT/d/", "ROOT/f=x", "ROOT/l->f", "ROOT/out->../OUT"});
    EXPECT_EQ(code_of(fs::locate_name(state_, at("d/"))), "ok");
    EXPECT_EQ(code_of(fs::locate_name(state_, at("f/"))), "not_a_directory");
    EXPECT_EQ(code_of(fs::locate_name(state_, at("l/"))), "not_a_directory");
    EXPECT_EQ(code_of(fs::locate_name(state_, at("out/"))), "path_escape");
}

TEST_F(ResolverTest, locates_the_target_behind_links) {
    tree({"ROOT/a/f=x", "ROOT/l->a/f", "ROOT/new->a/new", "ROOT/far->a/x/new", "ROOT/top->.",
          "ROOT/out->../OUT/new"});
    const auto target = fs::locate_target(state_, at("l"));
    ASSERT_TRUE(target);
    EXPECT_EQ(target->name, "f");
    EXPECT_EQ(target->node->stat.type, FileType::kRegular);
    const auto made = fs::locate_target(state_, at("new"));
    ASSERT_TRUE(made);
    EXPECT_EQ(made->name, "new");
    EXPECT_FALSE(made->node);
    EXPECT_EQ(code_of(fs::locate_target(state_, at("far"))), "not_found");
    EXPECT_EQ(code_of(fs::locate_target(state_, at("top"))), "is_a_directory");
    EXPECT_EQ(code_of(fs::locate_target(state_, at("out"))), "path_escape");
}

int attempts = 0;

TEST_F(ResolverTest, retries_what_the_kernel_calls_a_race) {
    if (!state_.kernel) GTEST_SKIP() << "openat2 is not used here";
    tree({"ROOT/a/f=x"});
    attempts = 0;
    sys::fault_hook.store([](sys::Call call) noexcept -> sys::Fault {
        if (call == sys::Call::kOpenat2 && ++attempts <= 3) return {EAGAIN, 0};
        return {};
    });
    EXPECT_EQ(opened("a/f"), "ok");
    sys::fault_hook.store(nullptr);
    EXPECT_EQ(attempts, 4);
}

}  // namespace
