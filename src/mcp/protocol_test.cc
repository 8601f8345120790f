#include "mcp/protocol.h"

#include <thread>

#include "mcp/recorder.h"

namespace paddock::mcp {
namespace {

using testing::at;
using testing::text_at;

constexpr const char* kMeta = R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
                              R"("io.modelcontextprotocol/clientCapabilities":{}})";

class ProtocolTest : public ::testing::Test {
protected:
    ProtocolTest() {
        tools->add("say", [](RequestContext& context, const json::Value& arguments) {
            context.result("content", json::Array{});
            context.result("said", arguments);
            return Handled();
        });
        tools->add(
            "slow",
            [this](RequestContext& context, const json::Value&) {
                if (during) during(context);
                context.result("content", json::Array{});
                return Handled();
            },
            tools::Pace::kWorking);
        tools->add("wait", {}, tools::Pace::kWaiting);
    }

    const Protocol& protocol() {
        if (!protocol_) {
            add_tool_methods(methods, tools, page_size);
            ServerInfo info{"test", "Test", "1.2", "Be kind.", {{"tools", json::Object{}}}};
            protocol_ = std::make_unique<Protocol>(std::move(info), std::move(methods));
        }
        return *protocol_;
    }

    std::shared_ptr<RequestContext> accept(const std::string& text) {
        return protocol().accept(parse_message(text), {conversation, peer, announced});
    }

    // The answer to one message, null if there is none.
    json::Value answer(const std::string& text) {
        const std::size_t before = peer->messages().size();
        if (const auto context = accept(text)) protocol().run(context);
        const auto all = peer->messages();
        EXPECT_LE(all.size(), before + 1) << text;
        return all.size() == before ? json::Value() : json::Value(all.back());
    }

    json::Value legacy(const std::string& method, const std::string& params = "{}") {
        return answer(R"({"jsonrpc":"2.0","id":1,"method":")" + method + R"(","params":)" + params +
                      "}");
    }
    json::Value modern(const std::string& method, const std::string& more = "") {
        return answer(R"({"jsonrpc":"2.0","id":"m","method":")" + method + R"(","params":{)" +
                      kMeta + more + "}}");
    }

