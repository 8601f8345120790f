#include "fs/resolver.h"

#include <sys/stat.h>

#include <bit>
#include <cerrno>
#include <cstdio>
#include <filesystem>

#include <paddock/limits.h>

#include "sys/fault.h"
#include "unit/state_jail.h"

using namespace paddock;
using namespace paddock::testing;
using fs::DirChain;

namespace {

class DirChainTest : public StateJail {
protected:
    DirChain chain() const { return {state_, state_.fd.get(), state_.node, O_PATH}; }

    void descend(DirChain& chain, const std::string& name) const {
        auto child = fs::open_child(state_, chain.top(), name.c_str(), O_PATH);
        ASSERT_TRUE(child);
        chain.push(name, std::move(child->fd), child->node);
    }

    static std::string deep_path(std::size_t levels) {
        std::string path = "d";
        for (std::size_t i = 1; i < levels; ++i) path += "/d";
        return path;
    }
};

TEST_F(DirChainTest, starts_at_the_directory_given) {
    DirChain chain = this->chain();
    EXPECT_EQ(chain.depth(), 0U);
    EXPECT_EQ(chain.path(), "");
    EXPECT_EQ(chain.top(), state_.fd.get());
    EXPECT_EQ(chain.top_node().stat.identity, state_.node.stat.identity);
}

TEST_F(DirChainTest, goes_down_and_up_again) {
    tree({"ROOT/a/b/"});
    DirChain chain = this->chain();
    descend(chain, "a");
    descend(chain, "b");
    EXPECT_EQ(chain.path(), "a/b");
    const auto left = chain.pop();
    ASSERT_TRUE(left);
    EXPECT_EQ(left->name, "b");
    EXPECT_EQ(chain.path(), "a");
}

TEST_F(DirChainTest, holds_few_descriptors_and_reopens_the_rest) {
    constexpr std::size_t kLevels = 40 * kHeldDirectoriesMax;
    constexpr std::size_t kHeldMax = kHeldDirectoriesMax + std::bit_width(kLevels);
    std::filesystem::create_directories(ws(deep_path(kLevels)));
    const std::size_t before = open_descriptors();
    DirChain chain = this->chain();
    for (std::size_t i = 0; i < kLevels; ++i) {
        descend(chain, "d");
        ASSERT_LE(open_descriptors(), before + kHeldMax);
    }
    while (chain.depth() > 0) {
        ASSERT_TRUE(chain.pop());
        ASSERT_LE(open_descriptors(), before + kHeldMax);
        ASSERT_EQ(sys::node(chain.top())->stat.identity, chain.top_node().stat.identity);
    }
    EXPECT_EQ(open_descriptors(), before);
}

TEST_F(DirChainTest, does_not_go_back_to_another_directory) {
    constexpr std::size_t kLetGo = 4;
    constexpr std::size_t kLevels = 1 + kLetGo + kHeldDirectoriesMax;
    std::filesystem::create_directories(ws(deep_path(kLevels)));
    DirChain chain = this->chain();
    for (std::size_t i = 0; i < kLevels; ++i) descend(chain, "d");
    ASSERT_EQ(std::rename(ws("d/d").c_str(), ws("aside").c_str()), 0);
    tree({"ROOT/d/d/"});
    while (chain.depth() > kLetGo + 2) ASSERT_TRUE(chain.pop());
    const auto left = chain.pop();
    ASSERT_FALSE(left);
    EXPECT_EQ(left.error().code, Code::kRace);
}

TEST_F(DirChainTest, gives_its_top_away) {
    tree({"ROOT/a/"});
    DirChain chain = this->chain();
    descend(chain, "a");
    const Identity identity = chain.top_node().stat.identity;
    const auto top = chain.take_top();
    ASSERT_TRUE(top);
    EXPECT_EQ(sys::fstat(top->get())->identity, identity);
    DirChain at_start = this->chain();
    const auto start = at_start.take_top();
    ASSERT_TRUE(start);
    EXPECT_NE(start->get(), state_.fd.get()) << "the start stays with its owner";
    EXPECT_EQ(sys::fstat(start->get())->identity, state_.node.stat.identity);
}

TEST_F(DirChainTest, a_child_is_a_directory_and_no_link) {
    tree({"ROOT/d/", "ROOT/f=x", "ROOT/l->d", "ROOT/out->../OUT"});
    for (const int flags : {O_PATH, O_RDONLY}) {
        EXPECT_TRUE(fs::open_child(state_, state_.fd.get(), "d", flags));
        for (const char* name : {"f", "l", "out"}) {
            const auto child = fs::open_child(state_, state_.fd.get(), name, flags);
            ASSERT_FALSE(child);
            EXPECT_EQ(child.error().code, Code::kNotADirectory) << name;
        }
        const auto absent = fs::open_child(state_, state_.fd.get(), "absent", flags);
        ASSERT_FALSE(absent);
        EXPECT_EQ(absent.error().code, Code::kNotFound);
    }
}

}  // namespace

