#include "policy/published_ports.h"

#include <gtest/gtest.h>
#include <paddock/limits.h>

namespace paddock::policy {
namespace {

TEST(PublishedPorts, are_read_as_the_operator_writes_them) {
    const std::vector<std::string> texts{"3000", "8080:3000", "auto"};
    const auto ports = PublishedPorts::parse(texts);
    ASSERT_TRUE(ports.has_value());
    EXPECT_TRUE(ports->finds_servers);
    EXPECT_EQ(ports->ports, (std::vector<PublishedPort>{{3000, 3000}, {8080, 3000}}));
    EXPECT_TRUE(PublishedPorts::parse({})->empty());
}

TEST(PublishedPorts, that_make_no_sense_open_nothing) {
    for (const char* text : {"", "0", "65536", "03000", "3000:", ":3000", "1:2:3", "Auto", "auto ",
                             "0.0.0.0:3000", "3000/udp", "3000-3005", "-1", "*"}) {
        EXPECT_FALSE(PublishedPorts::parse(std::vector<std::string>{text})) << text;
    }
    EXPECT_FALSE(PublishedPorts::parse(std::vector<std::string>{"3000", "3000:80"}));
    const auto at_most = [](std::size_t count) {
        std::vector<std::string> texts;
        for (std::size_t i = 0; i < count; ++i) texts.push_back(std::to_string(4000 + i));
        return PublishedPorts::parse(texts).has_value();
    };
    EXPECT_TRUE(at_most(limits::kPublishedPortsMax));
    EXPECT_FALSE(at_most(limits::kPublishedPortsMax + 1));
}

}  // namespace
}  // namespace paddock::policy