    std::shared_ptr<testing::FewTools> tools = std::make_shared<testing::FewTools>();
    std::shared_ptr<testing::Recorder> peer = std::make_shared<testing::Recorder>();
    std::shared_ptr<Conversation> conversation = std::make_shared<Conversation>(Transport::kStdio);
    std::optional<Era> announced;
    std::size_t page_size = 100;
    Methods methods;
    std::function<void(RequestContext&)> during;

private:
    std::unique_ptr<Protocol> protocol_;
};

TEST_F(ProtocolTest, initialize_agrees_on_a_version) {
    for (const char* version : {"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}) {
        const json::Value result =
            legacy("initialize", R"({"protocolVersion":")" + std::string(version) +
                                     R"(","capabilities":{"roots":{}},"clientInfo":{"name":"x"}})");
        EXPECT_EQ(text_at(result, "result.protocolVersion"), '"' + std::string(version) + '"');
        EXPECT_EQ(conversation->version(), version);
    }
    const json::Value result = legacy("initialize", R"({"protocolVersion":"1999-01-01"})");
    EXPECT_EQ(text_at(result, "result.protocolVersion"), R"("2025-11-25")");
    EXPECT_EQ(text_at(result, "result.capabilities"), R"({"tools":{}})");
    EXPECT_EQ(text_at(result, "result.serverInfo.name"), R"("test")");
    EXPECT_EQ(text_at(result, "result.instructions"), R"("Be kind.")");
    EXPECT_TRUE(at(result, "result.resultType").is_null());
    EXPECT_EQ(text_at(legacy("initialize"), "error.code"), "-32602");
}

TEST_F(ProtocolTest, discover_tells_all_versions) {
    const json::Value result = modern("server/discover");
    EXPECT_EQ(text_at(result, "result.supportedVersions"),
              R"(["2026-07-28","2025-11-25","2025-06-18","2025-03-26","2024-11-05"])");
    EXPECT_EQ(text_at(result, "result.resultType"), R"("complete")");
    EXPECT_EQ(text_at(result, "result.cacheScope"), R"("private")");
    EXPECT_NE(at(result, "result.ttlMs").as_integer(), nullptr);
    EXPECT_EQ(text_at(result, "result.instructions"), R"("Be kind.")");
    EXPECT_NE(text_at(result, "result._meta").find(R"("name":"test")"), std::string::npos);
    EXPECT_EQ(text_at(result, "id"), R"("m")");
}

TEST_F(ProtocolTest, both_eras_are_served_at_once) {
    EXPECT_TRUE(at(legacy("tools/list"), "result.ttlMs").is_null());
    EXPECT_FALSE(at(modern("tools/list"), "result.ttlMs").is_null());
    (void)legacy("initialize", R"({"protocolVersion":"2025-11-25"})");
    EXPECT_FALSE(at(modern("tools/list"), "result.ttlMs").is_null());
    EXPECT_TRUE(at(legacy("tools/list"), "result.ttlMs").is_null());
}

TEST_F(ProtocolTest, each_era_has_methods_of_its_own) {
    EXPECT_EQ(text_at(legacy("ping"), "result"), "{}");
    for (const char* gone : {"ping", "initialize", "logging/setLevel", "resources/subscribe"}) {
        EXPECT_EQ(text_at(modern(gone), "error.code"), "-32601") << gone;
    }
    EXPECT_EQ(text_at(legacy("subscriptions/listen"), "error.code"), "-32601");
    EXPECT_EQ(text_at(legacy("no/such"), "error.code"), "-32601");
    EXPECT_EQ(text_at(legacy("no/such"), "id"), "1");
}

TEST_F(ProtocolTest, the_modern_era_wants_its_envelope) {
    const auto code = [&](const std::string& meta) {
        return text_at(
            answer(R"({"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":)" + meta +
                   "}}"),
            "error.code");
    };
    const std::string version = R"("io.modelcontextprotocol/protocolVersion":)";
    const std::string capabilities = R"("io.modelcontextprotocol/clientCapabilities":)";
    EXPECT_EQ(code("{" + version + "\"2026-07-28\"}"), "-32602");
    EXPECT_EQ(code("{" + version + "5," + capabilities + "{}}"), "-32602");
    EXPECT_EQ(code("{" + version + "\"2026-07-28\"," + capabilities + "[]}"), "-32602");
    EXPECT_EQ(code("{" + version + "\"2026-07-28\"," + capabilities +
                   R"({},"io.modelcontextprotocol/clientInfo":7})"),
              "-32602");
    EXPECT_EQ(code("{" + version + "\"2026-07-28\"," + capabilities + "{}}"), "null");
    EXPECT_EQ(text_at(legacy("server/discover"), "error.code"), "-32602");
    announced = Era::kModern;
    EXPECT_EQ(text_at(legacy("tools/list"), "error.code"), "-32602");
}

TEST_F(ProtocolTest, a_version_that_is_not_spoken_is_told_with_those_that_are) {
    const json::Value error =
        answer(R"({"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{)"
               R"("io.modelcontextprotocol/protocolVersion":"2099-01-01",)"
               R"("io.modelcontextprotocol/clientCapabilities":{}}}})");
    EXPECT_EQ(text_at(error, "error.code"), "-32022");
    EXPECT_EQ(text_at(error, "error.data.requested"), R"("2099-01-01")");
    EXPECT_NE(text_at(error, "error.data.supported").find("2026-07-28"), std::string::npos);
    EXPECT_EQ(peer->errors().back(), -32022);
}

TEST_F(ProtocolTest, listening_is_acknowledged_with_nothing_and_ends) {
    const auto context = accept(
        std::string(R"({"jsonrpc":"2.0","id":"sub","method":"subscriptions/listen","params":{)") +
        kMeta + R"(,"notifications":{"toolsListChanged":true}}})");
    ASSERT_TRUE(context);
    protocol().run(context);
    const auto messages = peer->messages();
    ASSERT_EQ(messages.size(), 2U);
    EXPECT_EQ(text_at(messages[0], "method"), R"("notifications/subscriptions/acknowledged")");
    EXPECT_EQ(text_at(messages[0], "params.notifications"), "{}");
    EXPECT_EQ(text_at(messages[0], "params._meta"),
              R"({"io.modelcontextprotocol/subscriptionId":"sub"})");
    EXPECT_EQ(text_at(messages[1], "result.resultType"), R"("complete")");
    EXPECT_NE(text_at(messages[1], "result._meta").find(R"(subscriptionId":"sub")"),
              std::string::npos);
    EXPECT_EQ(text_at(modern("subscriptions/listen"), "error.code"), "-32602");
}

TEST_F(ProtocolTest, tools_are_listed_in_pages) {
    for (int i = 0; i < 5; ++i) tools->add("t" + std::to_string(i), {});
    page_size = 3;
    std::vector<std::string> names;
    std::string cursor;
    for (int pages = 0; pages < 5; ++pages) {
        const json::Value result =
            legacy("tools/list", cursor.empty() ? "{}" : R"({"cursor":)" + cursor + "}");
        const json::Value listed = at(result, "result.tools");
        ASSERT_NE(listed.as_array(), nullptr) << json::to_text(result);
        for (const json::Value& tool : *listed.as_array()) names.push_back(text_at(tool, "name"));
        if (at(result, "result.nextCursor").is_null()) break;
        cursor = text_at(result, "result.nextCursor");
    }
    EXPECT_EQ(names, (std::vector<std::string>{R"("say")", R"("slow")", R"("wait")", R"("t0")",
                                               R"("t1")", R"("t2")", R"("t3")", R"("t4")"}));
    for (const char* wrong : {R"({"cursor":"x"})", R"({"cursor":""})", R"({"cursor":3})",
                              R"({"cursor":"3"})", R"({"cursor":null})"}) {
        EXPECT_EQ(text_at(legacy("tools/list", wrong), "error.code"), "-32602") << wrong;
    }
}

TEST_F(ProtocolTest, tools_are_called) {
    const json::Value result = legacy("tools/call", R"({"name":"say","arguments":{"x":[1]}})");
    EXPECT_EQ(text_at(result, "result"), R"({"content":[],"said":{"x":[1]}})");
    EXPECT_EQ(text_at(legacy("tools/call", R"({"name":"say"})"), "result.said"), "{}");
    EXPECT_EQ(text_at(modern("tools/call", R"(,"name":"say")"), "result.resultType"),
              R"("complete")");
    EXPECT_EQ(text_at(legacy("tools/call", R"({"name":"nope"})"), "error.code"), "-32602");
    EXPECT_EQ(text_at(legacy("tools/call"), "error.code"), "-32602");
}

TEST_F(ProtocolTest, tools_are_told_apart_by_their_pace) {
    const auto quick =
        accept(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"say"}})");
    const auto slow =
        accept(R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"slow"}})");
    const auto waiting =
        accept(R"({"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"wait"}})");
    const auto unknown =
        accept(R"({"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"none"}})");
    EXPECT_EQ(protocol().pace(*quick), tools::Pace::kQuick);
    EXPECT_EQ(protocol().pace(*slow), tools::Pace::kWorking);
    EXPECT_EQ(protocol().pace(*waiting), tools::Pace::kWaiting);
    EXPECT_EQ(protocol().pace(*unknown), tools::Pace::kQuick);
}

