// A server on a workspace with one file, and what tests ask of it again and again.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "serve/serve_process.h"
#include "testing/jail.h"
#include "testing/lock_holder.h"

namespace paddock::testing {

class Serve : public Jail {
protected:
    ServeProcess& server() {
        if (!server_) {
            os_write(ws("hello.txt"), "hello");
            server_.emplace(ws());
        }
        return *server_;
    }

    std::string ask(const std::string& request) {
        Client client(server().port());
        client.send(request);
        return client.read_response();
    }
    unsigned status(const std::string& request) { return status_of(ask(request)); }

    // The id of a new session of the legacy era.
    std::string begin_session() {
        const std::string response =
            ask(post("/mcp",
                     R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":)"
                     R"("2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}})",
                     usual_headers()));
        EXPECT_EQ(status_of(response), 200U) << response;
        const std::size_t at = response.find("Mcp-Session-Id: ") + 16;
        return response.substr(at, response.find("\r\n", at) - at);
    }
    static std::string in_session(const std::string& id, const std::string& body) {
        return post("/mcp", body, usual_headers("Mcp-Session-Id: " + id + "\r\n"));
    }

    // The arguments of bash for a command that holds a lock, see lock_holder.h.
    static std::string hold_lock() { return R"({"command":")" + std::string(kHoldLock) + "\"}"; }
    bool is_held() { return testing::is_held(ws("held")); }
    void await_end_of_holder() { testing::await_end_of_holder(ws("held")); }

    bool has_bash() {
        return ask(modern_call("bash", R"({"command":"true"})")).find("sandbox_unavailable") ==
               std::string::npos;
    }

    std::optional<ServeProcess> server_;
};

}  // namespace paddock::testing
