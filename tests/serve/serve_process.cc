#include "serve/serve_process.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>

namespace paddock::testing {

ServeProcess::ServeProcess(const std::string& root, std::vector<std::string> more,
                           std::map<std::string, std::string> variables, void (*before)()) {
    int out[2];
    if (::pipe2(out, O_CLOEXEC) != 0) std::abort();
    std::vector<std::string> words{"paddock", "serve", "--root", root};
    if (std::find(more.begin(), more.end(), "--listen") == more.end()) {
        more.insert(more.end(), {"--listen", "127.0.0.1:0"});
    }
    words.insert(words.end(), more.begin(), more.end());
    variables.emplace("PADDOCK_TOKEN", kToken);
    variables.emplace("PADDOCK_CONFIG", "/dev/null");
    variables.emplace("XDG_STATE_HOME", "/dev/null");
    child_ = ::fork();
    if (child_ == 0) {
        ::dup2(out[1], 1);
        ::dup2(out[1], 2);
        for (const auto& [name, value] : variables) {
            ::setenv(name.c_str(), value.c_str(), 1);
        }
        std::vector<char*> arguments;
        for (std::string& word : words) arguments.push_back(word.data());
        arguments.push_back(nullptr);
        if (before != nullptr) before();
        ::execv(PADDOCK_BINARY, arguments.data());
        ::_exit(127);
    }
    ::close(out[1]);
    output_ = UniqueFd(out[0]);
    for (std::string line; !(line = read_line()).empty();) {
        printed_ += line;
        if (!line.starts_with("Listening on ")) continue;
        const std::size_t at = line.rfind(':') + 1;
        port_ = static_cast<std::uint16_t>(std::strtoul(line.c_str() + at, nullptr, 10));
        break;
    }
}

ServeProcess::~ServeProcess() {
    if (child_ < 0) return;
    ::kill(child_, SIGKILL);
    (void)wait();
}

std::string ServeProcess::read_line() {
    std::string line;
    for (char byte = 0; ::read(output_.get(), &byte, 1) == 1;) {
        line += byte;
        if (byte == '\n') break;
    }
    return line;
}

void ServeProcess::signal(int number) const { ::kill(child_, number); }

int ServeProcess::wait() {
    for (std::string line; !(line = read_line()).empty();) printed_ += line;
    int status = 0;
    ::waitpid(std::exchange(child_, -1), &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 256 + WTERMSIG(status);
}

std::string usual_headers(std::string_view more) {
    return "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
           "Authorization: Bearer " +
           std::string(kToken) + "\r\n" + std::string(more);
}

std::string modern_headers(std::string_view method, std::string_view name) {
    std::string more = "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: " + std::string(method);
    if (!name.empty()) more += "\r\nMcp-Name: " + std::string(name);
    return usual_headers(more + "\r\n");
}

std::string modern_message(std::string_view method, std::string_view params) {
    return R"({"jsonrpc":"2.0","id":1,"method":")" + std::string(method) + R"(","params":{)" +
           std::string(params) + (params.empty() ? "" : ",") +
           R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)" +
           R"("io.modelcontextprotocol/clientCapabilities":{}}}})";
}

std::string modern_call(std::string_view tool, std::string_view arguments, std::string_view id) {
    std::string body =
        modern_message("tools/call", R"("name":")" + std::string(tool) + R"(","arguments":)" +
                                         std::string(arguments));
    body.replace(body.find(R"("id":1)"), 6, R"("id":)" + std::string(id));
    return post("/mcp", body, modern_headers("tools/call", tool));
}

}  // namespace paddock::testing
