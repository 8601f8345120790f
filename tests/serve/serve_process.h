// The real server of HTTP, and requests as its clients make them.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <paddock/unique_fd.h>

#include "net/client.h"

namespace paddock::testing {

inline constexpr std::string_view kToken = "a-token-for-the-tests-0123456789";

class ServeProcess {
public:
    // "paddock serve --root ROOT MORE...", on a free port of 127.0.0.1 unless `more` says where,
    // with kToken in its environment unless `variables` has another; waits until it listens or
    // ends. `before` is done in the process before the program starts.
    explicit ServeProcess(const std::string& root, std::vector<std::string> more = {},
                          std::map<std::string, std::string> variables = {},
                          void (*before)() = nullptr);
    ~ServeProcess();  // SIGKILL if it still runs
    ServeProcess(const ServeProcess&) = delete;
    ServeProcess& operator=(const ServeProcess&) = delete;

    std::uint16_t port() const { return port_; }
    const std::string& printed() const { return printed_; }  // up to the line that names the port
    pid_t id() const { return child_; }
    std::string read_line();
    void signal(int number) const;
    // Waits for its end: the exit code, or 256 and the number of the signal. All it printed since
    // is in printed().
    int wait();

private:
    pid_t child_ = -1;
    UniqueFd output_;
    std::string printed_;
    std::uint16_t port_ = 0;
};

// The headers of a good request, besides Host and Content-Length.
std::string usual_headers(std::string_view more = {});
// The same of the modern era.
std::string modern_headers(std::string_view method, std::string_view name = {});
// A request of the modern era; `params` are members of an object, without braces.
std::string modern_message(std::string_view method, std::string_view params = {});
std::string modern_call(std::string_view tool, std::string_view arguments,
                        std::string_view id = "1");

}  // namespace paddock::testing
