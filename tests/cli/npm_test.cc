// npm, as a user meets it: refused at once without a network, on both levels of the sandbox, and at
// work with a local registry, also one that stands in for the real one.
#include "cli/run.h"

#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "sandbox/proxy_peers.h"
#include "testing/jail.h"
#include "testing/shell.h"

namespace paddock::testing {
namespace {

bool has_part(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

class NpmTest : public Jail {
protected:
    void SetUp() override {
        if (const std::string why = cannot_run(); !why.empty()) GTEST_SKIP() << why;
        if (!has_program("npm")) GTEST_SKIP() << "npm is not installed";
        const Ran probe = run({}, {"sh", "-c", "test -n \"$HTTPS_PROXY\""});
        if (probe.exit_code == 125) GTEST_SKIP() << probe.err;
        has_proxy_ = probe.exit_code == 0;
    }

    bool has_proxy_ = false;

    Ran run(const std::vector<std::string>& options,
            const std::vector<std::string>& command) const {
        std::vector<std::string> words{"run", "--root", ws()};
        words.insert(words.end(), options.begin(), options.end());
        words.emplace_back("--");
        words.insert(words.end(), command.begin(), command.end());
        return paddock(words);
    }
};

class Npm : public NpmTest {
protected:
    void SetUp() override {
        NpmTest::SetUp();
        if (!IsSkipped() && !has_proxy_) GTEST_SKIP() << "no network namespace here";
    }
};

// One package, "decoy", whose archive was made with tar.
class Registry {
public:
    explicit Registry(std::string archive)
        : archive_(std::move(archive)),
          origin_([this](int socket) { answer(socket); }, "127.0.0.2") {}

    std::string place() const { return origin_.place(); }
    int connections() const { return origin_.connections(); }

private:
    void answer(int socket) const {
        const std::string head = read_until(socket, "\r\n\r\n");
        const bool wants_archive = has_part(head, "decoy-1.0.0.tgz");
        const std::string body =
            wants_archive ? archive_
                          : R"({"name":"decoy","dist-tags":{"latest":"1.0.0"},"versions":{"1.0.0":)"
                            R"({"name":"decoy","version":"1.0.0","dist":{"tarball":"http://)" +
                                place() + R"(/decoy/-/decoy-1.0.0.tgz"}}}})";
        send_all(socket,
                 "HTTP/1.1 200 OK\r\nContent-Type: " +
                     std::string(wants_archive ? "application/octet-stream" : "application/json") +
                     "\r\nConnection: close\r\nContent-Length: " + std::to_string(body.size()) +
                     "\r\n\r\n" + body);
    }

    std::string archive_;
    Origin origin_;
};

TEST_F(Npm, without_a_network_is_refused_with_host_and_option_and_does_not_try_again) {
    const Ran ran = run({}, {"npm", "install", "left-pad"});
    EXPECT_NE(ran.exit_code, 0);
    EXPECT_TRUE(has_part(ran.err, "E403"))
        << "an answer that npm does not ask for again" << ran.err;
    EXPECT_TRUE(has_part(ran.err,
                         "- connect to registry.npmjs.org:443: is out of reach: commands have no "
                         "network; allow it with --net npm (layer: proxy, operator setting: "
                         "bash.network)"))
        << ran.err;
    // Each attempt would be counted, and npm waits ten seconds before the second.
    EXPECT_FALSE(has_part(ran.err, "EAI_AGAIN")) << ran.err;
}

TEST_F(Npm, installs_from_a_registry_that_is_listed_and_from_no_other) {
    std::filesystem::create_directories(ws("package"));
    os_write(ws("package/package.json"), R"({"name":"decoy","version":"1.0.0"})");
    os_write(ws("package/index.js"), "module.exports = 'content';\n");
    ASSERT_EQ(run({}, {"tar", "-czf", "decoy.tgz", "package"}).exit_code, 0);
    const Registry registry(os_read(ws("decoy.tgz")).value_or(""));
    const std::vector<std::string> install{"npm", "install", "--registry",
                                           "http://" + registry.place(), "decoy"};
    const Ran refused = run({}, install);
    EXPECT_NE(refused.exit_code, 0);
    EXPECT_EQ(registry.connections(), 0);
    EXPECT_TRUE(has_part(refused.err, "allow it with --allow-host " + registry.place()))
        << refused.err;

    const Ran ran = run({"--allow-host", registry.place()}, install);
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_GT(registry.connections(), 0);
    EXPECT_EQ(os_read(ws("node_modules/decoy/index.js")), "module.exports = 'content';\n");
    EXPECT_FALSE(has_part(ran.err, "Denied")) << ran.err;
}

