#include "proxy/publisher.h"

#include <gtest/gtest.h>

#include <bit>

namespace paddock::proxy {
namespace {

const char kTable[] =
    "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout "
    "inode\n"
    "   0: 0100007F:0BB8 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 "
    "4711 1 0000000000000000 100 0 0 10 0\n"
    "   1: 0100007F:C001 0100007F:0BB8 01 00000000:00000000 00:00000000 00000000  1001        0 "
    "4712 1\n"
    "   2: 0100007F:C002 0100007F:0BB8 05 00000000:00000000 00:00000000 00000000     0        0 0 "
    "3\n"
    "   3: 0000000000000000FFFF00000100007F:C003 0000000000000000FFFF00000100007F:0BB8 01 "
    "00000000:00000000 00:00000000 00000000  7 0 12 1\n"
    "   4: 00000000000000000000000001000000:1435 00000000000000000000000000000000:0000 0A "
    "00000000:00000000 00:00000000 00000000  7 0 13 1\n"
    "   5: 0500000A:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  7 0 14 1\n"
    "   6: 00000000000000000000000000000000:1F91 00000000000000000000000000000000:0000 0A "
    "00000000:00000000 00:00000000 00000000  7 0 15 1\n"
    "   7: broken\n";

TEST(TcpTable, rows_are_read) {
    if constexpr (std::endian::native != std::endian::little)
        GTEST_SKIP() << "the sample table is of a little-endian machine";
    const auto sockets = parse_tcp_table(kTable);
    ASSERT_EQ(sockets.size(), 7U);
    EXPECT_TRUE(sockets[0].listens);
    EXPECT_EQ(sockets[0].local, (TcpEnd{policy::ipv4(0x7f000001), 3000}));
    EXPECT_EQ(sockets[1].user, 1001U);
    EXPECT_TRUE(sockets[1].is_held);
    EXPECT_EQ(sockets[2].user, 0U);
    EXPECT_FALSE(sockets[2].is_held);  // closed, and no socket of root's
    EXPECT_EQ(sockets[3].local, (TcpEnd{policy::ipv4(0x7f000001), 0xc003}));
}

TEST(TcpTable, servers_of_the_loopback_are_found) {
    if constexpr (std::endian::native != std::endian::little)
        GTEST_SKIP() << "the sample table is of a little-endian machine";
    const auto sockets = parse_tcp_table(kTable);
    EXPECT_EQ(loopback_server(sockets, 3000), policy::ipv4(0x7f000001));
    EXPECT_EQ(policy::address_text(*loopback_server(sockets, 5173)), "::1");
    EXPECT_EQ(policy::address_text(*loopback_server(sockets, 8081)), "::1");
    EXPECT_FALSE(loopback_server(sockets, 8080));    // of another address
    EXPECT_FALSE(loopback_server(sockets, 0xc001));  // not a server
}

TEST(TcpTable, nonsense_is_left_out) {
    EXPECT_TRUE(parse_tcp_table("").empty());
    EXPECT_TRUE(parse_tcp_table("\n\n x: y:z\n0: 0100007F:0BB8").empty());
    EXPECT_TRUE(parse_tcp_table("0: 0100007F:0BB8 00000000:0000 0A a:b c:d 0 -1 0 5\n").empty());
    EXPECT_TRUE(parse_tcp_table("0: 0100007F:1BB80 00000000:0000 0A a b c 1 0 5\n").empty());
}

}  // namespace
}  // namespace paddock::proxy
