#include "fs/copy.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <string>

#include "sys/fault.h"
#include "testing/jail.h"

using namespace paddock;
using namespace paddock::testing;

namespace {

class CopyTest : public Jail {
protected:
    UniqueFd open(const char* name, int flags) const {
        return UniqueFd(::open(ws(name).c_str(), flags | O_CLOEXEC, 0644));
    }

    // The copy of the first `size` bytes of "from".
    std::optional<std::string> copied(std::uint64_t size) {
        const UniqueFd from = open("from", O_RDONLY);
        const UniqueFd to = open("to", O_RDWR | O_CREAT | O_TRUNC);
        EXPECT_TRUE(fs::copy_content(from.get(), size, to.get()));
        return os_read(ws("to"));
    }

    struct stat status(const char* name) const {
        struct stat found = {};
        EXPECT_EQ(::lstat(ws(name).c_str(), &found), 0);
        return found;
    }
};

// copy_file_range between these two is refused, as between some file systems.
sys::Fault no_copy_range(sys::Call call) noexcept {
    return {.error = call == sys::Call::kCopyRange ? EXDEV : 0, .bytes_max = 0};
}

TEST_F(CopyTest, takes_what_was_asked_for) {
    os_write(ws("from"), "0123456789");
    EXPECT_EQ(copied(10), "0123456789");
    EXPECT_EQ(copied(4), "0123") << "what was added later is left";
    EXPECT_EQ(copied(20), "0123456789") << "what was cut meanwhile is not made up";
    EXPECT_EQ(copied(0), "");
}

TEST_F(CopyTest, goes_through_user_space_where_the_kernel_cannot) {
    const std::string long_text(300'000, 'x');
    os_write(ws("from"), long_text);
    sys::fault_hook = no_copy_range;
    EXPECT_EQ(copied(long_text.size()), long_text);
    sys::fault_hook = nullptr;
}

// /proc announces 0 or 4096 bytes, whatever there is.
TEST_F(CopyTest, a_file_that_says_more_than_it_has_gets_no_padding) {
    os_write(ws("from"), "four");
    sys::fault_hook = no_copy_range;
    const UniqueFd from = open("from", O_RDONLY);
    const UniqueFd to = open("to", O_RDWR | O_CREAT);
    EXPECT_TRUE(fs::copy_content(from.get(), 4096, to.get()));
    sys::fault_hook = nullptr;
    EXPECT_EQ(os_read(ws("to")), "four");
}

TEST_F(CopyTest, keeps_holes) {
    constexpr off_t kHole = off_t{1} << 32;
    os_write(ws("from"), "head");
    const UniqueFd from = open("from", O_RDWR);
    ASSERT_EQ(::pwrite(from.get(), "tail", 4, kHole), 4);
    ASSERT_EQ(::ftruncate(from.get(), kHole * 2), 0);
    if (status("from").st_blocks > 1000) GTEST_SKIP() << "no sparse files here";
    const UniqueFd to = open("to", O_RDWR | O_CREAT);
    ASSERT_TRUE(fs::copy_content(from.get(), static_cast<std::uint64_t>(kHole * 2), to.get()));
    EXPECT_EQ(status("to").st_size, kHole * 2);
    EXPECT_LE(status("to").st_blocks, 1000) << "holes were written out";
    char tail[5] = {};
    ASSERT_EQ(::pread(to.get(), tail, 4, kHole), 4);
    EXPECT_STREQ(tail, "tail");
}

}  // namespace
