// The same command run plainly and by `paddock run`, as root and as nobody, on both sandbox levels.
//
// Commands in the sandbox never have root's rights, so the plain twin runs as an ordinary user too.
// Programs and workspaces lie where that user reaches them. Nothing of paddock is linked: these
// tests know it only by what it does.
//
// PADDOCK_GATE_BINARY names another paddock than the one that was built with the tests.
// PADDOCK_GATE_RUNNER=plain replaces the sandbox by nothing: every comparison must then agree, and
// every test that something is refused must fail.
#pragma once

#include <gtest/gtest.h>
#include <sys/types.h>

#include <map>
#include <ostream>
#include <string>
#include <vector>

namespace gate {

enum class Level { kPlain, kFull, kLow };

struct Place {
    std::string name;
    Level level = Level::kPlain;
    bool from_root = false;  // paddock is started by root
};
std::ostream& operator<<(std::ostream& out, const Place& place);

Place plain_place();
std::vector<Place> sandboxed_places();  // as far as this user can be somebody
// Those of them that differ in level and in user; all of them in the full run.
std::vector<Place> different_places();

// Why commands cannot be run there; empty if they can.
std::string missing(const Place& place);

struct Ran {
    int exit_code = -1;  // -1: ended by `signal`, or did not start
    int signal = 0;
    bool timed_out = false;
    std::string out;
    std::string err;
    std::string all() const { return out + err; }
};

// Where programs lie that commands run: readable for everybody, seen in the sandbox.
const std::string& program_folder();
// Copies a program there and returns its new path.
std::string install(const std::string& program);

// A workspace of its own for one place, removed at the end.
class Workspace {
public:
    explicit Workspace(const Place& place);
    ~Workspace();
    Workspace(const Workspace&) = delete;
    Workspace& operator=(const Workspace&) = delete;

    const Place& place() const { return place_; }
    const std::string& path() const { return path_; }
    std::string path(const std::string& name) const { return path_ + "/" + name; }

    // As the owner, outside of any sandbox. A failure is a failure of the test.
    Ran prepare(const std::string& script) const;
    // The same, and whatever comes of it is returned.
    Ran outside(const std::string& script) const;

    // In the sandbox of the place, or in none.
    Ran run(const std::vector<std::string>& words) const;
    Ran shell(const std::string& script) const { return run({"/bin/bash", "-c", script}); }

    // The words that `run` starts, for those who start and end it themselves.
    std::vector<std::string> command_line(const std::vector<std::string>& words) const;
    // An MCP server on the workspace; only where there is a sandbox.
    std::vector<std::string> server_line() const;
    // A command of paddock's on the workspace, by the user who starts the sandbox.
    Ran paddock_command(const std::vector<std::string>& words) const;
    std::vector<std::string> environment() const;

private:
    std::vector<std::string> outside_line(const std::vector<std::string>& words) const;

    Place place_;
    std::string base_;
    std::string path_;
};

// A started program in a process group of its own.
class Running {
public:
    Running(const std::vector<std::string>& words, const std::vector<std::string>& environment,
            const std::string& input = {});
    ~Running();  // kills it if nobody has waited
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;

    pid_t id() const { return id_; }
    void send(const std::string& text) const;  // to its standard input
    void close_input();
    // One line of its output, without the newline; empty at the end or after the time.
    std::string line(int timeout_ms);
    Ran wait(int timeout_ms);

private:
    bool fill(int timeout_ms);

    pid_t id_ = -1;
    int in_ = -1;
    int out_ = -1;
    int err_ = -1;
    Ran ran_;
    std::string pending_;
};

// An MCP session with a server that is running.
void start_session(Running& server);
// `arguments`: a JSON object.
std::string tool_call(int id, const std::string& tool, const std::string& arguments);
// A client of its own, which can be killed: a script for bash, followed by its name and the
// server's line. It hands on what it gets, line by line.
extern const char* const kClient;
std::vector<pid_t> children_of(pid_t process);

// How many tries a test makes: `few`, or `many` in the full run (PADDOCK_GATE_FULL).
long tries(long few, long many);

// For INSTANTIATE_TEST_SUITE_P.
inline std::string place_name(const ::testing::TestParamInfo<Place>& info) {
    return info.param.name;
}

class PlaceTest : public ::testing::TestWithParam<Place> {
protected:
    void SetUp() override {
        if (const std::string why = missing(GetParam()); !why.empty()) GTEST_SKIP() << why;
    }
};

}  // namespace gate
