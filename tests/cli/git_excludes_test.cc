#include "cli/git_excludes.h"

#include "cli/run.h"
#include "testing/jail.h"

namespace paddock::testing {
namespace {

TEST(GitExcludes, are_named_by_the_configuration) {
    using cli::excludes_file_in;
    EXPECT_EQ(excludes_file_in(""), "");
    EXPECT_EQ(excludes_file_in("[core]\n\texcludesFile = ~/x\n"), "~/x");
    EXPECT_EQ(excludes_file_in("[user]\nname = a\r\n[CORE]\r\nEXCLUDESFILE=/x y  # z\r\n"), "/x y");
    EXPECT_EQ(excludes_file_in("[core]\nexcludesfile = \"/a #;\\\"b \" ; c"), "/a #;\"b ");
    EXPECT_EQ(excludes_file_in("[core]\nexcludesfile = /a\nexcludesfile = /b\n"), "/b");
    EXPECT_EQ(excludes_file_in("[core \"x\"]\nexcludesfile = /a\n# excludesfile = /b"), "");
}

class GitExcludesOfUser : public Jail {
protected:
    std::string found() {
        const Setting setting{.variables = {{"HOME", out()}, {"XDG_CONFIG_HOME", ""}}};
        return paddock({"glob", "*", "--root", ws()}, setting).out;
    }
};

TEST_F(GitExcludesOfUser, count_for_searches) {
    tree({"ROOT/a.o=", "ROOT/b.o=", "OUT/.config/git/ignore=a.o", "OUT/mine=b.o"});
    EXPECT_EQ(found(), "b.o\n");
    tree({"OUT/.gitconfig=[core]\n excludesFile = ~/mine\n"});
    EXPECT_EQ(found(), "a.o\n");
    tree({"OUT/.config/git/config=[core]\n excludesFile = ~/nowhere\n"});
    EXPECT_EQ(found(), "a.o\n") << "the file in the home directory is read last";
}

}  // namespace
}  // namespace paddock::testing
