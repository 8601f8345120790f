#include <gtest/gtest.h>

#include "cli/run.h"

namespace paddock::testing {
namespace {

bool mentions(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

TEST(Usage, every_command_explains_itself) {
    for (const std::vector<std::string>& words :
         std::vector<std::vector<std::string>>{{"--help"},
                                               {"-h"},
                                               {"help"},
                                               {"resolve", "--help"},
                                               {"resolve", "a", "-h"},
                                               {"doctor", "--help"},
                                               {"prove", "--help"},
                                               {"help", "prove"}}) {
        const Ran ran = paddock(words);
        EXPECT_EQ(ran.exit_code, 0) << words.back();
        EXPECT_TRUE(mentions(ran.out, "usage: paddock")) << ran.out;
        EXPECT_TRUE(mentions(ran.out, "Examples:\n  paddock ")) << ran.out;
        EXPECT_EQ(ran.err, "");
    }
}

TEST(Usage, help_names_every_option) {
    const std::string resolve = paddock({"resolve", "--help"}).out;
    for (const char* option :
         {"--root", "--json", "--resolver", "--absolute", "--dotdot", "--symlinks"}) {
        EXPECT_TRUE(mentions(resolve, option)) << option;
    }
    const std::string prove = paddock({"prove", "--help"}).out;
    for (const char* option : {"--dir", "--json", "--resolver", "--rounds"}) {
        EXPECT_TRUE(mentions(prove, option)) << option;
    }
}

TEST(Usage, prints_the_version) {
    EXPECT_EQ(paddock({"--version"}).out.rfind("paddock 0.", 0), 0U);
}

TEST(Usage, a_wrong_word_gets_the_nearest_right_one) {
    const auto complains = [](const std::vector<std::string>& words, const std::string& expected) {
        const Ran ran = paddock(words);
        EXPECT_EQ(ran.exit_code, 2) << words.back();
        EXPECT_EQ(ran.out, "");
        EXPECT_TRUE(mentions(ran.err, expected)) << ran.err;
    };
    complains({"reslove"}, "unknown command 'reslove'; did you mean 'resolve'?");
    complains({"doc"}, "did you mean 'doctor'?");
    complains({"zzzz"}, "unknown command 'zzzz'\n");
    complains({"help", "prov"}, "there is no help for 'prov'; did you mean 'prove'?");
    complains({"--versoin"}, "did you mean '--version'?");
    complains({"resolve", "a", "--rot=x"}, "unknown option '--rot'; did you mean '--root'?");
    complains({"resolve", "a", "--resolver", "opena2"}, "did you mean 'openat2'?");
    complains({"resolve"}, "no PATH was given");
    complains({"resolve", "a", "--root"}, "--root");
    complains({"resolve", "a", "--root", "x", "--root", "y"}, "--root");
    complains({"resolve", "a", "--json=3"}, "option '--json' takes no value");
    complains({"doctor", "now"}, "unexpected argument 'now'");
    complains({"prove", "--rounds", "0"}, "--rounds");
    complains({"prove", "--rounds", "many"}, "--rounds");
    complains({"prove", "--dir", "/dev/null"}, "Name another with --dir");
    complains({}, "no command given");
    complains({"a\x1b[31m"}, "unknown command 'a\\x1b[31m'");
}

TEST(Usage, lost_output_is_an_error) {
    if (::access("/dev/full", W_OK) != 0) GTEST_SKIP() << "no /dev/full";
    const Ran ran = paddock({"doctor"}, {.output = "/dev/full"});
    EXPECT_EQ(ran.exit_code, 2);
    EXPECT_TRUE(mentions(ran.err, "cannot write the output")) << ran.err;
}

}  // namespace
}  // namespace paddock::testing
