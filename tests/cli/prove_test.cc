// The gallery, run as a user runs it. Here it must also leave nothing behind, whatever ends it.
#include <poll.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>

#include "cli/run.h"
#include "testing/jail.h"

namespace paddock::testing {
namespace {

class Prove : public ::testing::Test {
protected:
    void SetUp() override {
        if (const std::string why = cannot_run(); !why.empty()) GTEST_SKIP() << why;
    }

    std::vector<std::string> words(const std::vector<std::string>& more) const {
        std::vector<std::string> all{"prove", "--dir", scratch_.path()};
        all.insert(all.end(), more.begin(), more.end());
        return all;
    }
    void expect_clean() const { EXPECT_EQ(os_list(scratch_.path()).size(), 0U); }

    // Ends a run that would take hours after it has used its scratch directory `grounds` times.
    void expect_tidy_end(int signal, int grounds) const;

    ScratchDir scratch_;
};

std::set<std::string> catalogue() {
    std::ifstream file(PADDOCK_SOURCE_DIR "/tests/escape/catalogue.tsv");
    std::set<std::string> ids;
    for (std::string line; std::getline(file, line);) ids.insert(line.substr(0, line.find('\t')));
    return ids;
}

TEST_F(Prove, nothing_leaks_and_the_control_does) {
    const Ran ran = paddock(words({"--json", "--rounds", "100"}));
    EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
    const auto document = ran.json();
    ASSERT_TRUE(document.is_object());
    const std::set<std::string> ids = catalogue();
    const auto& attacks = document.at("attacks").as_array();
    EXPECT_GE(attacks.size(), 16U);
    for (const auto& attack : attacks) {
        const std::string id = text_of(attack.at("id"));
        SCOPED_TRACE(id + " " + text_of(attack.at("attack")));
        EXPECT_TRUE(ids.contains(id)) << "not in the catalogue";
        const auto& careless = attack.at("careless").at("result");
        // A busy machine may keep the two threads of a race apart; a mount may be forbidden.
        const bool certain = id.substr(0, 4) != "RACE" && careless != "skipped";
        if (certain) {
            EXPECT_TRUE(attack.at("conclusive").as_bool());
        } else if (careless == "skipped") {
            EXPECT_EQ(id.substr(0, 3), "MNT") << attack.at("careless").at("detail");
        }
        for (const auto& [resolver, verdict] : attack.at("paddock").as_object()) {
            const auto& result = verdict.at("result");
            EXPECT_TRUE(result == "refused" || result == "held" || careless == "skipped")
                << resolver << ": " << result;
        }
    }
    EXPECT_EQ(document.at("summary").at("paddock_leaks"), 0);
    expect_clean();
}

TEST_F(Prove, refusals_carry_the_documented_code_under_every_resolver) {
    const auto document = paddock(words({"--json", "--rounds", "1"})).json();
    ASSERT_TRUE(document.is_object());
    const std::map<std::string, std::string> by_family{
        {"LEX", "path_escape"},    {"ABS", "path_escape"},  {"PRE", "path_escape"},
        {"NM-", "invalid_path"},   {"SYM", "path_escape"},  {"SP-01", "not_regular_file"},
        {"MNT", "mount_crossing"}, {"WR-02", "path_escape"}};
    for (const auto& attack : document.at("attacks").as_array()) {
        const std::string id = text_of(attack.at("id"));
        SCOPED_TRACE(id + " " + text_of(attack.at("attack")));
        for (const auto& [resolver, verdict] : attack.at("paddock").as_object()) {
            if (verdict.at("result") != "refused") continue;
            std::string expected = "none";
            for (const auto& [family, code] : by_family) {
                if (id.starts_with(family)) expected = code;
            }
            EXPECT_EQ(text_of(verdict.at("code")), expected) << resolver;
        }
    }
}

// Each is one of the attempts that the tests set on every sandbox.
bool is_inmate(const std::string& id) {
    for (const std::string& name : os_list(PADDOCK_SOURCE_DIR "/tests/inmates")) {
        std::ifstream file(PADDOCK_SOURCE_DIR "/tests/inmates/" + name);
        const std::string text{std::istreambuf_iterator<char>(file), {}};
        if (text.find("\"" + id + "\", \"") != text.npos) return true;
    }
    return false;
}

TEST_F(Prove, commands_get_nowhere_that_plain_bash_does) {
    const auto document = paddock(words({"--json", "--rounds", "1"})).json();
    ASSERT_TRUE(document.is_object());
    const std::string level = text_of(document.at("level"));
    if (level.empty()) GTEST_SKIP() << document.at("no_commands");
    const auto& commands = document.at("commands").as_array();
    EXPECT_GE(commands.size(), 12U);
    for (const auto& attack : commands) {
        const std::string id = text_of(attack.at("id"));
        SCOPED_TRACE(id);
        EXPECT_TRUE(is_inmate(id));
        if (!id.starts_with("user-namespace")) {
            EXPECT_EQ(attack.at("careless").at("result"), "leaked");
        }
        const auto& result = attack.at("paddock").at(level).at("result");
        const bool is_excused =
            id == "read-env-file" || id == "git-new";  // need more than Landlock
        EXPECT_TRUE(result == "held" || (is_excused && result == "skipped")) << result;
    }
    expect_clean();
}

TEST_F(Prove, the_table_tells_it_to_people) {
    const Ran ran = paddock(words({"--rounds", "20"}));
    EXPECT_EQ(ran.exit_code, 0);
    EXPECT_NE(ran.out.find("LEAKED"), std::string::npos);
    EXPECT_NE(ran.out.find("would block"), std::string::npos);
    EXPECT_NE(ran.out.find("Nothing leaked through paddock."), std::string::npos) << ran.out;
    EXPECT_EQ(ran.out.find('\x1b'), std::string::npos) << "colour in a pipe";
    EXPECT_EQ(ran.err, "");
    expect_clean();
}

TEST_F(Prove, tries_the_resolver_that_was_asked_for) {
    const auto document = paddock(words({"--json", "--rounds", "1", "--resolver", "walk"})).json();
    ASSERT_TRUE(document.is_object());
    for (const auto& attack : document.at("attacks").as_array()) {
        EXPECT_EQ(attack.at("paddock").as_object().size(), 1U);
        EXPECT_TRUE(attack.at("paddock").as_object().contains("walk"));
    }
}

TEST_F(Prove, what_cannot_be_tried_is_no_success) {
    const Ran nowhere = paddock({"prove", "--dir", scratch_.path() + "/absent"});
    EXPECT_EQ(nowhere.exit_code, 2);
    EXPECT_NE(nowhere.err.find("Name another with --dir"), std::string::npos) << nowhere.err;
    // A path this long leaves no room for the ground.
    std::string deep = scratch_.path();
    while (deep.size() < 3800) {
        deep += "/" + std::string(200, 'd');
        ASSERT_EQ(::mkdir(deep.c_str(), 0755), 0);
    }
    deep += "/" + std::string(4060 - deep.size(), 'd');
    ASSERT_EQ(::mkdir(deep.c_str(), 0755), 0);
    const Ran cramped = paddock({"prove", "--dir", deep, "--rounds", "1"});
    EXPECT_EQ(cramped.exit_code, 2) << cramped.out << cramped.err;
    EXPECT_EQ(os_list(deep).size(), 0U);
}

// What `--json` prints on standard error the other form prints on standard output.
TEST_F(Prove, rows_are_printed_as_they_finish) {
    Process running(words({"--json", "--rounds", "10000000"}));
    const std::string early = running.err_until("WR-10");
    EXPECT_NE(early.find("LEX-03   read: down one level, up two"), std::string::npos) << early;
    ASSERT_EQ(::kill(running.id(), SIGTERM), 0);
    EXPECT_EQ(running.wait().out, "");
    expect_clean();
}

TEST_F(Prove, goes_quietly_when_nobody_reads_on) {
    const std::string command = "exec bash -c '" PADDOCK_BINARY " prove --rounds 10000000 --dir " +
                                scratch_.path() + " | head -n 1; echo ${PIPESTATUS[0]}' 2>&1";
    std::FILE* pipe = ::popen(command.c_str(), "r");
    ASSERT_NE(pipe, nullptr);
    std::string text;
    for (int byte = 0; (byte = std::fgetc(pipe)) != EOF;) text += static_cast<char>(byte);
    ::pclose(pipe);
    EXPECT_TRUE(std::regex_match(text, std::regex("Linux .*\n141\n"))) << text;
    expect_clean();
}

void Prove::expect_tidy_end(int signal, int grounds) const {
    const int watch = ::inotify_init1(IN_CLOEXEC);
    ASSERT_GE(watch, 0);
    const int top = ::inotify_add_watch(watch, scratch_.path().c_str(), IN_CREATE);
    ASSERT_GE(top, 0);
    Process running(words({"--rounds", "10000000"}));
    alignas(inotify_event) std::array<char, 4096> block;
    for (int seen = 0; seen < grounds;) {
        const ssize_t got = ::read(watch, block.data(), block.size());
        ASSERT_GT(got, 0);
        for (ssize_t at = 0; at < got;) {
            inotify_event event;
            std::memcpy(&event, block.data() + at, sizeof event);
            const char* name = block.data() + at + sizeof event;
            if (event.wd == top) {
                ::inotify_add_watch(watch, (scratch_.path() + "/" + name).c_str(), IN_CREATE);
            }
            ++seen;
            at += static_cast<ssize_t>(sizeof event + event.len);
        }
    }
    ASSERT_EQ(::kill(running.id(), signal), 0);
    const Ran ran = running.wait();
    ::close(watch);
    EXPECT_EQ(ran.signal, signal) << "ended with exit code " << ran.exit_code;
    EXPECT_EQ(ran.out.find("through paddock"), std::string::npos) << "a summary of a part";
    expect_clean();
}

TEST_F(Prove, tidies_up_when_terminated) { expect_tidy_end(SIGTERM, 20); }
TEST_F(Prove, tidies_up_when_interrupted) { expect_tidy_end(SIGINT, 1); }
TEST_F(Prove, tidies_up_when_the_terminal_goes) { expect_tidy_end(SIGHUP, 10); }

}  // namespace
}  // namespace paddock::testing
