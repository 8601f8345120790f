// 'paddock serve' as its clients, its supervisor and web pages meet it.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <csignal>
#include <fstream>
#include <iterator>
#include <thread>

#include <paddock/limits.h>

#include "escape/child.h"
#include "net/certificate.h"
#include "net/tls_client.h"
#include "serve/serve_fixture.h"

namespace paddock::testing {
namespace {

const std::string kList = modern_message("tools/list");

TEST_F(Serve, answers_both_eras_on_one_path) {
    const std::string modern =
        ask(modern_call("read_file", R"({"path":"hello.txt","line_numbers":false})"));
    EXPECT_EQ(status_of(modern), 200U);
    EXPECT_NE(modern.find(R"("text":"hello\n")"), modern.npos) << modern;
    EXPECT_NE(modern.find(R"("resultType":"complete")"), modern.npos);
    EXPECT_NE(modern.find("Content-Type: application/json"), modern.npos);
    const std::string id = begin_session();
    const std::string legacy =
        ask(in_session(id, R"({"jsonrpc":"2.0","id":"a","method":"tools/list"})"));
    EXPECT_EQ(status_of(legacy), 200U);
    EXPECT_NE(legacy.find(R"("id":"a")"), legacy.npos);
    EXPECT_EQ(legacy.find("resultType"), legacy.npos);
}

TEST_F(Serve, asks_for_the_token_before_anything_else) {
    const std::string without =
        "Content-Type: application/json\r\n"
        "Accept: application/json, text/event-stream\r\n";
    const std::string refused = ask(post("/mcp", kList, without));
    EXPECT_EQ(status_of(refused), 401U);
    EXPECT_NE(refused.find("WWW-Authenticate: Bearer"), refused.npos);
    const std::string almost(kToken.substr(0, kToken.size() - 1));
    for (const std::string& wrong :
         {"Bearer " + almost, "Bearer " + almost + "x", "Bearer " + std::string(kToken) + "x",
          std::string("Bearer "), std::string("Basic ") + std::string(kToken)}) {
        EXPECT_EQ(status(post("/mcp", kList, without + "Authorization: " + wrong + "\r\n")), 401U)
            << wrong;
    }
    EXPECT_EQ(status(get("/mcp")), 401U);
    EXPECT_EQ(status(get("/secret")), 404U);
    EXPECT_EQ(status(post("/mcp", kList, modern_headers("tools/list"))), 200U);
}

// A body of 10 MB is announced, and none of it has to be sent to be told no.
TEST_F(Serve, takes_no_body_without_the_token) {
    EXPECT_EQ(status("POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10000000\r\n\r\n"),
              401U);
}

TEST_F(Serve, keeps_web_pages_out) {
    const std::string good = modern_headers("tools/list");
    const auto with = [&](const std::string& header) {
        return status(post("/mcp", kList, good + header));
    };
    EXPECT_EQ(with("Origin: http://evil.example\r\n"), 403U);
    EXPECT_EQ(with("Origin: null\r\n"), 403U);
    EXPECT_EQ(with("Origin: http://localhost.evil.example\r\n"), 403U);
    EXPECT_EQ(with("Origin: http://[::1].evil.example\r\n"), 403U);
    EXPECT_EQ(with("Origin: http://localhost:3000\r\n"), 200U);
    EXPECT_EQ(with("Origin: http://[::1]:3000\r\n"), 200U);
    for (const std::string path : {"/mcp", "/healthz", "/readyz"}) {
        EXPECT_EQ(status("GET " + path + " HTTP/1.1\r\nHost: evil.example\r\n\r\n"), 403U);
    }
    EXPECT_EQ(status("GET /healthz HTTP/1.1\r\nHost: 127.0.0.1.evil.example:80\r\n\r\n"), 403U);
    EXPECT_EQ(status("GET /healthz HTTP/1.1\r\nHost: [::1].evil.example\r\n\r\n"), 403U);
    EXPECT_EQ(status("GET /healthz HTTP/1.1\r\nHost: [::1]:80\r\n\r\n"), 200U);
}

// What a proxy might have judged by the other one.
TEST_F(Serve, headers_that_can_be_there_once_only_are_refused_twice) {
    const std::string good = modern_headers("tools/list");
    for (const std::string& twice :
         {"Authorization: Bearer " + std::string(kToken) + "\r\n", std::string("Origin: null\r\n"),
          std::string("Content-Type: application/json\r\n"),
          std::string("Mcp-Session-Id: " + begin_session() + "\r\n")}) {
        const std::string answer = ask(post("/mcp", kList, good + twice + twice));
        EXPECT_EQ(status_of(answer), 400U) << answer;
        EXPECT_NE(answer.find(twice.substr(0, twice.find(':')) + " is given more than once"),
                  answer.npos)
            << answer;
    }
    const std::string version = "MCP-Protocol-Version: 2025-06-18\r\n";
    const std::string session = usual_headers("Mcp-Session-Id: " + begin_session() + "\r\n");
    const std::string ping = R"({"jsonrpc":"2.0","id":1,"method":"ping"})";
    EXPECT_EQ(status(post("/mcp", ping, session + version)), 200U);
    EXPECT_EQ(status(post("/mcp", ping, session + version + version)), 400U);
}

// Supervisors ask like this, browsers never do.
TEST_F(Serve, a_request_of_http_1_0_needs_no_host) {
    EXPECT_EQ(status("GET /healthz HTTP/1.0\r\n\r\n"), 200U);
    EXPECT_EQ(status("GET /healthz HTTP/1.0\r\nHost: evil.example\r\n\r\n"), 403U);
    EXPECT_EQ(status("GET /healthz HTTP/1.1\r\n\r\n"), 400U);
}

TEST_F(Serve, lets_in_whom_the_operator_names) {
    server_.emplace(ws(), std::vector<std::string>{"--allow-server-name", "agents.example",
                                                   "--allow-origin", "https://tools.example"});
    const std::string page = "Origin: https://tools.example\r\n";
    const std::string preflight = ask("OPTIONS /mcp HTTP/1.1\r\nHost: agents.example\r\n" + page +
                                      "Access-Control-Request-Method: POST\r\n\r\n");
    EXPECT_EQ(status_of(preflight), 204U);
    EXPECT_NE(preflight.find("Access-Control-Allow-Origin: https://tools.example\r\n"),
              preflight.npos);
    EXPECT_NE(ask(post("/mcp", kList, modern_headers("tools/list") + page))
                  .find("Access-Control-Allow-Origin: https://tools.example\r\n"),
              std::string::npos);
    EXPECT_EQ(status(post("/mcp", kList,
                          modern_headers("tools/list") + "Origin: https://other.example\r\n")),
              403U);
}

TEST_F(Serve, wants_json_and_both_forms_of_an_answer) {
    const std::string token = "Authorization: Bearer " + std::string(kToken) + "\r\n";
    const std::string json = "Content-Type: application/json\r\n";
    EXPECT_EQ(status(post("/mcp", kList, token + json)), 406U);
    EXPECT_EQ(status(post("/mcp", kList, token + json + "Accept: application/json\r\n")), 406U);
    EXPECT_EQ(status(post("/mcp", kList, token + "Content-Type: text/plain\r\nAccept: */*\r\n")),
              415U);
    EXPECT_EQ(status(get("/mcp", usual_headers())), 405U);
    EXPECT_EQ(status("PUT /mcp HTTP/1.1\r\nHost: localhost\r\n" + usual_headers() + "\r\n"), 405U);
    EXPECT_EQ(status(post("/mcp", "{", usual_headers())), 400U);
    EXPECT_EQ(status(post("/mcp", "[]", usual_headers())), 400U);
}

TEST_F(Serve, compares_the_headers_of_the_modern_era_with_the_message) {
    const auto answer = [&](const std::string& headers, const std::string& body) {
        return ask(post("/mcp", body, headers));
    };
    const std::string call =
        modern_message("tools/call", R"("name":"read_file","arguments":{"path":"hello.txt"})");
    for (const std::string& headers :
         {usual_headers(), modern_headers("tools/list"), modern_headers("tools/call"),
          modern_headers("tools/call", "write_file"),
          modern_headers("tools/call", "=?base64?cmVhZF9maWxl=?=")}) {
        const std::string refused = answer(headers, call);
        EXPECT_EQ(status_of(refused), 400U) << headers;
        EXPECT_NE(refused.find("-32020"), refused.npos) << refused;
        EXPECT_NE(refused.find(R"("id":1)"), refused.npos) << refused;
    }
    EXPECT_EQ(status_of(answer(modern_headers("tools/call", "read_file"), call)), 200U);
    EXPECT_EQ(status_of(answer(modern_headers("tools/call", "=?base64?cmVhZF9maWxl?="), call)),
              200U);
    EXPECT_EQ(status_of(answer(modern_headers("ping"), modern_message("ping"))), 404U);
    EXPECT_EQ(status_of(answer(modern_headers("tools/list"),
                               R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})")),
              400U);
    EXPECT_EQ(status("DELETE /mcp HTTP/1.1\r\nHost: localhost\r\n" + modern_headers("x") + "\r\n"),
              405U);
}

TEST_F(Serve, sessions_begin_and_end) {
    const std::string ping = R"({"jsonrpc":"2.0","id":7,"method":"ping"})";
    EXPECT_EQ(status(post("/mcp", ping, usual_headers())), 400U);
    EXPECT_EQ(status(in_session("0123456789", ping)), 404U);
    const std::string id = begin_session();
    EXPECT_NE(begin_session(), id);
    EXPECT_EQ(status(in_session(id, ping)), 200U);
    EXPECT_EQ(status(in_session(id, R"({"jsonrpc":"2.0","method":"notifications/initialized"})")),
              202U);
    EXPECT_EQ(status(post("/mcp", ping,
                          usual_headers("Mcp-Session-Id: " + id +
                                        "\r\nMCP-Protocol-Version: 1999-01-01\r\n"))),
              400U);
    const std::string end = "DELETE /mcp HTTP/1.1\r\nHost: localhost\r\nMcp-Session-Id: " + id +
                            "\r\n" + usual_headers() + "\r\n";
    EXPECT_EQ(status(end), 200U);
    EXPECT_EQ(status(end), 404U);
    EXPECT_EQ(status(in_session(id, ping)), 404U);
}

// What one request has read, another may change: the state is the token's, not the connection's.
TEST_F(Serve, reads_count_on_every_connection_of_the_token) {
    const std::string edit = R"({"path":"hello.txt","old_string":"hello","new_string":"bye"})";
    EXPECT_NE(ask(modern_call("edit_file", edit)).find("not_read"), std::string::npos);
    ask(modern_call("read_file", R"({"path":"hello.txt"})"));
    const std::string changed = ask(modern_call("edit_file", edit));
    EXPECT_EQ(os_read(ws("hello.txt")), "bye") << changed;
}

TEST_F(Serve, closing_the_stream_cancels_in_the_modern_era) {
    NEEDS_BASH();
    Client client(server().port());
    client.send(modern_call("bash", hold_lock()));
    const std::string head = client.read_until("\r\n\r\n");
    EXPECT_NE(head.find("Content-Type: text/event-stream"), head.npos);
    while (!is_held()) {
    }
    client.close();
    await_end_of_holder();
    EXPECT_EQ(status(get("/healthz")), 200U);
}

TEST_F(Serve, closing_the_stream_is_no_cancellation_in_the_legacy_era) {
    NEEDS_BASH();
    const std::string id = begin_session();
    {
        Client client(server().port());
        client.send(in_session(
            id, R"({"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"bash",)"
                R"("arguments":)" +
                    hold_lock() + "}}"));
        client.read_until("\r\n\r\n");
        while (!is_held()) {
        }
    }
    // Another request of the session is served meanwhile, so the end of the stream was seen.
    EXPECT_EQ(status(in_session(id, R"({"jsonrpc":"2.0","id":6,"method":"ping"})")), 200U);
    EXPECT_TRUE(is_held());
    EXPECT_EQ(status(in_session(id, R"({"jsonrpc":"2.0","method":"notifications/cancelled",)"
                                    R"("params":{"requestId":5}})")),
              202U);
    await_end_of_holder();
}

// As many commands as run at once, each on a connection of its own, and another client beside them.
TEST_F(Serve, long_commands_hold_up_no_other_client) {
    NEEDS_BASH();
    os_write(ws("gate"), "");
    const UniqueFd gate(::open(ws("gate").c_str(), O_RDONLY | O_CLOEXEC));
    ASSERT_EQ(::flock(gate.get(), LOCK_EX), 0);
    std::vector<Client> clients;
    for (std::size_t i = 0; i < limits::kMcpCommandsMax; ++i) {
        clients.emplace_back(server().port());
        const std::string name = "begun" + std::to_string(i);
        clients.back().send(
            modern_call("bash", R"({"command":"exec 9<gate; touch )" + name +
                                    R"(; flock -s 9; echo released","timeout_ms":600000})"));
        while (!os_exists(ws(name))) std::this_thread::yield();
    }
    EXPECT_NE(ask(modern_call("grep", R"({"pattern":"hello"})")).find("hello.txt"),
              std::string::npos);
    ask(modern_call("read_file", R"({"path":"hello.txt"})"));
    ask(modern_call("edit_file",
                    R"({"path":"hello.txt","old_string":"hello","new_string":"bye"})"));
    EXPECT_EQ(os_read(ws("hello.txt")), "bye");
    ASSERT_EQ(::flock(gate.get(), LOCK_UN), 0);
    for (Client& client : clients) {
        EXPECT_NE(client.read_until("0\r\n\r\n").find("released"), std::string::npos);
    }
}

