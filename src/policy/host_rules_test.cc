#include "policy/host_rules.h"

#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include <paddock/limits.h>

#include "policy/host_presets.h"

using namespace paddock;
using namespace paddock::policy;

namespace {

HostRules rules(std::vector<std::string> entries) {
    auto parsed = HostRules::parse(entries);
    EXPECT_TRUE(parsed.has_value()) << parsed.error().message();
    return std::move(*parsed);
}

Destination to(std::string_view text) {
    auto destination = parse_destination(text);
    EXPECT_TRUE(destination.has_value()) << text;
    return std::move(*destination);
}

// "--net 'a,b'" as a shell and the option understand it.
std::vector<std::string> entries_of(std::string option) {
    option.erase(0, option.find(' ') + 1);
    std::erase(option, '\'');
    std::vector<std::string> entries;
    std::istringstream in(option);
    for (std::string entry; std::getline(in, entry, ',');) entries.push_back(entry);
    return entries;
}

bool allows(const HostRules& rules, std::string_view text) { return !rules.refusal(to(text)); }

bool allows(const HostRules& rules, std::string_view text, std::string_view address) {
    return !rules.refusal(to(text), parse_address(address).value_or(IpAddress{}));
}

TEST(HostRules, nothing_is_allowed_unless_listed) {
    const HostRules none = rules({});
    EXPECT_FALSE(allows(none, "example.org:443"));
    EXPECT_FALSE(allows(none, "127.0.0.1:80"));
    EXPECT_EQ(none.refusal(to("a.example:1")), "is out of reach: commands have no network");
    EXPECT_EQ(rules({"b.example"}).refusal(to("a.example:1")), "is not on the allow list");
}

TEST(HostRules, a_name_is_that_name_and_no_other) {
    const HostRules listed = rules({"Example.org."});
    EXPECT_TRUE(allows(listed, "example.org:443"));
    EXPECT_TRUE(allows(listed, "EXAMPLE.ORG.:22"));
    for (const char* other :
         {"www.example.org:443", "example.org.evil.example:443", "notexample.org:443",
          "example.orga:443", "org:443", "ample.org:443", "example-org:443"}) {
        EXPECT_FALSE(allows(listed, other)) << other;
    }
}

TEST(HostRules, a_pattern_covers_what_is_below) {
    const HostRules listed = rules({"*.example.org"});
    EXPECT_TRUE(allows(listed, "www.example.org:443"));
    EXPECT_TRUE(allows(listed, "a.b.c.Example.org:443"));
    for (const char* other : {"example.org:443", "notexample.org:443", "www.example.org.evil.x:443",
                              "www-example.org:443"}) {
        EXPECT_FALSE(allows(listed, other)) << other;
    }
}

TEST(HostRules, a_port_restricts) {
    const HostRules listed = rules({"example.org:443", "*.example.org:8443", "example.org:22"});
    EXPECT_TRUE(allows(listed, "example.org:443"));
    EXPECT_TRUE(allows(listed, "example.org:22"));
    EXPECT_TRUE(allows(listed, "a.example.org:8443"));
    EXPECT_FALSE(allows(listed, "a.example.org:443"));
    EXPECT_EQ(listed.refusal(to("example.org:80")), "is on the allow list with another port only");
}

TEST(HostRules, an_address_is_listed_in_any_spelling_and_asked_for_as_itself) {
    const HostRules listed = rules({"10.1.2.3", "[0:0::1]:80", "2001:DB8::1"});
    EXPECT_TRUE(allows(listed, "10.1.2.3:99"));
    EXPECT_TRUE(allows(listed, "[::1]:80"));
    EXPECT_FALSE(allows(listed, "[::1]:81"));
    EXPECT_TRUE(allows(listed, "[2001:db8:0::1]:1"));
    // Other forms of the same IPv4 address are other addresses.
    EXPECT_FALSE(allows(listed, "[::ffff:10.1.2.3]:99"));
    EXPECT_FALSE(allows(listed, "[::10.1.2.3]:99"));
    EXPECT_FALSE(allows(listed, "[64:ff9b::10.1.2.3]:99"));
    EXPECT_FALSE(allows(listed, "8.8.8.8:53")) << "public, and not listed";
}

TEST(HostRules, a_name_leads_to_public_addresses_only) {
    const HostRules listed = rules({"git.example.org", "*.below.example.org"});
    for (const char* name : {"git.example.org:443", "a.below.example.org:443"}) {
        EXPECT_TRUE(allows(listed, name, "8.8.8.8"));
        EXPECT_TRUE(allows(listed, name, "2001:4860::8888"));
        for (const char* address : {"127.0.0.1",        "::1",
                                    "10.0.0.1",         "192.168.1.1",
                                    "172.16.0.1",       "100.64.0.1",
                                    "169.254.1.1",      "169.254.169.254",
                                    "168.63.129.16",    "fe80::1",
                                    "fd00::1",          "fd00:ec2::254",
                                    "0.0.0.0",          "::",
                                    "224.0.0.1",        "ff02::1",
                                    "255.255.255.255",  "::ffff:8.8.8.8",
                                    "::ffff:127.0.0.1", "2002:7f00:1::1",
                                    "64:ff9b::7f00:1",  "192.0.2.1",
                                    "100.100.100.200",  "::ffff:10.0.0.1",
                                    "64:ff9b::a00:1",   "fec0::1"}) {
            EXPECT_FALSE(allows(listed, name, address)) << name << " " << address;
        }
    }
    EXPECT_EQ(listed.refusal(to("git.example.org:1"), ipv4(0x7f000001)),
              "leads to a loopback address that is not listed");
    EXPECT_EQ(listed.refusal(to("git.example.org:1"), ipv4(0x0a000001)),
              "leads to a private address that is not listed");
}

TEST(HostRules, a_listed_name_leads_into_the_site_to_listed_addresses_only) {
    const HostRules listed = rules({"git.corp.example", "10.0.0.1:443", "fd00::1"});
    EXPECT_TRUE(allows(listed, "git.corp.example:443", "10.0.0.1"));
    EXPECT_TRUE(allows(listed, "git.corp.example:22", "fd00::1"));
    EXPECT_FALSE(allows(listed, "git.corp.example:22", "10.0.0.1")) << "another port";
    EXPECT_FALSE(allows(listed, "git.corp.example:443", "10.0.0.2"));
    EXPECT_FALSE(allows(listed, "git.corp.example:443", "fd00::2"));
    EXPECT_FALSE(allows(listed, "ci.corp.example:443", "10.0.0.1")) << "the name counts too";
}

TEST(HostRules, a_listed_address_may_be_led_to_on_its_port) {
    const HostRules listed = rules({"*.test", "127.0.0.1:8080", "::1"});
    EXPECT_TRUE(allows(listed, "app.test:8080", "127.0.0.1"));
    EXPECT_TRUE(allows(listed, "app.test:9999", "::1"));
    EXPECT_FALSE(allows(listed, "app.test:8081", "127.0.0.1"));
    EXPECT_FALSE(allows(listed, "app.test:8080", "127.0.0.2"));
    EXPECT_FALSE(allows(listed, "other.example:8080", "127.0.0.1")) << "the name counts too";
}

TEST(HostRules, localhost_is_the_loopback) {
    const HostRules listed = rules({"localhost:3000", "app.localhost"});
    EXPECT_TRUE(allows(listed, "localhost:3000", "127.0.0.1"));
    EXPECT_TRUE(allows(listed, "localhost:3000", "::1"));
    EXPECT_FALSE(allows(listed, "localhost:3001", "127.0.0.1"));
    EXPECT_FALSE(allows(listed, "localhost:3000", "169.254.169.254"));
    EXPECT_TRUE(allows(listed, "app.localhost:1", "127.0.0.1"));
    EXPECT_FALSE(allows(listed, "x.localhost:1", "127.0.0.1"));
    EXPECT_FALSE(allows(rules({"*.localhost"}), "x.localhost:1", "127.0.0.1"));
    EXPECT_FALSE(allows(rules({"host:notlocalhost"}), "notlocalhost:1", "127.0.0.1"));
}

TEST(HostRules, a_wrong_entry_is_named_and_explained) {
    const std::pair<const char*, const char*> rows[] = {
        {"", "the host is empty"},
        {"*", "has a star elsewhere than in \"*.\" before a domain"},
        {"*.", "the host is empty"},
        {"*example.org", "has a star elsewhere than in \"*.\" before a domain"},
        {"a.*.org", "has a star elsewhere than in \"*.\" before a domain"},
        {"*.*.org", "has a star elsewhere than in \"*.\" before a domain"},
        {"example.org:*", "has a star elsewhere than in \"*.\" before a domain"},
        {"*.10.0.0.1", "has a star before an address"},
        {"https://example.org", "is a URL; write the host or host:port"},
        {"example.org/path", "has a slash; paths and ranges of addresses cannot be listed"},
        {"10.0.0.0/8", "has a slash; paths and ranges of addresses cannot be listed"},
        {"user@example.org", "user names and passwords are not taken"},
        {"example.org:0", "the port is no number from 1 to 65535"},
        {"example.org:65536", "the port is no number from 1 to 65535"},
        {"example.org:http", "the port is no number from 1 to 65535"},
        {"example.org:", "the port is no number from 1 to 65535"},
        {"127.1", "an IPv4 address is written as four decimal numbers"},
        {"[::1%lo]", "what is in brackets is no IPv6 address; zones are not taken"},
        {"exa mple.org", "the host has a byte that host names do not have"},
        {"example..org", "a part of the host name is empty or longer than 63 bytes"},
    };
    for (const auto& [entry, why] : rows) {
        const std::vector<std::string> entries = {"fine.example", entry};
        const auto parsed = HostRules::parse(entries);
        ASSERT_FALSE(parsed.has_value()) << entry;
        EXPECT_EQ(parsed.error().code, Code::kInvalidArgument);
        EXPECT_EQ(parsed.error().reason, why) << entry;
        EXPECT_EQ(parsed.error().path, entry);
    }
    const std::vector<std::string> many(limits::kHostRulesMax + 1, "a.example");
    EXPECT_EQ(HostRules::parse(many).error().code, Code::kLimitReached);
}

TEST(HostRules, a_private_name_leads_into_the_site_and_no_further) {
    const HostRules listed =
        rules({"private:git.corp", "private:*.lan:443", "public.example", "private:build"});
    for (const char* address :
         {"10.0.0.1", "192.168.1.1", "172.16.0.1", "100.64.0.1", "fd00::1", "8.8.8.8"}) {
        EXPECT_TRUE(allows(listed, "git.corp:22", address)) << address;
        EXPECT_TRUE(allows(listed, "a.lan:443", address)) << address;
        EXPECT_TRUE(allows(listed, "build:80", address)) << address;
    }
    for (const char* address :
         {"127.0.0.1", "::1", "169.254.169.254", "fd00:ec2::254", "fd00:ec2::23", "fd00:42::42",
          "100.100.100.200", "169.254.1.1", "fe80::1", "0.0.0.0", "::", "::ffff:10.0.0.1",
          "::ffff:127.0.0.1", "224.0.0.1"}) {
        EXPECT_FALSE(allows(listed, "git.corp:22", address)) << address;
        EXPECT_FALSE(allows(listed, "a.lan:443", address)) << address;
    }
    EXPECT_FALSE(allows(listed, "a.lan:80", "10.0.0.1")) << "another port";
    EXPECT_FALSE(allows(listed, "public.example:443", "10.0.0.1")) << "rebinding";
    EXPECT_FALSE(allows(listed, "10.0.0.1:443")) << "the name is listed, not the address";
    EXPECT_TRUE(allows(rules({"private:git.corp", "127.0.0.1:80"}), "git.corp:80", "127.0.0.1"));
    const HostRules name = rules({"git.corp"});
    EXPECT_EQ(name.option_to_allow(to("git.corp:443"), ipv4(0x0a000001)),
              "--net git.corp,private:git.corp:443");
    EXPECT_EQ(name.option_to_allow(to("git.corp:443"), ipv4(0x7f000001)),
              "--net git.corp,127.0.0.1:443");
    EXPECT_EQ(name.option_to_allow(to("git.corp:443"), ipv4(0xa9fea9fe)), "");
    // The control: the loopback is what these names lead to, if they are listed as they are.
    EXPECT_TRUE(allows(rules({"localhost"}), "localhost:80", "127.0.0.1"));
    EXPECT_TRUE(allows(rules({"a.localhost"}), "a.localhost:80", "::1"));
    for (const char* wrong : {"private:", "private:10.0.0.1", "private:a/b", "private:npm,x",
                              "private:localhost", "private:LocalHost.:80", "private:a.localhost",
                              "private:*.localhost", "private:*.a.localhost:80"}) {
        const std::vector<std::string> entries{wrong};
        EXPECT_FALSE(HostRules::parse(entries).has_value()) << wrong;
    }
}

TEST(HostRules, the_option_that_allows_a_host) {
    const std::pair<const char*, const char*> rows[] = {
        {"registry.npmjs.org:443", "--net npm"},
        {"registry.npmjs.org:80", "--allow-host registry.npmjs.org"},
        {"files.pythonhosted.org:443", "--net pypi"},
        {"a.example:443", "--allow-host a.example"},
        {"a.example:8443", "--allow-host a.example:8443"},
        {"build:80", "--allow-host host:build"},
        {"build:22", "--allow-host build:22"},
        {"10.1.2.3:80", "--allow-host 10.1.2.3:80"},
        {"[fd00::1]:80", "--allow-host '[fd00::1]:80'"},
        {"169.254.169.254:80", ""},
    };
    const HostRules none = rules({});
    for (const auto& [destination, option] : rows) {
        EXPECT_EQ(none.option_to_allow(to(destination)), option);
        if (*option != '\0') {
            EXPECT_TRUE(allows(rules(entries_of(option)), destination)) << option;
        }
    }
}

TEST(HostRules, the_option_that_allows_a_host_keeps_what_is_allowed) {
    const HostRules github = rules({"github"});
    EXPECT_EQ(github.option_to_allow(to("registry.npmjs.org:443")), "--net github,npm");
    EXPECT_EQ(github.option_to_allow(to("a.example:443")), "--net github,a.example");
    EXPECT_EQ(github.option_to_allow(to("169.254.169.254:80")), "");
    const HostRules mixed = rules({"github", "*.b.example", "[fd00::1]:80", "host:build"});
    const std::string option = mixed.option_to_allow(to("registry.npmjs.org:443"));
    EXPECT_EQ(option, "--net 'github,*.b.example,[fd00::1]:80,host:build,npm'");
    const HostRules pasted = rules(entries_of(option));
    for (const char* host : {"github.com:443", "x.b.example:1", "[fd00::1]:80", "build:80",
                             "registry.npmjs.org:443"}) {
        EXPECT_TRUE(allows(pasted, host)) << host;
    }
    // Cut short it would allow something else.
    std::vector<std::string> many(limits::kHostRulesMax - 1, "a.example");
    EXPECT_EQ(rules(many).option_to_allow(to("b.example:443")), "");
}

// Who looks a name up has said no port yet.
TEST(HostRules, a_host_without_a_port) {
    const auto asked = [](const char* name) { return Destination{{name}, 0}; };
    const HostRules none = rules({});
    EXPECT_EQ(none.option_to_allow(asked("registry.npmjs.org")), "--net npm");
    EXPECT_EQ(none.option_to_allow(asked("github.com")), "--net github");
    EXPECT_EQ(none.option_to_allow(asked("a.example")), "--allow-host a.example");
    EXPECT_EQ(none.option_to_allow(asked("build")), "--allow-host host:build");
    const HostRules list = rules({"npm", "a.example:8443", "*.b.example"});
    for (const char* name : {"registry.npmjs.org", "a.example", "x.b.example"}) {
        EXPECT_TRUE(list.has({name})) << name;
    }
    for (const char* name : {"npmjs.org", "x.a.example", "b.example", "8443"}) {
        EXPECT_FALSE(list.has({name})) << name;
    }
    EXPECT_FALSE(rules({}).has({"a.example"}));
}

TEST(HostPresets, each_host_has_a_port_and_a_reason) {
    std::set<std::string_view> seen;
    for (const PresetHost& each : preset_hosts()) {
        EXPECT_FALSE(each.reason.empty()) << each.host;
        EXPECT_TRUE(parse_destination(each.host).has_value()) << each.host;
        EXPECT_TRUE(seen.insert(each.host).second) << each.host << " is listed twice";
        EXPECT_TRUE(allows(rules({std::string(each.preset)}), each.host)) << each.host;
    }
    EXPECT_EQ(preset_names(), "npm, pypi, crates, go, github, debian");
}

TEST(HostPresets, open_their_hosts_and_nothing_else) {
    const HostRules npm = rules({"npm"});
    EXPECT_TRUE(allows(npm, "registry.npmjs.org:443"));
    for (const char* other : {"registry.npmjs.org:80", "npm:443", "npmjs.org:443",
                              "evil.registry.npmjs.org:443", "pypi.org:443"}) {
        EXPECT_FALSE(allows(npm, other)) << other;
    }
    const HostRules mixed = rules({"npm", "internal.example.org", "pypi"});
    EXPECT_TRUE(allows(mixed, "pypi.org:443"));
    EXPECT_TRUE(allows(mixed, "internal.example.org:8443"));
}

TEST(HostPresets, a_misspelt_preset_opens_nothing) {
    for (const char* wrong : {"nmp", "NPM", "npm ", "githb", "registry"}) {
        const std::vector<std::string> entries{"pypi", wrong};
        const auto parsed = HostRules::parse(entries);
        ASSERT_FALSE(parsed.has_value()) << wrong;
        EXPECT_EQ(parsed.error().path, wrong);
    }
    const std::vector<std::string> entries{"githb"};
    const auto parsed = HostRules::parse(entries);
    EXPECT_NE(parsed.error().reason.find(preset_names()), std::string_view::npos)
        << "the error lists the presets";
}

TEST(HostPresets, a_host_without_dots_has_a_form_of_its_own) {
    const HostRules listed = rules({"host:build", "cache:8080", "host:npm:80", "localhost"});
    EXPECT_TRUE(allows(listed, "build:22"));
    EXPECT_TRUE(allows(listed, "cache:8080"));
    EXPECT_TRUE(allows(listed, "npm:80"));
    EXPECT_FALSE(allows(listed, "npm:443"));
    EXPECT_FALSE(allows(listed, "registry.npmjs.org:443"));
    EXPECT_TRUE(allows(rules({"host:443"}), "host:443")) << "a host of that name, and a port";
    for (const char* wrong : {"host:", "host:a/b", "host:*", "HOST:build"}) {
        const std::vector<std::string> entries{wrong};
        EXPECT_FALSE(HostRules::parse(entries).has_value()) << wrong;
    }
}

}  // namespace