TEST_F(ProtocolTest, progress_needs_a_token_and_only_grows) {
    during = [](RequestContext& context) {
        context.progress(1, 10.0, "one");
        context.progress(1, {}, "again");
        context.progress(0.5, {}, "less");
        context.progress(2, {}, {});
    };
    EXPECT_EQ(text_at(legacy("tools/call", R"({"name":"slow"})"), "result"), R"({"content":[]})");
    const auto context = accept(R"({"jsonrpc":"2.0","id":2,"method":"tools/call",)"
                                R"("params":{"name":"slow","_meta":{"progressToken":"tok"}}})");
    protocol().run(context);
    context->progress(3, {}, "late");
    const auto messages = peer->messages();
    ASSERT_EQ(messages.size(), 4U);
    EXPECT_EQ(text_at(messages[1], "params"),
              R"({"progressToken":"tok","progress":1,"total":10,"message":"one"})");
    EXPECT_EQ(text_at(messages[2], "params"), R"({"progressToken":"tok","progress":2})");
    EXPECT_EQ(text_at(messages[3], "id"), "2");
}

TEST_F(ProtocolTest, a_cancelled_request_is_not_answered) {
    during = [&](RequestContext& context) {
        EXPECT_FALSE(context.cancelled().stop_requested());
        EXPECT_TRUE(answer(R"({"jsonrpc":"2.0","method":"notifications/cancelled",)"
                           R"("params":{"requestId":1}})")
                        .is_null());
        EXPECT_FALSE(context.cancelled().stop_requested()) << "another one";
        (void)answer(R"({"jsonrpc":"2.0","method":"notifications/cancelled",)"
                     R"("params":{"requestId":"1"}})");
        EXPECT_TRUE(context.cancelled().stop_requested());
        context.progress(1, {}, "late");
    };
    const auto context = accept(R"({"jsonrpc":"2.0","id":"1","method":"tools/call",)"
                                R"("params":{"name":"slow","_meta":{"progressToken":1}}})");
    protocol().run(context);
    EXPECT_TRUE(peer->messages().empty());
    EXPECT_EQ(peer->dropped(), 1);
    EXPECT_EQ(conversation->size(), 0U);
}