TEST_F(Serve, sigterm_finishes_what_is_under_way) {
    NEEDS_BASH();
    Client client(server().port());
    client.send(modern_call(
        "bash", R"({"command":"touch begun; until [ -e go ]; do :; done; echo over"})"));
    client.read_until("\r\n\r\n");
    while (!os_exists(ws("begun"))) {
    }
    server().signal(SIGTERM);
    while (Client(server().port()).is_connected()) {
    }
    os_write(ws("go"), "");
    EXPECT_NE(client.read_all().find("over"), std::string::npos);
    client.close();
    EXPECT_EQ(server().wait(), 0);
}

TEST_F(Serve, issue_17_12_goes_on_after_sigpipe) {
    server().signal(SIGPIPE);
    EXPECT_EQ(status(get("/healthz")), 200U);
    server().signal(SIGTERM);
    EXPECT_EQ(server().wait(), 0);
}

TEST_F(Serve, sigterm_does_not_wait_for_ever) {
    server_.emplace(ws(), std::vector<std::string>{"--serve-drain-ms", "50"});
    NEEDS_BASH();
    Client client(server().port());
    client.send(modern_call("bash", hold_lock()));
    client.read_until("\r\n\r\n");
    while (!is_held()) {
    }
    server().signal(SIGTERM);
    EXPECT_EQ(server().wait(), 0);
    await_end_of_holder();
}

