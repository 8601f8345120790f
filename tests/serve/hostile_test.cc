// What clients of 'paddock serve' send that they should not, or not in this order.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>

#include <thread>
#include <vector>

#include "fault/budget.h"
#include "serve/serve_fixture.h"
#include "testing/process_status.h"

namespace paddock::testing {
namespace {

using Words = std::vector<std::string>;

class ServeHostile : public Serve {
protected:
    std::string message(const std::string& body) {
        return ask(post("/mcp", body, modern_headers("tools/list")));
    }
};

TEST_F(ServeHostile, bodies_that_are_no_message_are_refused_with_a_reason) {
    const std::string deep(100'000, '[');
    struct Case {
        std::string body;
        const char* code;
    };
    const std::string list = modern_message("tools/list");
    for (const Case& wrong :
         {Case{"garbage", "-32700"}, Case{"", "-32700"}, Case{list.substr(0, 40), "-32700"},
          Case{std::string("\xff\xfe\0", 3), "-32700"}, Case{deep, "-32700"},
          Case{R"({"jsonrpc":"2.0","id":1,"method":"ping","params":)" + deep, "-32700"},
          Case{R"({"jsonrpc":"2.0","id":1,"id":1,"method":"ping"})", "-32700"},
          Case{"[" + list + "]", "-32600"}, Case{"5", "-32600"},
          Case{R"({"jsonrpc":"1.0","id":1,"method":"ping"})", "-32600"}}) {
        const std::string answer = message(wrong.body);
        EXPECT_EQ(status_of(answer), 400U) << wrong.body.substr(0, 80);
        EXPECT_NE(answer.find(wrong.code), answer.npos) << answer;
    }
    EXPECT_EQ(status_of(message(list)), 200U);
}

TEST_F(ServeHostile, issue_17_11_broken_json_is_answered_with_its_id) {
    const std::string answer =
        message(R"({"method":"tools/list","params":{"x":"\ud83d"},"jsonrpc":"2.0","id":77})");
    EXPECT_EQ(status_of(answer), 400U);
    EXPECT_NE(answer.find(R"("id":77)"), answer.npos) << answer;
}

TEST_F(ServeHostile, a_hundred_megabytes_are_not_held) {
    EXPECT_EQ(status_of(message(modern_message("tools/list"))), 200U);
    const std::size_t before = status_kb(server().id(), "VmHWM");
    Client client(server().port());
    client.send("POST /mcp HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n" +
                modern_headers("tools/list") + "\r\n");
    const std::string megabyte = "100000\r\n" + std::string(0x100000, ' ') + "\r\n";
    int sent = 0;
    while (sent < 100 && client.send(megabyte)) ++sent;
    EXPECT_LT(sent, 100);
    // A sanitizer's own memory counts, too.
    if (!kSanitized) {
        EXPECT_LT(status_kb(server().id(), "VmHWM"), before + 64'000);
    }
    EXPECT_EQ(status(get("/healthz")), 200U);
}

// Ids are the client's: two clients may use the same one at the same time, and each hears its own.
TEST_F(ServeHostile, the_same_id_on_two_connections_is_two_requests) {
    NEEDS_BASH();
    tree({"ROOT/gate=", "ROOT/a.txt=alpha", "ROOT/b.txt=beta"});
    const UniqueFd gate(::open(ws("gate").c_str(), O_RDONLY | O_CLOEXEC));
    ASSERT_EQ(::flock(gate.get(), LOCK_EX), 0);
    const auto command = [](const std::string& file) {
        return modern_call("bash", R"({"command":"exec 9<gate; touch )" + file +
                                       ".begun; flock -s 9; cat " + file + R"("})");
    };
    Client first(server().port());
    Client second(server().port());
    first.send(command("a.txt"));
    second.send(command("b.txt"));
    while (!os_exists(ws("a.txt.begun")) || !os_exists(ws("b.txt.begun"))) {
        std::this_thread::yield();
    }
    ASSERT_EQ(::flock(gate.get(), LOCK_UN), 0);
    const std::string alpha = first.read_response();
    const std::string beta = second.read_response();
    EXPECT_NE(alpha.find("alpha"), alpha.npos) << alpha;
    EXPECT_EQ(alpha.find("beta"), alpha.npos) << alpha;
    EXPECT_NE(beta.find("beta"), beta.npos) << beta;
    EXPECT_EQ(beta.find("alpha"), beta.npos) << beta;
}

TEST_F(ServeHostile, an_id_in_use_in_a_session_is_refused_and_the_first_one_goes_on) {
    NEEDS_BASH();
    const std::string id = begin_session();
    const auto call = [&](const std::string& tool, const std::string& arguments) {
        return in_session(
            id, R"({"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":")" + tool +
                    R"(","arguments":)" + arguments + "}}");
    };
    Client first(server().port());
    first.send(call("bash", hold_lock()));
    while (!is_held()) std::this_thread::yield();
    const std::string refused = ask(call("glob", R"({"pattern":"*"})"));
    EXPECT_NE(refused.find("-32600"), refused.npos) << refused;
    EXPECT_TRUE(is_held());
    // Another session has ids of its own.
    EXPECT_EQ(
        status(in_session(begin_session(), R"({"jsonrpc":"2.0","id":5,"method":"tools/list"})")),
        200U);
    EXPECT_EQ(status(in_session(id, R"({"jsonrpc":"2.0","method":"notifications/cancelled",)"
                                    R"("params":{"requestId":5}})")),
              202U);
    await_end_of_holder();
    // Free again.
    EXPECT_NE(ask(call("glob", R"({"pattern":"*"})")).find("hello.txt"), std::string::npos);
}

