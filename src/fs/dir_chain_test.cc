#include "fs/dir_chain.h"

#include <sys/stat.h>

#include <bit>
#include <cstdio>
#include <filesystem>

#include <paddock/limits.h>

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
    constexpr std::size_t kLevels = 40 * limits::kHeldDirectoriesMax;
    constexpr std::size_t kHeldMax = limits::kHeldDirectoriesMax + std::bit_width(kLevels);
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
    constexpr std::size_t kLevels = 1 + kLetGo + limits::kHeldDirectoriesMax;
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
