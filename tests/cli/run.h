// Runs the real binary and collects what it says.
#pragma once

#include <sys/types.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/value.hpp>

namespace paddock::testing {

struct Ran {
    int exit_code = -1;  // -1: ended by `signal`
    int signal = 0;
    std::string out;
    std::string err;

    // Standard output as JSON; a test failure and null if it is none.
    boost::json::value json() const;
};

struct Setting {
    std::string directory = {};                         // to start in; empty: this process's
    std::map<std::string, std::string> variables = {};  // set on top of the environment
    std::string output = {};  // file for standard output instead of Ran::out
    std::string input = {};   // standard input, no more than a pipe holds
    bool terminal = false;    // a terminal of its own for both outputs, all in Ran::out
};

// Why the binary cannot be run here (another user's build folder); empty if it can.
std::string cannot_run();

// A started binary. Must be waited for.
class Process {
public:
    explicit Process(const std::vector<std::string>& arguments, const Setting& setting = {});
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;

    pid_t id() const { return id_; }
    std::string err_until(std::string_view mark);  // what it says up to there, or to its end
    Ran wait();

private:
    pid_t id_ = -1;
    int out_ = -1;
    int err_ = -1;
    std::string early_err_;
};

// A JSON string; a test failure and "" if it is none.
std::string text_of(const boost::json::value& value);

Ran paddock(const std::vector<std::string>& arguments, const Setting& setting = {});

}  // namespace paddock::testing