// What should come later comes first, or twice.
TEST_F(ServeHostile, messages_in_a_strange_order) {
    const std::string id = begin_session();
    const std::string cancel = R"({"jsonrpc":"2.0","method":"notifications/cancelled",)"
                               R"("params":{"requestId":9}})";
    const std::string initialized = R"({"jsonrpc":"2.0","method":"notifications/initialized"})";
    EXPECT_EQ(status(in_session(id, cancel)), 202U);
    EXPECT_EQ(status(in_session(id, R"({"jsonrpc":"2.0","id":9,"result":{}})")), 202U);
    EXPECT_NE(
        ask(in_session(id, R"({"jsonrpc":"2.0","id":9,"method":"tools/list"})")).find("read_file"),
        std::string::npos)
        << "a cancellation is of what is under way";
    EXPECT_EQ(status(in_session(id, initialized)), 202U);
    EXPECT_EQ(status(in_session(id, initialized)), 202U);
    EXPECT_EQ(status(in_session(id, cancel)), 202U);
    // Several in one go are answered in their order, whatever each is.
    Client client(server().port());
    client.send(modern_call("glob", R"({"pattern":"*.txt"})", "\"g\"") +
                modern_call("read_file", R"({"path":"../x"})", "7") +
                post("/mcp", modern_message("no/such"), modern_headers("no/such")) +
                in_session(id, R"({"jsonrpc":"2.0","id":"p","method":"ping"})"));
    EXPECT_NE(client.read_response().find(R"("id":"g")"), std::string::npos);
    EXPECT_NE(client.read_response().find("path_escape"), std::string::npos);
    EXPECT_EQ(status_of(client.read_response()), 404U);
    EXPECT_NE(client.read_response().find(R"("id":"p")"), std::string::npos);
}

TEST_F(ServeHostile, the_limits_of_the_configuration_hold) {
    server_.emplace(ws(), Words{"--serve-body-bytes", "1000", "--serve-head-bytes", "1024"});
    const std::string good = usual_headers();
    EXPECT_EQ(status(post("/mcp", std::string(1001, ' '), good)), 413U);
    EXPECT_EQ(status(get("/healthz", "X: " + std::string(2000, 'x') + "\r\n")), 431U);
    server_.emplace(ws(), Words{"--serve-request-ms", "60"});
    Client slow(server().port());
    slow.send("POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n" + good + "\r\n");
    EXPECT_EQ(status_of(slow.read_all()), 408U);
    server_.emplace(ws(), Words{"--serve-idle-ms", "60"});
    EXPECT_TRUE(Client(server().port()).is_closed());
    server_.emplace(ws(), Words{"--serve-connections", "1"});
    Client only(server().port());
    only.send(get("/healthz"));
    EXPECT_EQ(status_of(only.read_response()), 200U);
    EXPECT_EQ(status_of(Client(server().port()).read_all()), 503U);
}

TEST_F(ServeHostile, a_thousand_connections_are_held) {
    constexpr std::size_t kMany = 1000;
    rlimit files{};
    ::getrlimit(RLIMIT_NOFILE, &files);
    if (files.rlim_max < kMany + 200) GTEST_SKIP() << "needs 1200 descriptors";
    files.rlim_cur = std::max<rlim_t>(files.rlim_cur, kMany + 200);
    ::setrlimit(RLIMIT_NOFILE, &files);
    EXPECT_EQ(status(get("/healthz")), 200U);
    const std::size_t before = status_kb(server().id(), "VmRSS");
    const std::string read = modern_call("read_file", R"({"path":"hello.txt"})");
    std::vector<Client> clients;
    for (std::size_t i = 0; i < kMany; ++i) {
        clients.emplace_back(server().port());
        clients.back().send(read);
        ASSERT_EQ(status_of(clients.back().read_response()), 200U) << i;
    }
    if (!kSanitized) {
        EXPECT_LT(status_kb(server().id(), "VmRSS"), before + 32'000);
    }
    for (const std::size_t i : {std::size_t{0}, kMany / 2, kMany - 1}) {
        clients[i].send(read);
        EXPECT_NE(clients[i].read_response().find("hello"), std::string::npos);
    }
}

}  // namespace
}  // namespace paddock::testing
