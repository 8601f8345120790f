// The fixture on a free port of the loopback: prints its URL, and ends with its input.
#include <unistd.h>

#include <cstdio>

#include "conformance/fixture.h"
#include "daemon/http_endpoint.h"
#include "mcp/protocol.h"
#include "net/server.h"

int main() {
    using namespace paddock;
    conformance::Listeners listeners;
    std::vector<conformance::Tool> tools = conformance::plain_tools(listeners);
    for (auto& more : {conformance::asking_tools(), conformance::input_tools()}) {
        tools.insert(tools.end(), more.begin(), more.end());
    }
    mcp::Methods methods;
    mcp::add_tool_methods(methods, std::make_shared<conformance::FixtureTools>(std::move(tools)),
                          100);
    conformance::add_resources(methods);
    conformance::add_prompts(methods);
    methods.add("subscriptions/listen",
                {.run = [&](const auto& context) { return listeners.listen(context); },
                 .eras = mcp::Eras::kModern});
    mcp::ServerInfo info{.name = "paddock-conformance-fixture",
                         .title = "Conformance fixture",
                         .version = "1",
                         .instructions = "Only for tests."};
    const json::Value capabilities = conformance::parsed(
        R"({"tools":{"listChanged":true},"prompts":{"listChanged":true},
            "resources":{"subscribe":true},"logging":{},"completions":{}})");
    info.capabilities = *capabilities.as_object();
    const mcp::Protocol protocol(std::move(info), std::move(methods));
    daemon::HttpEndpoint endpoint(protocol, {});
    auto server = net::Server::listen({});
    if (!server) return 1;
    server->start(endpoint.handlers());
    std::printf("http://localhost:%u/mcp\n", server->port());
    std::fflush(stdout);
    char byte = 0;
    while (::read(STDIN_FILENO, &byte, 1) > 0) {
    }
    endpoint.prepare_to_end();
    server->stop(std::chrono::milliseconds(0));
    endpoint.end(std::chrono::milliseconds(0));
    std::_Exit(0);
}