TEST_F(Serve, a_token_is_made_and_shown_once) {
    server_.emplace(ws(), std::vector<std::string>{},
                    std::map<std::string, std::string>{{"PADDOCK_TOKEN", ""}});
    const std::string line = server().read_line();
    const std::size_t at = line.find(": ");
    ASSERT_NE(at, line.npos) << line;
    const std::string token = line.substr(at + 2, line.size() - at - 3);
    EXPECT_EQ(token.size(), 64U);
    std::string request = post("/mcp", kList, modern_headers("tools/list"));
    request.replace(request.find(kToken), kToken.size(), token);
    EXPECT_EQ(status(request), 200U);
    server().signal(SIGTERM);
    EXPECT_EQ(server().wait(), 0);
    EXPECT_EQ(server().printed().find(token), std::string::npos);
}

TEST_F(Serve, a_token_of_a_file_is_nowhere_to_be_seen) {
    os_write(base() + "/token", "the-token-of-a-file-9876543210\n");
    ASSERT_EQ(::chmod((base() + "/token").c_str(), 0640), 0);
    os_write(ws("a"), "the-token-of-a-file-9876543210");
    server_.emplace(ws(), std::vector<std::string>{"--token-file", base() + "/token"},
                    std::map<std::string, std::string>{{"PADDOCK_TOKEN", ""}});
    std::string request = modern_call("read_file", R"({"path":"a"})");
    request.replace(request.find(kToken), kToken.size(), "the-token-of-a-file-9876543210");
    const std::string answer = ask(request);
    EXPECT_EQ(status_of(answer), 200U);
    EXPECT_NE(answer.find("REDACTED"), answer.npos) << answer;
    EXPECT_EQ(answer.find("9876543210"), answer.npos) << "not even to those who have it";
    std::ifstream file("/proc/" + std::to_string(server().id()) + "/cmdline");
    const std::string cmdline{std::istreambuf_iterator<char>(file), {}};
    EXPECT_NE(cmdline.find("serve"), cmdline.npos);
    EXPECT_EQ(cmdline.find("9876543210"), cmdline.npos);
    EXPECT_EQ(server().printed().find("9876543210"), std::string::npos);
}

