// `paddock run` in front of a person: keys, job control, the window's size, and the terminal as it
// was when all is over.
#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "cli/run.h"
#include "testing/jail.h"
#include "testing/shell.h"

namespace paddock::testing {
namespace {

constexpr const char* kInterruptKey = "\x03";
constexpr const char* kSuspendKey = "\x1a";

enum class Owner {
    kProgram,  // its controlling terminal, as a person's shell would give it
    kNobody,   // the kernel sends no signal for it, nor when it is gone
};

// Which of the streams are the terminal; the others are /dev/null.
struct Streams {
    bool input = true;
    bool output = true;
    bool error = true;
};

// "paddock run" with a terminal of its own, at whose other end is this.
class Person {
public:
    Person(const std::string& root, std::vector<std::string> command, Owner owner = Owner::kProgram,
           Streams streams = {})
        : keyboard_(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)) {
        if (::grantpt(keyboard_.get()) != 0 || ::unlockpt(keyboard_.get()) != 0) std::abort();
        const UniqueFd terminal(::open(::ptsname(keyboard_.get()), O_RDWR | O_NOCTTY | O_CLOEXEC));
        resize(33, 101);
        before_ = modes();
        std::vector<std::string> words{"paddock", "run", "--root", root, "--"};
        words.insert(words.end(), command.begin(), command.end());
        std::vector<char*> arguments;
        for (std::string& word : words) arguments.push_back(word.data());
        arguments.push_back(nullptr);
        id_ = ::fork();
        if (id_ == 0) become(arguments.data(), terminal.get(), owner, streams);
    }
    Person(const Person&) = delete;
    Person& operator=(const Person&) = delete;

    void type(std::string_view keys) const {
        ASSERT_EQ(::write(keyboard_.get(), keys.data(), keys.size()),
                  static_cast<ssize_t>(keys.size()));
    }

    // Waits until it is on the screen, after what was seen before.
    void see(std::string_view text) {
        std::array<char, 256> block;
        for (std::size_t at = screen_.find(text);; at = screen_.find(text)) {
            if (at != screen_.npos) {
                screen_.erase(0, at + text.size());
                return;
            }
            const ssize_t got = ::read(keyboard_.get(), block.data(), block.size());
            ASSERT_GT(got, 0) << "never seen: " << text << "\n" << screen_;
            screen_.append(block.data(), static_cast<std::size_t>(got));
        }
    }

    void resize(unsigned short rows, unsigned short columns) const {
        const winsize size{rows, columns, 0, 0};
        ASSERT_EQ(::ioctl(keyboard_.get(), TIOCSWINSZ, &size), 0);
    }

    termios modes() const {
        termios found{};
        EXPECT_EQ(::tcgetattr(keyboard_.get(), &found), 0);
        return found;
    }
    bool has_modes_of_before() const {
        const termios now = modes();
        return std::memcmp(&now, &before_, sizeof now) == 0;
    }

    void signal(int number) const { ::kill(id_, number); }
    void hang_up() { keyboard_.reset(); }
    int wait() const {
        int status = 0;
        ::waitpid(id_, &status, 0);
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }

private:
    [[noreturn]] static void become(char** arguments, int terminal, Owner owner, Streams streams) {
        ::setsid();
        if (owner == Owner::kProgram) ::ioctl(terminal, TIOCSCTTY, 0);
        const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
        ::dup2(streams.input ? terminal : nothing, STDIN_FILENO);
        ::dup2(streams.output ? terminal : nothing, STDOUT_FILENO);
        ::dup2(streams.error ? terminal : nothing, STDERR_FILENO);
        ::setenv("PADDOCK_CONFIG", "/dev/null", 1);
        ::setenv("XDG_STATE_HOME", "/dev/null", 1);
        ::setenv("PADDOCK_BASH_FRESH_HOME", "yes", 1);
        ::setenv("TERM", "xterm", 1);
        ::execv(PADDOCK_BINARY, arguments);
        ::_exit(1);
    }

    UniqueFd keyboard_;
    termios before_{};
    std::string screen_;
    pid_t id_ = -1;
};

class RunOnTerminal : public Jail {
protected:
    void SetUp() override {
        if (const std::string why = cannot_run(); !why.empty()) GTEST_SKIP() << why;
        const Ran probe = paddock({"run", "--root", ws(), "--", "true"});
        if (probe.exit_code == 125) GTEST_SKIP() << probe.err;
        ASSERT_EQ(probe.exit_code, 0) << probe.err;
    }

