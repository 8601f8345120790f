#include "gate/runner.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "gate/tree.h"

namespace gate {
namespace {

constexpr uid_t kNobody = 65534;
constexpr int kHangsMs = 300'000;  // only so that a mistake ends some time

void check(bool done, const std::string& what) {
    if (!done) throw std::runtime_error(what + ": " + std::strerror(errno));
}

bool is_root() { return ::geteuid() == 0; }

std::string variable(const char* name, const std::string& otherwise) {
    const char* value = std::getenv(name);
    return value == nullptr || *value == '\0' ? otherwise : value;
}

bool runs_plainly() { return variable("PADDOCK_GATE_RUNNER", "paddock") == "plain"; }

// Where every user can go, on the disk.
class Stage {
public:
    Stage() {
        for (const char* parent : {"/srv", "/var/tmp"}) {
            std::string name = std::string(parent) + "/paddock-gate-XXXXXX";
            if (::mkdtemp(name.data()) == nullptr) continue;
            path_ = name;
            break;
        }
        check(!path_.empty() && ::chmod(path_.c_str(), 0755) == 0, "no directory for the tests");
        check(::mkdir((path_ + "/bin").c_str(), 0755) == 0, path_);
    }
    ~Stage() {
        const int directory = ::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        empty_tree(directory);
        ::close(directory);
        ::rmdir(path_.c_str());
    }
    Stage(const Stage&) = delete;
    Stage& operator=(const Stage&) = delete;

