#include "sandbox/environment.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace paddock::sandbox {
namespace {

using Texts = std::vector<std::string>;

const Surroundings kAround{.home = "/home/agent", .temporary = "/tmp"};

bool has(const Environment& environment, const std::string& variable) {
    const Texts& all = environment.variables;
    return std::find(all.begin(), all.end(), variable) != all.end();
}

std::size_t count(const Environment& environment, const std::string& name) {
    return static_cast<std::size_t>(
        std::count_if(environment.variables.begin(), environment.variables.end(),
                      [&](const std::string& each) { return each.starts_with(name + "="); }));
}

TEST(Environment, secrets_of_the_host_are_withheld_and_named) {
    const Texts host = {"LANG=de_DE.UTF-8", "AWS_SECRET_ACCESS_KEY=x", "HOME=/home/me",
                        "TERM=xterm",       "LD_PRELOAD=/evil.so",     "=C:=",
                        "nonsense"};
    const Environment made = command_environment({}, host, kAround);
    EXPECT_TRUE(has(made, "LANG=de_DE.UTF-8"));
    EXPECT_TRUE(has(made, "TERM=xterm"));
    EXPECT_TRUE(has(made, "HOME=/home/agent"));
    EXPECT_TRUE(has(made, "TMPDIR=/tmp"));
    EXPECT_EQ(count(made, "LD_PRELOAD"), 0U);
    EXPECT_EQ(made.withheld, (Texts{"AWS_SECRET_ACCESS_KEY", "HOME", "LD_PRELOAD"}));
    EXPECT_EQ(count(made, "http_proxy"), 0U);
}

TEST(Environment, the_operator_passes_and_sets) {
    ShellOptions options;
    options.pass_environment = {"CARGO_HOME", "PATH"};
    options.environment = {{"HOME", "/own"}, {"EMPTY", ""}, {"CARGO_HOME", "/set"}};
    const Texts host = {"CARGO_HOME=/host", "PATH=/host/bin", "OTHER=x"};
    const Environment made = command_environment(options, host, kAround);
    EXPECT_TRUE(has(made, "CARGO_HOME=/set"));
    EXPECT_TRUE(has(made, "PATH=/host/bin"));
    EXPECT_TRUE(has(made, "HOME=/own"));
    EXPECT_TRUE(has(made, "EMPTY="));
    for (const char* name : {"CARGO_HOME", "PATH", "HOME"}) EXPECT_EQ(count(made, name), 1U);
    EXPECT_EQ(made.withheld, Texts{"OTHER"});
}

TEST(Environment, a_proxy_is_announced_in_every_usual_way) {
    const Environment made = command_environment({}, {}, {.proxy_port = 8080});
    EXPECT_TRUE(has(made, "https_proxy=http://127.0.0.1:8080"));
    EXPECT_TRUE(has(made, "HTTPS_PROXY=http://127.0.0.1:8080"));
    EXPECT_TRUE(has(made, "ALL_PROXY=socks5h://127.0.0.1:8080"));
    EXPECT_EQ(count(made, "NO_PROXY"), 1U);
}

}  // namespace
}  // namespace paddock::sandbox
