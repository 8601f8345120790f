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
