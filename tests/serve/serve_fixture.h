// A server on a workspace with one file, and what tests ask of it again and again.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>

#include <optional>
#include <string>

#include "serve/serve_process.h"
#include "testing/jail.h"

namespace paddock::testing {

// Prints "locked" and then holds a lock on a file of the workspace for as long as it lives.
inline constexpr const char* kHoldLock =
    R"({"command":"exec 9>held; flock 9; echo locked; sleep 100000"})";

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

    // Waits until nobody holds the lock any more.
    void await_end_of_holder() {
        const UniqueFd file(::open(ws("held").c_str(), O_RDONLY | O_CLOEXEC));
        ASSERT_TRUE(file.valid());
        EXPECT_EQ(::flock(file.get(), LOCK_EX), 0);
    }
    bool is_held() {
        const UniqueFd file(::open(ws("held").c_str(), O_RDONLY | O_CLOEXEC));
        return ::flock(file.get(), LOCK_EX | LOCK_NB) != 0;
    }

    std::optional<ServeProcess> server_;
};

}  // namespace paddock::testing
