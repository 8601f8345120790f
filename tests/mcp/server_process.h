// The real server on its pipes, as an agent starts it.
#pragma once

#include <gtest/gtest.h>
#include <sys/types.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <paddock/unique_fd.h>

#include "json/value.h"

namespace paddock::testing {

class ServerProcess {
public:
    // `before` runs in the child just before the program.
    explicit ServerProcess(const std::string& root, std::vector<std::string> more = {},
                           const std::function<void()>& before = {});
    ~ServerProcess();  // SIGKILL if it still runs
    ServerProcess(const ServerProcess&) = delete;
    ServerProcess& operator=(const ServerProcess&) = delete;

    void send(std::string_view line);  // the line end is added
    void send_raw(std::string_view bytes);
    // Sends a request and returns its id.
    int request(std::string_view method, const json::Object& params = {});
    int call(std::string_view tool, const json::Object& arguments,
             const json::Object& more_params = {});

    // The next message; null: the output has ended.
    json::Value receive();
    // The answer to that request; other messages are passed over.
    json::Value answer_to(int id);
    // The blocks of a tool's answer one after the other, those without text as JSON; fails the test
    // if it is an error.
    std::string text_of(std::string_view tool, const json::Object& arguments);

    void close_input() { input_.reset(); }
    void close_output() { output_.reset(); }
    void signal(int number) const;
    // Waits for its end: the exit code, or 256 and the number of the signal.
    int wait();
    pid_t id() const { return child_; }
    int input() const { return input_.get(); }

private:
    bool fill();

    pid_t child_ = -1;
    UniqueFd input_;
    UniqueFd output_;
    std::string received_;
    std::size_t searched_ = 0;
    int last_id_ = 0;
};

}  // namespace paddock::testing