TEST_F(Serve, refuses_what_would_be_unsafe) {
    using Variables = std::map<std::string, std::string>;
    const auto refused = [&](std::vector<std::string> more, const std::string& why,
                             Variables variables = {}) {
        ServeProcess process(ws(), std::move(more), std::move(variables));
        EXPECT_EQ(process.port(), 0) << process.printed();
        EXPECT_NE(process.wait(), 0);
        EXPECT_NE(process.printed().find(why), std::string::npos) << process.printed();
        EXPECT_EQ(process.printed().find("tooshort"), std::string::npos);
    };
    refused({"--listen", "0.0.0.0:0"}, "read the traffic");
    refused({"--listen", "[::]:0"}, "read the traffic");
    refused({"--listen", "8080"}, "ADDRESS:PORT");
    refused({"--listen", "::1:8080"}, "ADDRESS:PORT");
    refused({"--tls-cert", "x"}, "together");
    refused({"--token-file", base() + "/none"}, "not_found");
    refused({}, "no valid token", {{"PADDOCK_TOKEN", "tooshort"}});
    const std::string none = base() + "/none";
    refused({"--tls-cert", none, "--tls-key", none},
            "not_found: certificate file '" + none + "': does not exist");
    for (const unsigned mode : {0604U, 0602U, 0620U}) {
        os_write(base() + "/token", std::string(kToken));
        ASSERT_EQ(::chmod((base() + "/token").c_str(), mode), 0);
        refused({"--token-file", base() + "/token"}, "can be read or written by others");
    }
    refused({"--listen", "127.0.0.1:" + std::to_string(server().port())},
            "the address is in use. Choose another, or remove what is there first.\n");
    refused({"--listen", "example.org:0", "--allow-plaintext", "a test"}, "must be numeric");
}

