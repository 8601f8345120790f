// npm and pip with the environment that commands get: how often they ask for a host that is
// refused, and that they look for no newer version of themselves.
#include <cstdlib>
#include <filesystem>

#include "sandbox/environment.h"
#include "sandbox/proxy_fixture.h"
#include "testing/shell.h"

namespace paddock::testing {
namespace {

using Refused = std::vector<std::string>;

class ProxyPackages : public ProxyTest {
protected:
    void SetUp() override {
        ProxyTest::SetUp();
        if (IsSkipped()) return;
        start({});
        std::filesystem::create_directory(directory());
        std::ofstream(directory() + "/package.json")
            << R"({"name":"x","version":"1.0.0","scripts":{"test":"exit 1"}})";
    }

    std::string directory() const { return scratch_.path() + "/work"; }

    // In the environment of commands, with these variables in the place of its own.
    bool succeeds(const std::string& command, const std::vector<std::string>& variables = {}) {
        ShellOptions options;
        for (const std::string& each : variables) {
            const std::size_t equals = each.find('=');
            options.environment.push_back({each.substr(0, equals), each.substr(equals + 1)});
        }
        const auto environment = sandbox::command_environment(
            options, {},
            {.home = scratch_.path(), .temporary = scratch_.path(), .proxy_port = port_});
        std::string words = "cd " + directory() + " && exec env -i";
        for (const std::string& each : environment.variables) words += " '" + each + "'";
        return std::system((words + " " + command + " > /dev/null 2>&1").c_str()) == 0;
    }
};

TEST_F(ProxyPackages, npm_asks_once_for_what_is_refused) {
    if (!has_program("npm")) GTEST_SKIP() << "npm is not installed";
    EXPECT_FALSE(succeeds("npm install left-pad"));
    EXPECT_EQ(denied(),
              Refused{"registry.npmjs.org:443 is out of reach: commands have no network (1)"});
}

TEST_F(ProxyPackages, npm_looks_for_no_newer_npm) {
    if (!has_program("npm")) GTEST_SKIP() << "npm is not installed";
    EXPECT_FALSE(succeeds("npm test"));
    EXPECT_EQ(denied(), Refused{});
    // The control: it would.
    EXPECT_FALSE(succeeds("npm test", {"npm_config_update_notifier=true"}));
    EXPECT_EQ(denied().size(), 1U);
}

TEST_F(ProxyPackages, pip_asks_twice_at_most) {
    if (!has_program("pip3")) GTEST_SKIP() << "pip is not installed";
    EXPECT_FALSE(succeeds("pip3 download left-pad"));
    EXPECT_EQ(denied(), Refused{"pypi.org:443 is out of reach: commands have no network (2)"});
}

}  // namespace
}  // namespace paddock::testing
