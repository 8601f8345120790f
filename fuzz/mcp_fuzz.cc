// Bytes as a client of the protocol: whatever they are, and however they are cut into parts, each
// request is answered once with its own id, or not at all if it was cancelled, and everything that
// is sent is a message.
//
// Bytes of 0x80 and above stand for pieces of messages, so that what comes by chance makes sense.
#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "json/parse.h"
#include "json/write.h"
#include "mcp/protocol.h"
#include "mcp/stdio.h"
#include "mcp/tool_host.h"

namespace {

using namespace paddock;
using namespace paddock::mcp;

constexpr std::array<std::string_view, 40> kPieces{
    "\n",
    R"({"jsonrpc":"2.0","id":1,"method":")",
    R"({"jsonrpc":"2.0","id":"1","method":")",
    R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":")",
    R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":)",
    R"({"jsonrpc":"2.0","id":1,"result":)",
    "initialize",
    "tools/list",
    "tools/call",
    "server/discover",
    "subscriptions/listen",
    "ping",
    "echo",
    "progress",
    "open",
    R"(","params":{)",
    R"("protocolVersion":"2025-11-25")",
    R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)",
    R"("io.modelcontextprotocol/clientCapabilities":{}})",
    R"("progressToken":)",
    R"(,"arguments":)",
    R"("notifications":{})",
    R"("cursor":)",
    "null",
    "true",
    "-1",
    "1e400",
    "9223372036854775808",
    "{",
    "}",
    "}}\n",
    "\"}\n",
    "[",
    "]",
    R"(\u0000)",
    R"(\ud800)",
    "\xff",
    "\"",
    ",",
    ":"};

std::string expanded(std::string_view bytes) {
    std::string text;
    for (const char byte : bytes) {
        const auto value = static_cast<unsigned char>(byte);
        if (value < 0x80) {
            text += byte;
        } else {
            text += kPieces[(value - 0x80U) % kPieces.size()];
        }
    }
    return text;
}

class Tools final : public ToolHost {
public:
    std::vector<std::string> list() const override {
        return {R"({"name":"echo"})", R"({"name":"progress"})", R"({"name":"open"})"};
    }
    const HostedTool* find(std::string_view name) const override {
        const auto tool = tools_.find(name);
        return tool == tools_.end() ? nullptr : &tool->second;
    }

private:
    static HostedTool tool(const std::string& name, tools::Pace pace) {
        const auto call = [name](const auto& context, const json::Value& arguments) {
            context->progress(1, {}, json::to_text(arguments));
            context->result("content", arguments);
            if (name == "progress") context->progress(2, 3.0, {});
            return name == "open" ? Handled::open() : Handled();
        };
        return {.call = call, .pace = pace};
    }

    const std::map<std::string, HostedTool, std::less<>> tools_{
        {"echo", tool("echo", tools::Pace::kQuick)},
        {"progress", tool("progress", tools::Pace::kWorking)},
        {"open", tool("open", tools::Pace::kWorking)}};
};

class Client final : public Peer {
public:
    void send(std::string message) override { take(message, false); }
    void finish(std::string message, int error) override {
        const json::Object object = take(message, true);
        PADDOCK_CHECK((object.find("error") != nullptr) == (error != 0));
        PADDOCK_CHECK((object.find("result") != nullptr) == (error == 0));
        const json::Value* id = object.find("id");
        ++answers[id == nullptr ? "" : json::to_text(*id)];
        ++ended;
    }
    void drop() override { ++ended; }

    std::map<std::string, int> answers;
    int ended = 0;
    std::string transcript;

private:
    json::Object take(const std::string& message, bool is_answer) {
        const json::Parsed parsed = json::parse(message);
        PADDOCK_CHECK(parsed.problem.empty() && parsed.value.as_object() != nullptr);
        PADDOCK_CHECK(message.find('\n') == message.npos);
        PADDOCK_CHECK((parsed.value.as_object()->find("method") == nullptr) == is_answer);
        transcript += message + '\n';
        return *parsed.value.as_object();
    }
};

std::string served(std::string_view text, std::size_t part) {
    Methods methods;
    add_tool_methods(methods, std::make_shared<Tools>(), 2);
    const Protocol protocol({"fuzz", "Fuzz", "1", "", {}}, std::move(methods));
    const auto client = std::make_shared<Client>();
    const Arrival arrival{std::make_shared<Conversation>(Transport::kStdio), client};
    std::vector<std::shared_ptr<RequestContext>> waiting;
    int expected = 0;
    std::map<std::string, int> asked;
    const auto take = [&](const LineBuffer::Line& line) {
        if (line.is_too_long) return;
        Message message = parse_message(line.text);
        if (message.kind == MessageKind::kRequest || message.kind == MessageKind::kInvalid) {
            ++expected;
            ++asked[message.id];
        }
        if (auto context = protocol.accept(std::move(message), arrival)) {
            PADDOCK_CHECK(asked.contains(context->id()));
            if (protocol.pace(*context) == tools::Pace::kQuick) return protocol.run(context);
            waiting.push_back(std::move(context));
        }
    };
    LineBuffer lines(4096);
    while (!text.empty()) {
        const std::span<char> room = lines.room();
        const std::size_t size = std::min({part, room.size(), text.size()});
        std::memcpy(room.data(), text.data(), size);
        lines.filled(size);
        text.remove_prefix(size);
        while (const auto line = lines.next()) take(*line);
    }
    if (const auto line = lines.rest()) take(*line);
    for (const auto& context : waiting) protocol.run(context);
    waiting.clear();  // those left open are answered now
    PADDOCK_CHECK(client->ended == expected);
    for (const auto& [id, count] : client->answers) PADDOCK_CHECK(count <= asked[id]);
    PADDOCK_CHECK(arrival.conversation->size() == 0);
    return client->transcript;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text = expanded({reinterpret_cast<const char*>(data), size});
    PADDOCK_CHECK(served(text, text.size() + 1) == served(text, 7));
    return 0;
}
