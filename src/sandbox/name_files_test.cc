#include "sandbox/name_files.h"

#include <gtest/gtest.h>

#include <paddock/limits.h>

using namespace paddock;
using namespace paddock::sandbox;

namespace {

std::string shown(const std::vector<policy::IpAddress>& addresses) {
    std::string text;
    for (const auto& address : addresses) text += policy::address_text(address) + " ";
    return text;
}

TEST(NameFiles, hosts_lists_names_behind_an_address) {
    const std::string_view file =
        "# comment\n127.0.0.1\tlocalhost\n\n  10.0.0.1 \t Git.example.org git # not.this\n"
        "::1 localhost ip6-localhost\r\n10.0.0.2 git.example.org.\nbad git\n10.0.0.3";
    EXPECT_EQ(shown(addresses_in_hosts(file, "localhost")), "127.0.0.1 ::1 ");
    EXPECT_EQ(shown(addresses_in_hosts(file, "ip6-localhost")), "::1 ");
    EXPECT_EQ(shown(addresses_in_hosts(file, "git.example.org")), "10.0.0.1 10.0.0.2 ");
    EXPECT_EQ(shown(addresses_in_hosts(file, "git")), "10.0.0.1 ");
    EXPECT_EQ(shown(addresses_in_hosts(file, "not.this")), "");
    EXPECT_EQ(shown(addresses_in_hosts(file, "example.org")), "");
    EXPECT_EQ(shown(addresses_in_hosts(file, "10.0.0.1")), "");
    EXPECT_EQ(shown(addresses_in_hosts("", "a")), "");
}

TEST(NameFiles, addresses_are_bounded) {
    std::string file;
    for (int i = 0; i < 1000; ++i) file += "10.0.0.1 a\n";
    EXPECT_EQ(addresses_in_hosts(file, "a").size(), limits::kNameAddressesMax);
}

TEST(NameFiles, resolv_conf_lists_servers) {
    EXPECT_EQ(shown(name_servers("domain x\nnameserver 10.0.0.53\n;nameserver 1.1.1.1\n"
                                 "nameserver\t2001:db8::53 # second\nnameserver fe80::1%eth0\n"
                                 "options edns0\nnameserver nonsense\nnameservers 9.9.9.9\n")),
              "10.0.0.53 2001:db8::53 ");
    EXPECT_EQ(shown(name_servers("nameserver 1.0.0.1\nnameserver 1.0.0.2\nnameserver 1.0.0.3\n"
                                 "nameserver 1.0.0.4\n")),
              "1.0.0.1 1.0.0.2 1.0.0.3 ");
    EXPECT_EQ(shown(name_servers("")), "127.0.0.1 ");
}

}  // namespace