    const std::string& path() const { return path_; }
    int next() { return ++count_; }

private:
    std::string path_;
    int count_ = 0;
};

Stage& stage() {
    static Stage made;
    return made;
}

const std::string& launch() {
    static const std::string path = install(PADDOCK_LAUNCH);
    return path;
}

const std::string& paddock() {
    static const std::string path = install(variable("PADDOCK_GATE_BINARY", PADDOCK_BINARY));
    return path;
}

using Words = std::vector<std::string>;

Words operator+(Words first, const Words& second) {
    first.insert(first.end(), second.begin(), second.end());
    return first;
}

// Whoever runs the tests becomes the user that paddock is started by.
Words as_user(bool from_root, bool namespaces) {
    Words words{launch()};
    if (!from_root && is_root()) words.emplace_back("--nobody");
    if (!namespaces) words.emplace_back("--no-namespaces");
    if (words.size() == 1) return {};
    words.emplace_back("--");
    return words;
}

std::vector<char*> pointers(const Words& words) {
    std::vector<char*> all;
    for (const std::string& word : words) all.push_back(const_cast<char*>(word.c_str()));
    all.push_back(nullptr);
    return all;
}

long now_ms() {
    return static_cast<long>(std::chrono::duration_cast<std::chrono::milliseconds>(
                                 std::chrono::steady_clock::now().time_since_epoch())
                                 .count());
}

std::string probe(const Place& place) {
    if (place.level == Level::kPlain || runs_plainly()) return {};
    const Workspace workspace(place);
    const Ran ran = workspace.run({"/bin/readlink", "/proc/self/ns/user"});
    if (ran.exit_code == 125) return "no sandbox here: " + ran.err;
    EXPECT_EQ(ran.exit_code, 0) << ran.all();
    const std::string own = std::filesystem::read_symlink("/proc/self/ns/user").string() + "\n";
    const bool is_full = ran.out != own;
    if (is_full != (place.level == Level::kFull)) {
        return "commands do not get the sandbox level of " + place.name;
    }
    return {};
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const Place& place) { return out << place.name; }

Place plain_place() { return {"plain", Level::kPlain, false}; }

std::vector<Place> sandboxed_places() {
    std::vector<Place> places{{"user_full", Level::kFull, false}, {"user_low", Level::kLow, false}};
    if (is_root()) {
        places.push_back({"root_full", Level::kFull, true});
        places.push_back({"root_low", Level::kLow, true});
    }
    return places;
}

std::vector<Place> different_places() {
    std::vector<Place> places = sandboxed_places();
    if (is_root() && tries(0, 1) == 0) places = {places[1], places[2]};
    return places;
}

std::string missing(const Place& place) {
    static std::map<std::string, std::string> known;
    const auto found = known.find(place.name);
    if (found != known.end()) return found->second;
    return known[place.name] = probe(place);
}

const std::string& program_folder() {
    static const std::string path = stage().path() + "/bin";
    return path;
}

std::string install(const std::string& program) {
    const std::filesystem::path from(program);
    const std::string to = program_folder() + "/" + from.filename().string();
    std::filesystem::copy_file(from, to, std::filesystem::copy_options::overwrite_existing);
    check(::chmod(to.c_str(), 0755) == 0, to);
    return to;
}

// The owner is who commands run as on the low level, and root where root's sandbox maps owners.
Workspace::Workspace(const Place& place) : place_(place) {
    base_ = stage().path() + "/" + std::to_string(stage().next());
    path_ = base_ + "/ws";
    check(::mkdir(base_.c_str(), 0755) == 0, base_);
    for (const char* name : {"/ws", "/home", "/tmp", "/state"}) {
        check(::mkdir((base_ + name).c_str(), 0755) == 0, base_ + name);
        const bool is_state = std::strcmp(name, "/state") == 0;
        const bool of_root =
            place.from_root && (is_state || (place.level == Level::kFull && !runs_plainly()));
        if (is_root() && !of_root) {
            check(::chown((base_ + name).c_str(), kNobody, kNobody) == 0, base_ + name);
        }
    }
}

Workspace::~Workspace() {
    const int directory = ::open(base_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    empty_tree(directory);
    ::close(directory);
    ::rmdir(base_.c_str());
}

std::vector<std::string> Workspace::environment() const {
    return {"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:" + program_folder(),
            "HOME=" + base_ + "/home",
            "TMPDIR=" + base_ + "/tmp",
            "XDG_STATE_HOME=" + base_ + "/state",
            "PADDOCK_CONFIG=/dev/null",
            "GIT_CONFIG_NOSYSTEM=1",
            "LANG=C.UTF-8",
            "PADDOCK_GATE_BASE=" + base_};
}

Words Workspace::outside_line(const Words& words) const {
    struct stat owner {};
    ::stat(path_.c_str(), &owner);
    // launch goes to the top directory.
    return as_user(owner.st_uid == 0, true) +
           Words{"/bin/sh", "-c", "cd \"$0\" && exec \"$@\"", path_} + words;
}

Words Workspace::command_line(const Words& words) const {
    if (place_.level == Level::kPlain || runs_plainly()) return outside_line(words);
    return as_user(place_.from_root, place_.level == Level::kFull) +
           Words{paddock(), "run", "--root", path_, "--read-only-dir", program_folder(), "--"} +
           words;
}

Words Workspace::server_line() const {
    return as_user(place_.from_root, place_.level == Level::kFull) +
           Words{paddock(), "mcp", "--root", path_};
}

Ran Workspace::paddock_command(const Words& words) const {
    Ran ran =
        Running(as_user(place_.from_root, true) + Words{paddock()} + words + Words{"--root", path_},
                environment())
            .wait(kHangsMs);
    EXPECT_FALSE(ran.timed_out) << words.front() << " hangs in " << place_.name;
    return ran;
}

Ran Workspace::outside(const std::string& script) const {
    return Running(outside_line({"/bin/bash", "-c", script}), environment()).wait(kHangsMs);
}

Ran Workspace::prepare(const std::string& script) const {
    Ran ran = outside("set -e\n" + script);
    EXPECT_EQ(ran.exit_code, 0) << script << "\n" << ran.all();
    return ran;
}

Ran Workspace::run(const Words& words) const {
    Ran ran = Running(command_line(words), environment()).wait(kHangsMs);
    EXPECT_FALSE(ran.timed_out) << words.front() << " hangs in " << place_.name;
    return ran;
}

Running::Running(const Words& words, const Words& environment, const std::string& input) {
    const std::vector<char*> argv = pointers(words);
    const std::vector<char*> envp = pointers(environment);
    std::array<std::array<int, 2>, 3> pipes{};
    for (auto& pipe : pipes) check(::pipe2(pipe.data(), O_CLOEXEC) == 0, "pipe");
    id_ = ::fork();
    check(id_ >= 0, "fork");
    if (id_ == 0) {
        ::setpgid(0, 0);
        ::dup2(pipes[0][0], 0);
        ::dup2(pipes[1][1], 1);
        ::dup2(pipes[2][1], 2);
        ::execve(argv[0], argv.data(), envp.data());
        ::_exit(127);
    }
    ::setpgid(id_, id_);
    ::close(pipes[0][0]);
    ::close(pipes[1][1]);
    ::close(pipes[2][1]);
    in_ = pipes[0][1];
    out_ = pipes[1][0];
    err_ = pipes[2][0];
    if (!input.empty()) send(input);
}

Running::~Running() {
    if (id_ > 0) {
        ::kill(-id_, SIGKILL);
        ::waitpid(id_, nullptr, 0);
    }
    for (const int fd : {in_, out_, err_}) {
        if (fd >= 0) ::close(fd);
    }
}

void Running::send(const std::string& text) const {
    check(::write(in_, text.data(), text.size()) == static_cast<ssize_t>(text.size()), "send");
}

void Running::close_input() {
    if (in_ >= 0) ::close(in_);
    in_ = -1;
}

// Reads what there is. False when both outputs have ended or the time is over.
bool Running::fill(int timeout_ms) {
    std::array<pollfd, 2> polled{{{out_, POLLIN, 0}, {err_, POLLIN, 0}}};
    if (out_ < 0 && err_ < 0) return false;
    const int ready = ::poll(polled.data(), polled.size(), timeout_ms);
    if (ready < 0) return errno == EINTR;
    if (ready == 0) return false;
    std::array<char, 65536> block;
    for (std::size_t i = 0; i < polled.size(); ++i) {
        if (polled[i].revents == 0) continue;
        int& fd = i == 0 ? out_ : err_;
        const ssize_t got = ::read(fd, block.data(), block.size());
        std::string& text = i == 0 ? ran_.out : ran_.err;
        if (got > 0) {
            text.append(block.data(), static_cast<std::size_t>(got));
            if (i == 0) pending_.append(block.data(), static_cast<std::size_t>(got));
            continue;
        }
        ::close(fd);
        fd = -1;
    }
    return true;
}

std::string Running::line(int timeout_ms) {
    const long end = now_ms() + timeout_ms;
    for (;;) {
        const std::size_t newline = pending_.find('\n');
        if (newline != std::string::npos) {
            const std::string found = pending_.substr(0, newline);
            pending_.erase(0, newline + 1);
            return found;
        }
        const long left = end - now_ms();
        if (left <= 0 || out_ < 0 || !fill(static_cast<int>(left))) return {};
    }
}

Ran Running::wait(int timeout_ms) {
    close_input();
    const long end = now_ms() + timeout_ms;
    while (out_ >= 0 || err_ >= 0) {
        const long left = end - now_ms();
        if (left > 0 && fill(static_cast<int>(left))) continue;
        ran_.timed_out = true;
        ::kill(-id_, SIGKILL);
        break;
    }
    int status = 0;
    while (::waitpid(id_, &status, 0) < 0 && errno == EINTR) {
    }
    id_ = -1;
    if (WIFEXITED(status)) ran_.exit_code = WEXITSTATUS(status);
    if (WIFSIGNALED(status)) ran_.signal = WTERMSIG(status);
    return ran_;
}

const char* const kClient =
    "coproc S { exec \"$@\"; }; while IFS= read -r line; do printf '%s\\n' \"$line\" "
    ">&${S[1]}; case $line in *'\"id\"'*) IFS= read -r line <&${S[0]}; printf '%s\\n' "
    "\"$line\";; esac; done";

void start_session(Running& server) {
    server.send(
        R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",)"
        R"("capabilities":{},"clientInfo":{"name":"test","version":"1"}}})"
        "\n"
        R"({"jsonrpc":"2.0","method":"notifications/initialized"})"
        "\n");
    EXPECT_NE(server.line(kHangsMs).find("serverInfo"), std::string::npos);
}

std::string tool_call(int id, const std::string& tool, const std::string& arguments) {
    return R"({"jsonrpc":"2.0","id":)" + std::to_string(id) +
           R"(,"method":"tools/call","params":{"name":")" + tool + R"(","arguments":)" + arguments +
           "}}\n";
}

std::vector<pid_t> children_of(pid_t process) {
    const std::string id = std::to_string(process);
    std::ifstream children("/proc/" + id + "/task/" + id + "/children");
    std::vector<pid_t> all;
    for (pid_t each = 0; children >> each;) all.push_back(each);
    return all;
}

long tries(long few, long many) {
    const std::string wanted = variable("PADDOCK_GATE_TRIES", "");
    if (!wanted.empty()) return std::atol(wanted.c_str());
    return variable("PADDOCK_GATE_FULL", "").empty() ? few : many;
}

}  // namespace gate
