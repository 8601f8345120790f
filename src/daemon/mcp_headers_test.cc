#include "daemon/mcp_headers.h"

#include <gtest/gtest.h>

namespace paddock::daemon {
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