// Its own mounts, its own loopback and every port of it, with the same user. False: not here.
bool enter_world_of_its_own() {
    const std::string user = std::to_string(::geteuid());
    const std::string group = std::to_string(::getegid());
    if (::unshare(CLONE_NEWNS | CLONE_NEWNET) != 0) {
        if (::unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWNET) != 0) return false;
        std::ofstream("/proc/self/setgroups") << "deny";
        std::ofstream("/proc/self/uid_map") << user + " " + user + " 1";
        std::ofstream("/proc/self/gid_map") << group + " " + group + " 1";
    }
    std::ofstream("/proc/sys/net/ipv4/ip_unprivileged_port_start") << "0";
    const UniqueFd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    ifreq loopback{};
    loopback.ifr_name[0] = 'l';
    loopback.ifr_name[1] = 'o';
    loopback.ifr_flags = IFF_UP;
    return ::ioctl(socket.get(), SIOCSIFFLAGS, &loopback) == 0 &&
           ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
}

std::string http_answer(const std::string& type, const std::string& body) {
    return "HTTP/1.1 200 OK\r\nContent-Type: " + type +
           "\r\nConnection: close\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
           body;
}

// Stands at 127.0.0.2:443, where registry.npmjs.org is found. Has left-pad, and counts requests.
class NpmStandIn : public Npm {
protected:
    // All of it happens in a process of its own.
    template <class Test>
    void in_its_own_world(Test test) {
        std::fflush(stdout);
        const pid_t child = ::fork();
        if (child == 0) {
            constexpr int kSkipped = 77;
            if (!enter_world_of_its_own()) ::_exit(kSkipped);
            test();
            std::fflush(stdout);
            ::_exit(HasFailure() ? 1 : 0);
        }
        int status = 0;
        ASSERT_EQ(::waitpid(child, &status, 0), child);
        ASSERT_TRUE(WIFEXITED(status));
        if (WEXITSTATUS(status) == 77) GTEST_SKIP() << "no namespaces here";
        EXPECT_EQ(WEXITSTATUS(status), 0);
    }