TEST_F(ProtocolTest, a_request_cancelled_in_the_queue_never_runs) {
    during = [](RequestContext&) { ADD_FAILURE() << "ran"; };
    const auto context =
        accept(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"slow"}})");
    (void)accept(
        R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})");
    protocol().run(context);
    protocol().refuse(*context, "full");
    EXPECT_TRUE(peer->messages().empty());
}

TEST_F(ProtocolTest, an_id_in_use_is_refused_and_free_again_later) {
    const std::string text = R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})";
    const auto first = accept(text);
    ASSERT_TRUE(first);
    EXPECT_EQ(text_at(answer(text), "error.code"), "-32600");
    EXPECT_EQ(conversation->size(), 1U);
    protocol().run(first);
    EXPECT_TRUE(at(answer(text), "error").is_null());
}

TEST_F(ProtocolTest, what_is_dropped_by_mistake_is_answered_all_the_same) {
    (void)accept(R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})");
    ASSERT_EQ(peer->messages().size(), 1U);
    EXPECT_EQ(peer->errors().back(), -32603);
    EXPECT_EQ(conversation->size(), 0U);
}

TEST_F(ProtocolTest, unknown_notifications_and_strange_cancellations_are_passed_over) {
    for (const char* text :
         {R"({"jsonrpc":"2.0","method":"notifications/initialized"})",
          R"({"jsonrpc":"2.0","method":"notifications/roots/list_changed"})",
          R"({"jsonrpc":"2.0","method":"x"})",
          R"({"jsonrpc":"2.0","method":"notifications/cancelled"})",
          R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":[[]]}})",
          R"({"jsonrpc":"2.0","id":99,"result":{}})"}) {
        EXPECT_TRUE(answer(text).is_null()) << text;
    }
}

// Whoever is first, the answer or the cancellation: there is one end, and nothing behind it.
TEST_F(ProtocolTest, answers_and_cancellations_race_to_one_end) {
    for (int round = 0; round < 2000; ++round) {
        const std::string id = std::to_string(round);
        const auto context = accept(R"({"jsonrpc":"2.0","id":)" + id +
                                    R"(,"method":"tools/call","params":{"name":"slow"}})");
        ASSERT_TRUE(context);
        std::jthread running([&] { protocol().run(context); });
        (void)accept(R"({"jsonrpc":"2.0","method":"notifications/cancelled",)"
                     R"("params":{"requestId":)" +
                     id + "}}");
        running.join();
        ASSERT_EQ(peer->errors().size() + static_cast<std::size_t>(peer->dropped()),
                  static_cast<std::size_t>(round) + 1);
    }
    EXPECT_EQ(conversation->size(), 0U);
}

TEST_F(ProtocolTest, a_method_can_be_added_and_ask_the_client) {
    methods.add(
        "sample",
        {.run =
             [](const auto& context) {
                 const auto said = context->ask("sampling/createMessage", json::Object{{"n", 1}});
                 context->result("said", said.value_or(json::Value()));
                 return Handled();
             },
         .eras = Eras::kLegacy});
    const auto context = accept(R"({"jsonrpc":"2.0","id":7,"method":"sample"})");
    std::jthread running([&] { protocol().run(context); });
    while (peer->messages().empty()) std::this_thread::yield();
    const json::Value question(peer->messages().front());
    EXPECT_EQ(text_at(question, "method"), R"("sampling/createMessage")");
    (void)accept(R"({"jsonrpc":"2.0","id":)" + text_at(question, "id") + R"(,"result":"yes"})");
    running.join();
    EXPECT_EQ(text_at(peer->messages().back(), "result.said"), R"("yes")");
}

TEST_F(ProtocolTest, a_method_can_stay_open_until_it_is_ended) {
    std::shared_ptr<RequestContext> kept;
    methods.add("watch", {.run = [&](const auto& context) {
                    kept = context;
                    return Handled::open();
                }});
    const auto context = accept(R"({"jsonrpc":"2.0","id":7,"method":"watch"})");
    protocol().run(context);
    EXPECT_TRUE(peer->messages().empty());
    kept->notify("changed", {});
    protocol().succeed(*kept);
    kept->notify("changed", {});
    ASSERT_EQ(peer->messages().size(), 2U);
    EXPECT_EQ(text_at(peer->messages().back(), "id"), "7");
}

}  // namespace
}  // namespace paddock::mcp
