#include "sandbox/foreign_path.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <string>

#include <paddock/unique_fd.h>

#include "testing/jail.h"

namespace paddock::sandbox {
namespace {

std::string read_own(const char* path, int directory = AT_FDCWD) {
    ForeignPath foreign;
    if (!foreign.read(::getpid(), directory, reinterpret_cast<std::uint64_t>(path))) return "-";
    EXPECT_EQ(std::strlen(foreign.c_str()), foreign.view().size());
    return std::string(foreign.view());
}

TEST(ForeignPath, is_absolute_and_without_dots) {
    EXPECT_EQ(read_own("/"), "/");
    EXPECT_EQ(read_own("/a/b"), "/a/b");
    EXPECT_EQ(read_own("//a///b/"), "/a/b");
    EXPECT_EQ(read_own("/a/./b/../c/."), "/a/c");
    EXPECT_EQ(read_own("/../../a"), "/a");
    EXPECT_EQ(read_own("/a/.."), "/");
    EXPECT_EQ(read_own("/a/...b/..c"), "/a/...b/..c");
    EXPECT_EQ(read_own(""), "-");
}

TEST(ForeignPath, relative_ones_begin_at_the_directory_of_the_process) {
    const testing::ScratchDir scratch;
    const UniqueFd directory(::open(scratch.path().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    EXPECT_EQ(read_own("f", directory.get()), scratch.path() + "/f");
    EXPECT_EQ(read_own("./d/../f", directory.get()), scratch.path() + "/f");
    EXPECT_EQ(read_own("/f", directory.get()), "/f");
    EXPECT_EQ(read_own("f", 9999), "-");
    char here[4096];
    ASSERT_NE(::getcwd(here, sizeof here), nullptr);
    EXPECT_EQ(read_own("f"), (std::string(here) == "/" ? "" : std::string(here)) + "/f");
}

TEST(ForeignPath, ends_with_the_memory_behind_it) {
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    auto* memory = static_cast<char*>(
        ::mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    ASSERT_NE(memory, MAP_FAILED);
    ASSERT_EQ(::munmap(memory + page, page), 0);
    std::memcpy(memory + page - 5, "/end", 5);
    EXPECT_EQ(read_own(memory + page - 5), "/end") << "the last bytes of a mapping";
    std::memset(memory, 'x', page);
    memory[0] = '/';
    EXPECT_EQ(read_own(memory + page - 5), "-") << "no end";
    ASSERT_EQ(::munmap(memory, page), 0);
    EXPECT_EQ(read_own(nullptr), "-");
}

TEST(ForeignPath, may_be_as_long_as_the_kernel_takes_and_no_longer) {
    std::string path = "/";
    path.append(4094, 'x');
    EXPECT_EQ(read_own(path.c_str()), path);
    path += 'x';
    EXPECT_EQ(read_own(path.c_str()), "-");
    std::string relative(4095, 'y');
    EXPECT_TRUE(read_own(relative.c_str()).ends_with("/" + relative));
}

}  // namespace
}  // namespace paddock::sandbox
