#include "mcp/message.h"

#include <gtest/gtest.h>

namespace paddock::mcp {
namespace {

TEST(Message, tells_requests_notifications_and_responses_apart) {
    const Message request = parse_message(R"({"jsonrpc":"2.0","id":1,"method":"a","params":{}})");
    EXPECT_EQ(request.kind, MessageKind::kRequest);
    EXPECT_EQ(request.method, "a");
    EXPECT_EQ(parse_message(R"({"jsonrpc":"2.0","method":"a"})").kind, MessageKind::kNotification);
    const Message response = parse_message(R"({"jsonrpc":"2.0","id":"x","result":{"y":2}})");
    EXPECT_EQ(response.kind, MessageKind::kResponse);
    EXPECT_FALSE(response.is_error);
    const Message error = parse_message(R"({"jsonrpc":"2.0","id":1,"error":{"code":1}})");
    EXPECT_EQ(error.kind, MessageKind::kResponse);
    EXPECT_TRUE(error.is_error);
}

TEST(Message, keeps_the_type_of_an_id) {
    EXPECT_EQ(parse_message(R"({"jsonrpc":"2.0","id":1,"method":"a"})").id, "1");
    EXPECT_EQ(parse_message(R"({"jsonrpc":"2.0","id":"1","method":"a"})").id, "\"1\"");
    EXPECT_EQ(parse_message(R"({"jsonrpc":"2.0","id":-7,"method":"a"})").id, "-7");
}

TEST(Message, refuses_what_is_none) {
    struct Case {
        const char* text;
        int code;
        const char* id;
    };
    for (const Case& each : {
             Case{"", error_code::kParse, ""},
             Case{"{", error_code::kParse, ""},
             Case{"{} {}", error_code::kParse, ""},
             Case{R"({"jsonrpc":"2.0","id":1,"id":2,"method":"a"})", error_code::kParse, ""},
             Case{R"({"jsonrpc":"2.0","id":1,"method":"a","params":{"x":1,"x":2}})",
                  error_code::kParse, "1"},
             Case{"\"\xff\"", error_code::kParse, ""},
             Case{"5", error_code::kInvalidRequest, ""},
             Case{R"([{"jsonrpc":"2.0","id":1,"method":"a"}])", error_code::kInvalidRequest, ""},
             Case{R"({"id":1,"method":"a"})", error_code::kInvalidRequest, "1"},
             Case{R"({"jsonrpc":"1.0","id":1,"method":"a"})", error_code::kInvalidRequest, "1"},
             Case{R"({"jsonrpc":"2.0","id":1,"method":2})", error_code::kInvalidRequest, "1"},
             Case{R"({"jsonrpc":"2.0","id":1})", error_code::kInvalidRequest, "1"},
             Case{R"({"jsonrpc":"2.0","id":1,"result":1,"error":2})", error_code::kInvalidRequest,
                  "1"},
             Case{R"({"jsonrpc":"2.0","id":null,"method":"a"})", error_code::kInvalidRequest, ""},
             Case{R"({"jsonrpc":"2.0","id":1.5,"method":"a"})", error_code::kInvalidRequest, ""},
             Case{R"({"jsonrpc":"2.0","id":{},"method":"a"})", error_code::kInvalidRequest, ""},
             Case{R"({"jsonrpc":"2.0","id":1,"method":"a","params":[1]})",
                  error_code::kInvalidParams, "1"},
         }) {
        const Message message = parse_message(each.text);
        EXPECT_EQ(message.kind, MessageKind::kInvalid) << each.text;
        EXPECT_EQ(message.problem.code, each.code) << each.text;
        EXPECT_EQ(message.id, each.id) << each.text;
    }
}

TEST(Message, is_bounded_in_depth_and_in_the_length_of_its_id) {
    const std::string deep = R"({"jsonrpc":"2.0","id":1,"method":"a","params":{"x":)" +
                             std::string(100'000, '[') + std::string(100'000, ']') + "}}";
    EXPECT_EQ(parse_message(deep).problem.code, error_code::kParse);
    const std::string id(100'000, 'i');
    EXPECT_EQ(parse_message(R"({"jsonrpc":"2.0","method":"a","id":")" + id + "\"}").problem.code,
              error_code::kInvalidRequest);
}

TEST(Message, issue_17_11_broken_json_keeps_the_id_of_the_request) {
    struct Case {
        std::string text;
        std::string id;
    };
    const std::string half = R"("params":{"x":"\ud83d"})";
    const std::string deep(1000, '[');
    for (const Case& each : {
             Case{R"({"jsonrpc":"2.0","id":7,"method":"a",)" + half + "}", "7"},
             Case{R"({"method":"a",)" + half + R"(,"jsonrpc":"2.0","id":"x\"y"})", R"("x\"y")"},
             Case{R"({ "method" : "a" , "id" : -7 , )" + half + "}", "-7"},
             Case{R"({"id":7,"method":"a","params":{"id":8,"x":[{"id":9}],"y":"\"}")"
                  "\xff"
                  R"("}})",
                  "7"},
             Case{R"({"id":7,"method":"a","params":)" + deep, "7"},
             Case{R"({"id":7,"method":"a","params":{"x":1)", "7"},
             // A wrong id would end another request.
             Case{R"({"id":7,"method":"a","id":8,)" + half + "}", ""},
             Case{R"({"id":7,"result":{"x":"\ud83d"}})", ""},
             Case{R"({"method":"a","params":{"x":"a"b"},"id":7})", ""},
             Case{R"({"method":"a","params":{"id":7,"x":"\ud83d"}})", ""},
             Case{R"({"method":"a","id":"\ud83d"})", ""},
             Case{R"({"method":"a","id":null,)" + half + "}", ""},
             Case{R"({"method":"a","id":{"x":7},)" + half + "}", ""},
             Case{R"({"method":"a","id":12)", ""},
             Case{R"({"method":"a","id":")" + std::string(100'000, 'i') + "\"," + half + "}", ""},
         }) {
        const Message message = parse_message(each.text);
        EXPECT_EQ(message.problem.code, error_code::kParse) << each.text.substr(0, 100);
        EXPECT_EQ(message.id, each.id) << each.text.substr(0, 100);
    }
}

TEST(Message, is_written_on_one_line) {
    EXPECT_EQ(error_text("\"a\"", {-32602, "no\nline", json::Object{{"x", 1}}}),
              R"({"jsonrpc":"2.0","id":"a",)"
              R"("error":{"code":-32602,"message":"no\nline","data":{"x":1}}})");
    EXPECT_EQ(error_text({}, {-32700, "bad"}),
              R"({"jsonrpc":"2.0","error":{"code":-32700,"message":"bad"}})");
    EXPECT_EQ(notification_text("n", {}), R"({"jsonrpc":"2.0","method":"n"})");
    EXPECT_EQ(request_text("4", "n", json::Object{}),
              R"({"jsonrpc":"2.0","id":4,"method":"n","params":{}})");
}

}  // namespace
}  // namespace paddock::mcp