// An address that is spelled so that it does not count as the loopback, and is it all the same.
TEST_F(Serve, other_machines_get_no_plain_text_unless_the_operator_says_why) {
    const std::string address = "[::ffff:127.0.0.1]:0";
    EXPECT_NE(ServeProcess(ws(), {"--listen", address}).wait(), 0);
    server_.emplace(ws(), std::vector<std::string>{"--listen", address, "--allow-plaintext",
                                                   "a test on one machine"});
    EXPECT_EQ(status(post("/mcp", kList, modern_headers("tools/list"))), 200U)
        << server().printed();
}

TEST_F(Serve, localhost_is_the_loopback) {
    server_.emplace(ws(), std::vector<std::string>{"--listen", "localhost:0"});
    EXPECT_NE(server().port(), 0) << server().printed();
}

TEST_F(Serve, speaks_tls) {
    ASSERT_TRUE(make_certificate(base() + "/crt", base() + "/key"));
    server_.emplace(ws(), std::vector<std::string>{"--tls-cert", base() + "/crt", "--tls-key",
                                                   base() + "/key"});
    EXPECT_NE(server().printed().find("https://"), std::string::npos);
    TlsClient client(server().port(), base() + "/crt");
    ASSERT_TRUE(client.is_connected());
    client.send(post("/mcp", kList, modern_headers("tools/list")));
    EXPECT_EQ(status_of(client.read_until("read_file")), 200U);
    Client plain(server().port());
    plain.send(get("/healthz"));
    EXPECT_EQ(plain.read_all().find("200"), std::string::npos);
}

// Wall two: the process itself can no longer open what lies outside (tests of cli::confine_to show
// what that is).
TEST_F(Serve, is_confined_before_the_first_request) {
    std::ifstream file("/proc/" + std::to_string(server().id()) + "/status");
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    EXPECT_NE(text.find("NoNewPrivs:\t1"), text.npos);
}

TEST_F(Serve, does_not_serve_unconfined) {
    const auto without_landlock = [] {
        constexpr long kRestrictSelf = 446;
        if (!filter_calls({{kRestrictSelf, {}, SECCOMP_RET_ERRNO | ENOSYS}})) ::_exit(126);
    };
    ServeProcess refused(ws(), {"--no-bash"}, {}, without_landlock);
    EXPECT_EQ(refused.port(), 0);
    EXPECT_EQ(refused.wait(), 1);
    EXPECT_NE(refused.printed().find("sandbox_unavailable"), std::string::npos)
        << refused.printed();
}

TEST_F(Serve, tells_a_supervisor_how_it_is) {
    EXPECT_EQ(body_of(ask(get("/healthz"))), "ok\n");
    EXPECT_EQ(body_of(ask(get("/readyz"))), "ready\n");
    EXPECT_EQ(status(post("/healthz", "")), 405U);
}

}  // namespace
}  // namespace paddock::testing
