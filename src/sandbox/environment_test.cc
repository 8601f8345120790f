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

TEST(Environment, what_cannot_be_reached_is_asked_for_once) {
    const Environment low = command_environment({}, {}, kAround);
    for (const char* each :
         {"npm_config_fetch_retries=0", "npm_config_update_notifier=false", "NO_UPDATE_NOTIFIER=1",
          "PIP_RETRIES=1", "PIP_DISABLE_PIP_VERSION_CHECK=1", "CARGO_NET_RETRY=0"}) {
        EXPECT_TRUE(has(low, each)) << each;
    }
    EXPECT_EQ(count(low, "NODE_USE_ENV_PROXY"), 0U);
    const Environment full = command_environment({}, {}, {.proxy_port = 1});
    EXPECT_EQ(count(full, "npm_config_fetch_retries"), 0U) << "of a registry on the own loopback";
    EXPECT_TRUE(has(full, "CARGO_NET_RETRY=0"));
}

TEST(Environment, what_can_be_reached_is_asked_for_as_outside) {
    ShellOptions options;
    options.network_allow = {"npm", "a.example"};
    const Environment npm = command_environment(options, {}, {.proxy_port = 1});
    EXPECT_TRUE(has(npm, "NODE_USE_ENV_PROXY=1"));
    EXPECT_TRUE(has(npm, "PIP_DISABLE_PIP_VERSION_CHECK=1")) << "that is another registry";
    for (const char* name : {"npm_config_update_notifier", "NO_UPDATE_NOTIFIER", "PIP_RETRIES",
                             "CARGO_NET_RETRY", "npm_config_fetch_retries"}) {
        EXPECT_EQ(count(npm, name), 0U) << name;
    }
    ShellOptions host;
    host.host_network = permit::HostNetwork{"a test"};
    for (const std::string& each : command_environment(host, {}, kAround).variables) {
        EXPECT_TRUE(each.find("RETR") == each.npos && each.find("PROXY") == each.npos) << each;
    }
}

TEST(Environment, the_users_own_words_on_retries_win) {
    ShellOptions options;
    options.pass_environment = {"NPM_CONFIG_FETCH_RETRIES", "PIP_RETRIES"};
    options.environment = {{"npm_config_update_notifier", "true"}};
    const Texts host = {"NPM_CONFIG_FETCH_RETRIES=5", "PIP_RETRIES=7", "CARGO_NET_RETRY=9"};
    const Environment made = command_environment(options, host, kAround);
    for (const char* each : {"NPM_CONFIG_FETCH_RETRIES=5", "PIP_RETRIES=7",
                             "npm_config_update_notifier=true", "CARGO_NET_RETRY=0"}) {
        EXPECT_TRUE(has(made, each)) << each;
    }
    EXPECT_EQ(count(made, "npm_config_fetch_retries"), 0U);
}

}  // namespace
}  // namespace paddock::sandbox