namespace {

class PathWalkTest : public StateJail {
protected:
    // Where the walk ends: "path", "path?" if nothing is there, or the code.
    std::string end_of(std::string_view path, Symlinks symlinks = Symlinks::kInside) const {
        const auto end = fs::walk_path(state_, at(path), O_PATH, symlinks);
        if (!end) return std::string(code_name(end.error().code));
        return end->path() + (end->node ? "" : "?");
    }
};

TEST_F(PathWalkTest, finds_what_is_there) {
    tree({"ROOT/a/b/f=x"});
    EXPECT_EQ(end_of("a/b/f"), "a/b/f");
    EXPECT_EQ(end_of("a/b/"), "a/b");
    EXPECT_EQ(end_of("."), "");
    EXPECT_EQ(end_of("a/b/f/"), "not_a_directory");
    EXPECT_EQ(end_of("a/b/f/x"), "not_a_directory");
}

TEST_F(PathWalkTest, says_where_what_is_missing_would_go) {
    tree({"ROOT/a/", "ROOT/l->a"});
    EXPECT_EQ(end_of("a/x"), "a/x?");
    EXPECT_EQ(end_of("l/x/y/z"), "a/x/y/z?");
    const auto end = fs::walk_path(state_, at("l/x/y/z"), O_PATH, Symlinks::kInside);
    ASSERT_TRUE(end);
    EXPECT_EQ(end->name, "x");
    EXPECT_EQ(end->missing, "y/z");
    EXPECT_FALSE(end->object.valid());
}

TEST_F(PathWalkTest, follows_links_that_stay_inside) {
    tree({"ROOT/a/b/f=x", "ROOT/rel->a/b/f", "ROOT/a/b/up->../../a", "ROOT/abs->@/ROOT/a",
          "ROOT/a/here->.", "ROOT/to_root->@/ROOT", "ROOT/chain->rel"});
    EXPECT_EQ(end_of("rel"), "a/b/f");
    EXPECT_EQ(end_of("a/b/up/b/f"), "a/b/f");
    EXPECT_EQ(end_of("a/b/up"), "a");
    EXPECT_EQ(end_of("abs/b"), "a/b");
    EXPECT_EQ(end_of("a/here/here/b"), "a/b");
    EXPECT_EQ(end_of("to_root"), "");
    EXPECT_EQ(end_of("chain"), "a/b/f");
}

TEST_F(PathWalkTest, refuses_links_that_leave) {
    tree({"ROOT/up->..", "ROOT/out->../OUT/secret", "ROOT/abs->@/OUT/secret",
          "ROOT/round->../ROOT/f", "ROOT/f=x", "ROOT/prefix->@/ROOTS"});
    for (const char* path : {"up", "out", "abs", "round", "prefix", "up/ROOT/f"}) {
        EXPECT_EQ(end_of(path), "path_escape") << path;
    }
}

TEST_F(PathWalkTest, refuses_every_link_where_asked_to) {
    tree({"ROOT/a/f=x", "ROOT/l->a"});
    EXPECT_EQ(end_of("l/f", Symlinks::kReject), "path_escape");
    EXPECT_EQ(end_of("l", Symlinks::kReject), "path_escape");
    EXPECT_EQ(end_of("a/f", Symlinks::kReject), "a/f");
}

TEST_F(PathWalkTest, makes_nothing_for_the_text_of_a_link) {
    tree({"ROOT/a/", "ROOT/dangling->a/new", "ROOT/far->a/x/new"});
    EXPECT_EQ(end_of("dangling"), "a/new?");
    EXPECT_EQ(end_of("dangling/y"), "not_found");
    EXPECT_EQ(end_of("far"), "not_found");
}

TEST_F(PathWalkTest, follows_as_many_links_as_the_kernel) {
    tree({"ROOT/f=x", "ROOT/l1->f", "ROOT/loop->loop"});
    for (int i = 2; i <= limits::kSymlinksMax + 1; ++i) {
        std::filesystem::create_symlink("l" + std::to_string(i - 1), ws("l" + std::to_string(i)));
    }
    EXPECT_EQ(end_of("l" + std::to_string(limits::kSymlinksMax)), "f");
    EXPECT_EQ(end_of("l" + std::to_string(limits::kSymlinksMax + 1)), "limit_reached");
    EXPECT_EQ(end_of("loop"), "limit_reached");
}

TEST_F(PathWalkTest, opens_the_end_as_asked) {
    tree({"ROOT/f=text", "ROOT/l->f"});
    const auto end = fs::walk_path(state_, at("l"), O_RDONLY | fs::kNoWait, Symlinks::kInside);
    ASSERT_TRUE(end);
    EXPECT_EQ(end->node->stat.size, 4U);
    EXPECT_EQ(::fcntl(end->object.get(), F_GETFL) & (O_PATH | O_ACCMODE), O_RDONLY);
    EXPECT_EQ(::fcntl(end->object.get(), F_GETFD), FD_CLOEXEC);
}

}  // namespace

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