    const std::vector<std::string> waits_{"sh", "-c", "echo ready; exec sleep 100000"};
};

TEST_F(RunOnTerminal, a_typed_interrupt_ends_the_command) {
    Person person(ws(), waits_);
    person.see("ready");
    person.type(kInterruptKey);
    EXPECT_EQ(person.wait(), 128 + SIGINT);
}

TEST_F(RunOnTerminal, signals_reach_the_command) {
    for (const int number : {SIGTERM, SIGHUP, SIGINT, SIGQUIT}) {
        Person person(ws(), waits_, Owner::kNobody);
        person.see("ready");
        person.signal(number);
        EXPECT_EQ(person.wait(), 128 + number);
    }
}

TEST_F(RunOnTerminal, a_command_is_told_that_its_terminal_is_gone) {
    Person person(ws(), waits_, Owner::kNobody);
    person.see("ready");
    person.hang_up();
    EXPECT_EQ(person.wait(), 128 + SIGHUP);
}

TEST_F(RunOnTerminal, a_shell_has_job_control) {
    Person person(ws(), {"env", "PS1=next:", "bash", "--norc", "--noediting", "-i"});
    person.see("next:");
    person.type("sed -u y/i/o/\nping\n");
    person.see("pong");
    person.type(kSuspendKey);
    person.see("Stopped");
    person.see("next:");
    person.type("fg\nping\n");
    person.see("pong");
    person.type(kInterruptKey);
    person.see("next:");
    person.type("echo code $?\n");
    person.see("code 130");
    person.type("exit 7\n");
    EXPECT_EQ(person.wait(), 7);
}

TEST_F(RunOnTerminal, the_command_knows_the_size_and_its_changes) {
    Person person(ws(),
                  {"sh", "-c", "trap 'stty size; exit 5' WINCH; stty size; sleep 100000 & wait"});
    person.see("33 101");
    person.resize(44, 122);
    person.see("44 122");
    EXPECT_EQ(person.wait(), 5);
}

TEST_F(RunOnTerminal, the_modes_are_as_before_when_the_command_has_ended) {
    Person person(ws(), {"sh", "-c", "stty raw -echo; echo ready; read line; exit 3"});
    person.see("ready");
    EXPECT_FALSE(person.has_modes_of_before()) << "there is nothing to restore";
    person.type("\n");
    EXPECT_EQ(person.wait(), 3);
    EXPECT_TRUE(person.has_modes_of_before());
}

TEST_F(RunOnTerminal, the_modes_are_as_before_after_a_signal) {
    for (const int number : {SIGTERM, SIGHUP, SIGUSR1}) {
        Person person(ws(), waits_);
        person.see("ready");
        EXPECT_FALSE(person.has_modes_of_before()) << "there is nothing to restore";
        person.signal(number);
        EXPECT_EQ(person.wait(), 128 + number);
        EXPECT_TRUE(person.has_modes_of_before()) << number;
    }
}

// Each without the terminal as input: what is typed is for somebody else.
TEST_F(RunOnTerminal, a_command_that_only_prints_there_reads_nothing_of_it) {
    const std::string look =
        "stty size <&2 >&2; (read -t 1 x <&2; echo read=$x. >&2); stty raw <&2";
    for (const Streams streams : {Streams{.input = false}, Streams{.input = false, .output = false},
                                  Streams{.output = false}}) {
        Person person(ws(), {"bash", "-c", look}, Owner::kProgram, streams);
        person.type("typed\n");
        person.see("33 101");
        person.see("read=.");
        EXPECT_EQ(person.wait(), 0);
        EXPECT_TRUE(person.has_modes_of_before());
    }
}

TEST_F(RunOnTerminal, a_command_that_only_reads_there_prints_nothing_on_it) {
    const std::string attempt =
        "read x; (echo bad >&0; echo bad > /proc/self/fd/0) 2> /dev/null; stty -echo <&0; "
        "echo got $x >&2";
    Person person(ws(), {"bash", "-c", attempt}, Owner::kProgram, {.output = false});
    person.type("typed\n");
    person.see("typed\r\ngot typed\r\n");
    EXPECT_EQ(person.wait(), 0);
    EXPECT_TRUE(person.has_modes_of_before());
}

TEST_F(RunOnTerminal, a_pager_shows_a_file_and_ends_by_its_key) {
    if (!has_program("less")) GTEST_SKIP() << "less is not installed";
    tree({"ROOT/f=content\n"});
    Person person(ws(), {"less", "f"});
    person.see("content");
    person.see("(END)");
    person.type("q");
    EXPECT_EQ(person.wait(), 0);
}

}  // namespace
}  // namespace paddock::testing
