// A real client: curl, told of the proxy by options and by the environment that commands get.
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>

#include "sandbox/environment.h"
#include "sandbox/proxy_fixture.h"

namespace paddock::testing {
namespace {

class ProxyCurl : public ProxyTest {
protected:
    void SetUp() override {
        ProxyTest::SetUp();
        if (IsSkipped()) return;
        if (run("command -v curl").empty()) GTEST_SKIP() << "curl is not installed";
        hosts("127.0.0.1 origin.test other.test\n");
        start({"origin.test", "127.0.0.1:" + std::to_string(origin_.port())});
    }

    static std::string run(const std::string& command) {
        FILE* const pipe = ::popen(command.c_str(), "r");
        std::string output;
        for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) {
            output += static_cast<char>(c);
        }
        status_ = ::pclose(pipe);
        return output;
    }

    std::string curl(const std::string& arguments, const std::string& environment = {}) {
        return run("exec env -i PATH=/usr/bin:/bin " + environment + " curl -q -sS " + arguments +
                   " 2>&1");
    }

    std::string proxy() const { return "127.0.0.1:" + std::to_string(port_); }
    std::string url(const std::string& host) const {
        return "http://" + host + ":" + std::to_string(origin_.port()) + "/file";
    }

    static inline int status_ = 0;
    HttpLog log_;
    Origin origin_{http("content", &log_)};
};

TEST_F(ProxyCurl, fetches_in_every_way) {
    EXPECT_EQ(curl("--proxy " + proxy() + " " + url("origin.test")), "content");
    EXPECT_EQ(curl("--proxytunnel --proxy " + proxy() + " " + url("origin.test")), "content");
    EXPECT_EQ(curl("--socks5-hostname " + proxy() + " " + url("origin.test")), "content");
    EXPECT_EQ(curl("--proxy " + proxy() + " -d body " + url("origin.test")), "content");
    EXPECT_EQ(log_.taken().size(), 4U);
    EXPECT_TRUE(log_.taken().back().ends_with("\r\n\r\nbody"));
    EXPECT_TRUE(denied().empty());
}

TEST_F(ProxyCurl, is_refused_with_the_reason) {
    const std::string other = "other.test:" + std::to_string(origin_.port());
    EXPECT_EQ(curl("--proxy " + proxy() + " " + url("other.test")),
              "paddock: " + other + " is not on the allow list; allow it with --net origin.test," +
                  "127.0.0.1:" + std::to_string(origin_.port()) + "," + other + "\n");
    EXPECT_NE(curl("--proxytunnel --proxy " + proxy() + " " + url("other.test")).find("403"),
              std::string::npos);
    curl("--socks5-hostname " + proxy() + " " + url("other.test"));
    EXPECT_EQ(WEXITSTATUS(status_), 97) << "curl: a handshake with the proxy failed";
    EXPECT_EQ(denied(), std::vector<std::string>{"other.test:" + std::to_string(origin_.port()) +
                                                 " is not on the allow list (3)"});
}

TEST_F(ProxyCurl, finds_the_proxy_in_its_environment) {
    std::string environment;
    for (const std::string& one : sandbox::proxy_environment(port_)) environment += one + " ";
    EXPECT_EQ(curl(url("origin.test"), environment), "content");
    EXPECT_TRUE(log_.taken().back().ends_with("Connection: close\r\n\r\n")) << "by the proxy";
    EXPECT_EQ(curl(url("127.0.0.1"), environment), "content");
    EXPECT_FALSE(log_.taken().back().ends_with("Connection: close\r\n\r\n")) << "directly";
    // An https URL makes it ask with CONNECT, and the origin gets the first bytes of TLS.
    curl("--max-time 60 https://other.test:443/", environment);
    EXPECT_EQ(denied(), std::vector<std::string>{"other.test:443 is not on the allow list (1)"});
    const std::string only_socks = "ALL_PROXY=socks5h://" + proxy();
    EXPECT_EQ(curl(url("origin.test"), only_socks), "content");
}

}  // namespace
}  // namespace paddock::testing
