// The release binary is one file: nothing to install beside it, no loader, no library.
#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

#include "cli/run.h"

namespace paddock::testing {
namespace {

TEST(Binary, is_a_single_static_position_independent_file) {
    if (*PADDOCK_SANITIZE != '\0') GTEST_SKIP() << "the sanitizers bring their own library";
    std::ifstream file(PADDOCK_BINARY, std::ios::binary);
    const std::string image{std::istreambuf_iterator<char>(file), {}};
    Elf64_Ehdr head;
    ASSERT_GE(image.size(), sizeof head);
    std::memcpy(&head, image.data(), sizeof head);
    ASSERT_EQ(std::memcmp(head.e_ident, ELFMAG, SELFMAG), 0);
    EXPECT_EQ(head.e_type, ET_DYN) << "not position independent";
    for (std::size_t i = 0; i < head.e_phnum; ++i) {
        const std::size_t offset = head.e_phoff + i * head.e_phentsize;
        Elf64_Phdr segment;
        ASSERT_GE(image.size(), offset + sizeof segment);
        std::memcpy(&segment, image.data() + offset, sizeof segment);
        EXPECT_NE(segment.p_type, static_cast<Elf64_Word>(PT_INTERP)) << "needs a loader";
    }
}

TEST(Binary, runs_without_any_environment_to_speak_of) {
    const Ran ran = paddock({"--version"}, {.directory = "/", .variables = {{"PATH", ""}}});
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_EQ(ran.out.rfind("paddock ", 0), 0U);
}

}  // namespace
}  // namespace paddock::testing