    void make_registry() {
        const std::string site = base() + "/site";
        for (const char* each : {"/package", "/site"}) {
            std::filesystem::create_directories(base() + each);
        }
        os_write(base() + "/package/package.json", R"({"name":"left-pad","version":"1.0.0"})");
        os_write(base() + "/package/index.js", "module.exports = 'content';\n");
        ASSERT_EQ(run_shell(base(), "tar -czf left-pad.tgz package"), 0);
        os_write(site + "/left-pad.tgz",
                 http_answer("application/octet-stream",
                             os_read(base() + "/left-pad.tgz").value_or("")));
        os_write(site + "/left-pad",
                 http_answer("application/json",
                             R"({"name":"left-pad","dist-tags":{"latest":"1.0.0"},"versions":)"
                             R"({"1.0.0":{"name":"left-pad","version":"1.0.0","dist":)"
                             R"({"tarball":"https://registry.npmjs.org/left-pad.tgz"}}}})"));
        ASSERT_EQ(run_shell(base(),
                            "openssl req -x509 -newkey rsa:2048 -nodes -days 1 -keyout site.key "
                            "-out ROOT/ca.crt -subj /CN=registry.npmjs.org "
                            "-addext subjectAltName=DNS:registry.npmjs.org 2> /dev/null"),
                  0);
        os_write(base() + "/hosts", "127.0.0.2 registry.npmjs.org\n");
        ASSERT_EQ(::mount((base() + "/hosts").c_str(), "/etc/hosts", nullptr, MS_BIND, nullptr), 0);
    }

    // Returns when it listens. It prints "ACCEPT" then, and "FILE:NAME" for each request.
    void serve() {
        int ends[2];
        ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
        server_ = ::fork();
        ASSERT_GE(server_, 0);
        if (server_ == 0) {
            ::prctl(PR_SET_PDEATHSIG, SIGKILL);
            for (const int standard : {1, 2}) ::dup2(ends[1], standard);
            if (::chdir((base() + "/site").c_str()) == 0) {
                ::execlp("openssl", "openssl", "s_server", "-accept", "127.0.0.2:443", "-cert",
                         ws("ca.crt").c_str(), "-key", (base() + "/site.key").c_str(), "-HTTP",
                         nullptr);
            }
            ::_exit(1);
        }
        ::close(ends[1]);
        printed_ = UniqueFd(ends[0]);
        std::string text;
        for (char c = 0; !has_part(text, "ACCEPT\n") && ::read(printed_.get(), &c, 1) == 1;)
            text += c;
        ASSERT_TRUE(has_part(text, "ACCEPT\n")) << text;
    }

    // What was asked for until now; nothing can be asked for any more.
    std::string asked_until_the_end() {
        ::kill(server_, SIGTERM);
        ::waitpid(server_, nullptr, 0);
        return read_to_end(printed_.get());
    }

    Ran install(std::vector<std::string> options) const {
        for (const std::string& own :
             {"npm_config_cafile=" + ws("ca.crt"), std::string("npm_config_audit=false")}) {
            options.insert(options.end(), {"--env", own});
        }
        return run(options, {"npm", "install", "left-pad"});
    }

    pid_t server_ = -1;
    UniqueFd printed_;
};

TEST_F(NpmStandIn, is_asked_by_the_same_command_with_the_option_only) {
    if (!has_program("openssl")) GTEST_SKIP() << "openssl is not installed";
    in_its_own_world([this] {
        make_registry();
        serve();
        const Ran refused = install({});
        EXPECT_NE(refused.exit_code, 0);
        EXPECT_TRUE(has_part(refused.err, "- connect to registry.npmjs.org:443: ")) << refused.err;
        EXPECT_TRUE(has_part(refused.err, "; allow it with --net npm (")) << refused.err;
        EXPECT_EQ(asked_until_the_end(), "");

        serve();
        // The address is of this machine, where no name of a list may lead by itself.
        const Ran ran = install({"--net", "npm", "--allow-host", "127.0.0.2:443"});
        EXPECT_EQ(ran.exit_code, 0) << ran.err;
        EXPECT_EQ(os_read(ws("node_modules/left-pad/index.js")), "module.exports = 'content';\n");
        EXPECT_FALSE(has_part(ran.err, "Denied")) << ran.err;
        const std::string asked = asked_until_the_end();
        EXPECT_TRUE(has_part(asked, "FILE:left-pad\n")) << asked;
        EXPECT_TRUE(has_part(asked, "FILE:left-pad.tgz\n")) << asked;
    });
}

// npm would look for a newer npm, whatever it is asked to do.
TEST_F(Npm, a_test_that_fails_was_denied_nothing) {
    os_write(ws("package.json"),
             R"({"name":"x","version":"1.0.0","scripts":{"test":"echo tested; exit 3"}})");
    const Ran ran = run({}, {"npm", "test"});
    EXPECT_EQ(ran.exit_code, 3);
    EXPECT_TRUE(has_part(ran.out, "tested")) << ran.out;
    EXPECT_FALSE(has_part(ran.err, "Denied")) << ran.err;
    // The control: who asks for that look is told.
    const Ran looking = run({"--env", "npm_config_update_notifier=true"}, {"npm", "test"});
    EXPECT_TRUE(has_part(looking.err, "- connect to registry.npmjs.org:443: ")) << looking.err;
}

TEST_F(Npm, what_did_not_decide_the_result_is_no_denial) {
    if (!has_program("curl")) GTEST_SKIP() << "curl is not installed";
    const Ran succeeded = run({}, {"sh", "-c", "curl -sS https://a.example/ 2>/dev/null; true"});
    EXPECT_EQ(succeeded.exit_code, 0);
    EXPECT_EQ(
        succeeded.err,
        "paddock: Blocked, but the command succeeded: a.example:443 (--allow-host a.example)\n");
    const Ran failed = run({}, {"sh", "-c", "curl -sS https://a.example/ 2>/dev/null"});
    EXPECT_TRUE(has_part(failed.err, "- connect to a.example:443: ")) << failed.err;
}

class NpmWithoutSockets : public NpmTest {
protected:
    void SetUp() override {
        NpmTest::SetUp();
        if (!IsSkipped() && has_proxy_) GTEST_SKIP() << "there are sockets, and a proxy";
    }
};

TEST_F(NpmWithoutSockets, is_refused_with_the_host_and_does_not_try_again) {
    const std::vector<std::string> install{"npm", "install", "--loglevel", "http", "left-pad"};
    const Ran ran = run({}, install);
    EXPECT_NE(ran.exit_code, 0);
    EXPECT_TRUE(has_part(ran.err, "getaddrinfo EAI_AGAIN registry.npmjs.org")) << ran.err;
    EXPECT_TRUE(has_part(ran.err, "attempt 1 failed")) << ran.err;
    EXPECT_FALSE(has_part(ran.err, "attempt 2 failed")) << ran.err;
    // The control: who asks for a second attempt gets it, and npm would wait ten seconds for it.
    const Ran again =
        run({"--env", "npm_config_fetch_retries=1", "--env", "npm_config_fetch_retry_mintimeout=1"},
            install);
    EXPECT_TRUE(has_part(again.err, "attempt 2 failed")) << again.err;
}

TEST_F(NpmWithoutSockets, is_reported_to_an_agent) {
    const Ran ran =
        paddock({"call", "bash", R"({"command": "npm install left-pad"})", "--root", ws()});
    EXPECT_NE(ran.exit_code, 0);
    EXPECT_TRUE(has_part(ran.out + ran.err,
                         "- look up registry.npmjs.org: is out of reach: commands have no network, "
                         "and allowed hosts need a network namespace (see `paddock doctor`); allow "
                         "it with --net npm (layer: seccomp, operator setting: bash.network)"))
        << ran.out << ran.err;
}

}  // namespace
}  // namespace paddock::testing
