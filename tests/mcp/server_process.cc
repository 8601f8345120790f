#include "mcp/server_process.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>

#include "json/parse.h"
#include "json/write.h"
#include "mcp/recorder.h"

namespace paddock::testing {

ServerProcess::ServerProcess(const std::string& root, std::vector<std::string> more,
                             const std::function<void()>& before) {
    std::signal(SIGPIPE, SIG_IGN);
    int in[2];
    int out[2];
    if (::pipe2(in, O_CLOEXEC) != 0 || ::pipe2(out, O_CLOEXEC) != 0) std::abort();
    std::vector<std::string> words{"paddock", "mcp", "--root", root};
    words.insert(words.end(), more.begin(), more.end());
    child_ = ::fork();
    if (child_ == 0) {
        ::dup2(in[0], 0);
        ::dup2(out[1], 1);
        std::signal(SIGPIPE, SIG_DFL);
        std::vector<char*> arguments;
        for (std::string& word : words) arguments.push_back(word.data());
        arguments.push_back(nullptr);
        if (before) before();
        ::execv(PADDOCK_BINARY, arguments.data());
        ::_exit(127);
    }
    ::close(in[0]);
    ::close(out[1]);
    input_ = UniqueFd(in[1]);
    output_ = UniqueFd(out[0]);
}

ServerProcess::~ServerProcess() {
    if (child_ < 0) return;
    ::kill(child_, SIGKILL);
    (void)wait();
}

void ServerProcess::send(std::string_view line) { send_raw(std::string(line) + '\n'); }

void ServerProcess::send_raw(std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t written = ::write(input_.get(), bytes.data(), bytes.size());
        if (written < 0) return;
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
}

int ServerProcess::request(std::string_view method, const json::Object& params) {
    const int id = ++last_id_;
    send(json::to_text(
        json::Object{{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", params}}));
    return id;
}

int ServerProcess::call(std::string_view tool, const json::Object& arguments,
                        const json::Object& more_params) {
    json::Object params = more_params;
    params["name"] = tool;
    params["arguments"] = arguments;
    return request("tools/call", params);
}

bool ServerProcess::fill() {
    std::array<char, 65536> block;
    const ssize_t got = ::read(output_.get(), block.data(), block.size());
    if (got <= 0) return false;
    received_.append(block.data(), static_cast<std::size_t>(got));
    return true;
}

json::Value ServerProcess::receive() {
    std::size_t end = 0;
    while ((end = received_.find('\n', searched_)) == received_.npos) {
        searched_ = received_.size();
        if (!fill()) {
            EXPECT_TRUE(received_.empty()) << "an unfinished line: " << received_;
            return {};
        }
    }
    const json::Parsed parsed = json::parse(std::string_view(received_).substr(0, end));
    EXPECT_EQ(parsed.problem, "") << received_.substr(0, end);
    received_.erase(0, end + 1);
    searched_ = 0;
    return parsed.value;
}

json::Value ServerProcess::answer_to(int id) {
    for (;;) {
        json::Value message = receive();
        if (message.is_null() || text_at(message, "id") == std::to_string(id)) return message;
    }
}

std::string ServerProcess::text_of(std::string_view tool, const json::Object& arguments) {
    const json::Value answer = answer_to(call(tool, arguments));
    EXPECT_TRUE(at(answer, "result.isError").is_null()) << tool << json::to_text(answer);
    const json::Value content = at(answer, "result.content");
    if (content.as_array() == nullptr || content.as_array()->empty()) {
        ADD_FAILURE() << tool << ": " << json::to_text(answer);
        return {};
    }
    std::string joined;
    for (const json::Value& block : *content.as_array()) {
        const json::Value text = at(block, "text");
        joined += text.as_string() == nullptr ? json::to_text(block) : *text.as_string();
    }
    return joined;
}

void ServerProcess::signal(int number) const { ::kill(child_, number); }

int ServerProcess::wait() {
    int status = 0;
    ::waitpid(child_, &status, 0);
    child_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 256 + WTERMSIG(status);
}

}  // namespace paddock::testing
