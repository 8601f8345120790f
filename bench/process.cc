#include "process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <sstream>

namespace paddock::bench {
namespace {

using Clock = std::chrono::steady_clock;

// Where the output of a child goes.
struct Pipe {
    int read_end = -1;
    int write_end = -1;

    Pipe() {
        int ends[2];
        if (::pipe2(ends, O_CLOEXEC) != 0) return;
        read_end = ends[0];
        write_end = ends[1];
    }
    ~Pipe() {
        close_end(read_end);
        close_end(write_end);
    }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;

    static void close_end(int& end) {
        if (end >= 0) ::close(end);
        end = -1;
    }
};

// A new process, or -1. `output`: a descriptor for what it writes, or -1 for nowhere.
pid_t spawn(const std::string& directory, const Command& command, int output) {
    std::vector<char*> words;
    for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    if (::posix_spawn_file_actions_init(&actions) != 0) return -1;
    ::posix_spawn_file_actions_addchdir_np(&actions, directory.c_str());
    ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (output >= 0) {
        ::posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    } else {
        ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    }
    pid_t child = -1;
    const int error = ::posix_spawnp(&child, words[0], &actions, nullptr, words.data(), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    return error == 0 ? child : -1;
}

std::optional<Ran> wait_for(pid_t child, Clock::time_point begin) {
    int status = 0;
    rusage usage{};
    if (::wait4(child, &status, 0, &usage) != child) return std::nullopt;
    const std::chrono::duration<double, std::milli> taken = Clock::now() - begin;
    const bool ended = WIFEXITED(status) && WEXITSTATUS(status) <= 1;
    const bool cut_off = WIFSIGNALED(status) && WTERMSIG(status) == SIGPIPE;
    if (!ended && !cut_off) return std::nullopt;
    return Ran{taken.count(), static_cast<double>(usage.ru_maxrss) / 1024};
}

}  // namespace

std::optional<Ran> run(const std::string& directory, const Command& command) {
    const auto begin = Clock::now();
    const pid_t child = spawn(directory, command, -1);
    if (child < 0) return std::nullopt;
    return wait_for(child, begin);
}

std::optional<Ran> run_until(const std::string& directory, const Command& command,
                             std::size_t lines) {
    const auto begin = Clock::now();
    Pipe pipe;
    const pid_t child = spawn(directory, command, pipe.write_end);
    if (child < 0) return std::nullopt;
    Pipe::close_end(pipe.write_end);
    char block[8192];
    for (std::size_t seen = 0; seen < lines;) {
        const ssize_t got = ::read(pipe.read_end, block, sizeof block);
        if (got <= 0) break;
        seen += static_cast<std::size_t>(std::count(block, block + got, '\n'));
    }
    Pipe::close_end(pipe.read_end);
    return wait_for(child, begin);
}

std::optional<Output> output_of(const std::string& directory, const Command& command,
                                const std::string& scratch) {
    const char* const kScript =
        R"(file=$1; shift; "$@" >"$file"; [ $? -le 1 ] || exit 2
           wc -l <"$file"; LC_ALL=C sort "$file" | cksum)";
    Command shell = {"sh", "-c", kScript, "sh", scratch + "/output"};
    shell.insert(shell.end(), command.begin(), command.end());
    Pipe pipe;
    const pid_t child = spawn(directory, shell, pipe.write_end);
    if (child < 0) return std::nullopt;
    Pipe::close_end(pipe.write_end);
    std::string text;
    char block[256];
    for (ssize_t got; (got = ::read(pipe.read_end, block, sizeof block)) > 0;) {
        text.append(block, static_cast<std::size_t>(got));
    }
    if (!wait_for(child, Clock::now())) return std::nullopt;
    Output output;
    std::istringstream words(text);
    words >> output.lines;
    std::getline(words >> std::ws, output.checksum);
    if (!words) return std::nullopt;
    return output;
}

}  // namespace paddock::bench
