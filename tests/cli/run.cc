#include "cli/run.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <boost/json/parse.hpp>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

namespace paddock::testing {
namespace {

void check(bool done, const char* what) {
    if (!done) throw std::runtime_error(std::string(what) + ": " + std::strerror(errno));
}

std::vector<std::string> environment(const Setting& setting) {
    std::vector<std::string> all;
    for (char** variable = environ; *variable != nullptr; ++variable) {
        const std::string entry = *variable;
        const std::string name = entry.substr(0, entry.find('='));
        if (name == "XDG_STATE_HOME") continue;
        if (name != "PADDOCK_CONFIG" && !setting.variables.contains(name)) all.push_back(entry);
    }
    for (const auto& [name, value] : setting.variables) all.push_back(name + "=" + value);
    // Whoever runs the tests may have a configuration, and wants nothing in the state directory.
    if (!setting.variables.contains("PADDOCK_CONFIG")) all.push_back("PADDOCK_CONFIG=/dev/null");
    const bool has_home =
        setting.variables.contains("HOME") || setting.variables.contains("XDG_STATE_HOME");
    if (!has_home) {
        all.push_back("XDG_STATE_HOME=/dev/null");
        all.push_back("PADDOCK_BASH_FRESH_HOME=yes");
    }
    return all;
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
    std::vector<char*> all;
    for (std::string& string : strings) all.push_back(string.data());
    all.push_back(nullptr);
    return all;
}

struct Pipe {
    Pipe() { check(::pipe2(ends.data(), O_CLOEXEC) == 0, "pipe"); }
    std::array<int, 2> ends;
};

// Both sides of a new terminal that shows every byte as it comes.
Pipe new_terminal() {
    Pipe pair;
    ::close(pair.ends[0]);
    ::close(pair.ends[1]);
    pair.ends[0] = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    check(pair.ends[0] >= 0 && ::grantpt(pair.ends[0]) == 0 && ::unlockpt(pair.ends[0]) == 0,
          "pty");
    pair.ends[1] = ::open(::ptsname(pair.ends[0]), O_RDWR | O_NOCTTY | O_CLOEXEC);
    termios settings{};
    check(::tcgetattr(pair.ends[1], &settings) == 0, "tcgetattr");
    settings.c_oflag &= ~static_cast<tcflag_t>(OPOST);
    check(::tcsetattr(pair.ends[1], TCSANOW, &settings) == 0, "tcsetattr");
    return pair;
}

// A standard input that holds `text`.
int filled(const std::string& text) {
    const Pipe pipe;
    check(::write(pipe.ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size()),
          "write");
    ::close(pipe.ends[1]);
    return pipe.ends[0];
}

}  // namespace

boost::json::value Ran::json() const {
    boost::json::error_code error;
    boost::json::value value = boost::json::parse(out, error);
    EXPECT_FALSE(error) << error.message() << "\n" << out;
    return error ? boost::json::value() : value;
}

std::string text_of(const boost::json::value& value) {
    EXPECT_TRUE(value.is_string());
    return value.is_string() ? std::string(value.get_string().c_str()) : std::string();
}

std::string cannot_run() {
    if (::access(PADDOCK_BINARY, X_OK) == 0) return {};
    return std::string("the binary cannot be run by this user: ") + std::strerror(errno);
}

Process::Process(const std::vector<std::string>& arguments, const Setting& setting) {
    std::vector<std::string> words{PADDOCK_BINARY};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<std::string> variables = environment(setting);
    const auto argv = pointers(words);
    const auto envp = pointers(variables);
    const int in = filled(setting.input);
    auto out = setting.terminal ? new_terminal().ends : Pipe().ends;
    auto err = Pipe().ends;
    if (setting.terminal) ::dup3(out[1], err[1], O_CLOEXEC);
    id_ = ::fork();
    check(id_ >= 0, "fork");
    if (id_ == 0) {
        const bool there = setting.directory.empty() || ::chdir(setting.directory.c_str()) == 0;
        if (!setting.output.empty()) out[1] = ::open(setting.output.c_str(), O_WRONLY | O_CLOEXEC);
        if (there && ::dup2(in, 0) == 0 && ::dup2(out[1], 1) == 1 && ::dup2(err[1], 2) == 2) {
            ::execve(PADDOCK_BINARY, argv.data(), envp.data());
        }
        ::_exit(127);
    }
    for (const int fd : {in, out[1], err[1]}) ::close(fd);
    out_ = out[0];
    err_ = err[0];
}

std::string Process::err_until(std::string_view mark) {
    char c = 0;
    while (early_err_.find(mark) == std::string::npos && ::read(err_, &c, 1) == 1) early_err_ += c;
    return early_err_;
}

Ran Process::wait() {
    Ran ran;
    ran.err = early_err_;
    std::array<pollfd, 2> pipes{{{out_, POLLIN, 0}, {err_, POLLIN, 0}}};
    std::array<char, 4096> block;
    while (pipes[0].fd >= 0 || pipes[1].fd >= 0) {
        if (::poll(pipes.data(), pipes.size(), -1) < 0) check(errno == EINTR, "poll");
        for (std::size_t i = 0; i < pipes.size(); ++i) {
            if (pipes[i].fd < 0 || pipes[i].revents == 0) continue;
            const ssize_t got = ::read(pipes[i].fd, block.data(), block.size());
            if (got < 0 && errno == EINTR) continue;
            std::string& text = i == 0 ? ran.out : ran.err;
            if (got > 0) text.append(block.data(), static_cast<std::size_t>(got));
            if (got > 0) continue;
            ::close(pipes[i].fd);
            pipes[i].fd = -1;
        }
    }
    int status = 0;
    while (::waitpid(id_, &status, 0) < 0) check(errno == EINTR, "waitpid");
    if (WIFEXITED(status)) ran.exit_code = WEXITSTATUS(status);
    if (WIFSIGNALED(status)) ran.signal = WTERMSIG(status);
    return ran;
}

Ran paddock(const std::vector<std::string>& arguments, const Setting& setting) {
    return Process(arguments, setting).wait();
}

}  // namespace paddock::testing
