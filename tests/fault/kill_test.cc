// A writer that is killed at any point of an atomic write leaves the old content or the new one.
//
// A child writes two contents in turn. PADDOCK_KILL_ROUNDS kills (1,000), PADDOCK_SEED repeats a
// run.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <random>

#include "fault/budget.h"
#include "fault/killer.h"
#include "sys/fault.h"
#include "testing/jail.h"

using namespace paddock;
using namespace paddock::testing;

namespace {

class Kill : public Jail {
protected:
    Kill() {
        os_write(ws("file"), contents_[0]);
        EXPECT_EQ(::chmod(ws("file").c_str(), 0640), 0);
        std::printf("PADDOCK_SEED=%u\n", seed_);
    }

    bool is_whole() const {
        const auto content = os_read(ws("file"));
        return content == contents_[0] || content == contents_[1];
    }

    // Removes what killed writers left and says how many files that were.
    std::size_t take_strays() const {
        std::size_t strays = 0;
        for (const std::string& name : os_list(ws())) {
            if (!name.starts_with(".paddock-")) continue;
            ++strays;
            EXPECT_EQ(::unlink(ws(name).c_str()), 0);
        }
        return strays;
    }

    const std::string contents_[2] = {std::string(65536, 'A'), std::string(40001, 'B')};
    const unsigned seed_ = static_cast<unsigned>(
        budget("PADDOCK_SEED", std::random_device{}(), std::random_device{}()));
    std::mt19937 random_{seed_};
};

ATTACK_F(Kill, WR_06, leaves_the_old_content_or_the_new_one) {
    const Root root = this->root();
    const long rounds = budget("PADDOCK_KILL_ROUNDS", 1000, 100);
    std::size_t strays = 0;
    long seen[2] = {0, 0};
    for (const Durability durability : {Durability::kNone, Durability::kFile}) {
        WriteOptions options;
        options.durability = durability;
        const auto write = [&](long i) {
            if (!root.write_file("file", contents_[i % 2], options)) ::_exit(2);
        };
        const std::size_t calls = calls_of(write);
        for (long i = 0; i < rounds / 2; ++i) {
            ASSERT_GE(kill_in_the_middle(write, random_, calls), 0);
            ASSERT_TRUE(is_whole()) << "a third content after kill " << i;
            ++seen[os_read(ws("file")) == contents_[1] ? 1 : 0];
            const std::size_t left = take_strays();
            ASSERT_LE(left, 1U);
            strays += left;
            ASSERT_EQ(root.stat("file")->mode, 0640U);
        }
    }
    EXPECT_EQ(os_list(ws()), std::vector<std::string>{"file"});
    EXPECT_EQ(secret(), kSecret);
    std::printf("%ld kills: %ld found one content, %ld the other, %zu inside a write\n", rounds,
                seen[0], seen[1], strays);
}

// The same kills tear a file that is written in place: they do come in the middle.
TEST_F(Kill, tears_a_file_that_is_written_in_place) {
    const auto write = [&](long i) {
        const std::string& content = contents_[i % 2];
        const UniqueFd fd(::open(ws("file").c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC));
        constexpr std::size_t kChunk = 4096;
        for (std::size_t at = 0; at < content.size(); at += kChunk) {
            const std::string part = content.substr(at, kChunk);
            (void)sys::next_fault(sys::Call::kWrite);  // where the kill comes
            if (::write(fd.get(), part.data(), part.size()) < 0) ::_exit(2);
        }
    };
    const std::size_t calls = calls_of(write);
    for (int i = 0; i < 1000; ++i) {
        ASSERT_GE(kill_in_the_middle(write, random_, calls), 0);
        if (!is_whole()) return;
    }
    FAIL() << "no kill came in the middle of a write: the other test shows nothing";
}

}  // namespace
