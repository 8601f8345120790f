#include "daemon/guard.h"

#include <gtest/gtest.h>

namespace paddock::daemon {
namespace {

TEST(Bearer, secrets_are_long_and_new_each_time) {
    const std::string first = make_secret().value();
    EXPECT_EQ(first.size(), 64U);
    EXPECT_TRUE(is_usable_token(first));
    EXPECT_NE(first, make_secret().value());
}

TEST(Bearer, compares_the_whole) {
    EXPECT_TRUE(equal_secrets("abc", "abc"));
    for (const char* wrong : {"", "a", "ab", "abd", "xbc", "abcc", "abcabc", "abca"}) {
        EXPECT_FALSE(equal_secrets(wrong, "abc")) << wrong;
    }
    EXPECT_FALSE(equal_secrets("", ""));
    EXPECT_FALSE(equal_secrets("a", ""));
}

TEST(Bearer, reads_the_header) {
    EXPECT_EQ(bearer_of("Bearer abc"), "abc");
    EXPECT_EQ(bearer_of("bearer  abc"), "abc");
    EXPECT_EQ(bearer_of("Basic abc"), "");
    EXPECT_EQ(bearer_of("Bearer"), "");
    EXPECT_EQ(bearer_of(""), "");
}

TEST(Bearer, a_token_can_be_sent_and_not_be_guessed) {
    EXPECT_TRUE(is_usable_token("0123456789abcdef"));
    EXPECT_FALSE(is_usable_token("0123456789abcde"));
    EXPECT_FALSE(is_usable_token("0123456789 abcdef"));
    EXPECT_FALSE(is_usable_token("0123456789abcdef\n"));
    EXPECT_FALSE(is_usable_token(std::string(2000, 'x')));
}

}  // namespace

namespace {

TEST(McpHeaders, decodes_strictly) {
    EXPECT_EQ(decoded_header("plain"), "plain");
    EXPECT_EQ(decoded_header("=?base64?SGVsbG8=?="), "Hello");
    EXPECT_EQ(decoded_header("=?base64?"
                             "?="),
              "");
    EXPECT_EQ(decoded_header("=?base64?SGVsbG8="), "=?base64?SGVsbG8=");
    EXPECT_EQ(decoded_header("SGVsbG8=?="), "SGVsbG8=?=");
    for (const char* wrong : {"=?base64?SGVsbG8?=", "=?base64?SGVs!G8=?=", "=?base64?SGVsbG9=?=",
                              "=?base64?/w==?=", "=?base64?A===?=", "=?base64?====?="}) {
        EXPECT_FALSE(decoded_header(wrong)) << wrong;
    }
}

net::Head head_of(net::Headers more) {
    net::Head head;
    head.headers = {{"MCP-Protocol-Version", "2026-07-28"},
                    {"Mcp-Method", "tools/call"},
                    {"Mcp-Name", "read_file"}};
    head.headers.insert(head.headers.end(), more.begin(), more.end());
    return head;
}

mcp::Message call_of_read_file() {
    return mcp::parse_message(
        R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read_file",)"
        R"("arguments":{"path":"a.txt"},)"
        R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}})");
}

TEST(McpHeaders, are_there_once_and_say_what_the_message_says) {
    const mcp::Message message = call_of_read_file();
    EXPECT_FALSE(check_headers(head_of({}), message));
    for (const char* name : {"MCP-Protocol-Version", "mcp-method", "MCP-NAME"}) {
        const std::string same = *head_of({}).header(name);
        for (const std::string& second : {same, std::string("other")}) {
            const auto wrong = check_headers(head_of({{name, second}}), message);
            ASSERT_TRUE(wrong) << name << " twice: a proxy may have read the second";
            EXPECT_EQ(wrong->code, mcp::error_code::kHeaderMismatch);
        }
        net::Head head = head_of({});
        for (net::Header& header : head.headers) {
            if (net::equal_but_case(header.name, name)) header.value = "other";
        }
        EXPECT_TRUE(check_headers(head, message)) << name;
        std::erase_if(head.headers, [&](const net::Header& header) {
            return net::equal_but_case(header.name, name);
        });
        EXPECT_TRUE(check_headers(head, message)) << name;
    }
}

// No tool here declares "x-mcp-header", which WorkspaceToolsTest looks at: no header of that name
// has anything to agree with, whatever is in it.
TEST(McpHeaders, of_parameters_that_no_tool_declares_are_passed_over) {
    const mcp::Message message = call_of_read_file();
    for (const char* value :
         {"a.txt", "b.txt", "", "=?base64?YS50eHQ=?=", "=?base64?!?=", "\xff"}) {
        EXPECT_FALSE(
            check_headers(head_of({{"Mcp-Param-Path", value}, {"mcp-param-", value}}), message))
            << value;
    }
}

TEST(McpHeaders, knows_the_revisions) {
    const auto with = [](const char* version) {
        net::Head head;
        head.headers.push_back({"mcp-protocol-version", version});
        return head;
    };
    EXPECT_EQ(announced_era(with("2026-07-28")), mcp::Era::kModern);
    EXPECT_EQ(announced_era(with("2025-06-18")), mcp::Era::kLegacy);
    EXPECT_FALSE(announced_era(with("2030-01-01")));
    EXPECT_FALSE(announced_era({}));
    EXPECT_TRUE(is_legacy_version_header({}));
    EXPECT_FALSE(is_legacy_version_header(with("2030-01-01")));
    EXPECT_FALSE(is_legacy_version_header(with("2026-07-28")));
}

}  // namespace
}  // namespace paddock::daemon
