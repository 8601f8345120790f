// npm, as a user meets it: refused at once without a network, and at work with a local registry.
#include "cli/run.h"

#include <filesystem>

#include "sandbox/proxy_peers.h"
#include "testing/jail.h"
#include "testing/shell.h"

namespace paddock::testing {
namespace {

bool has_part(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

class Npm : public Jail {
protected:
    void SetUp() override {
        if (const std::string why = cannot_run(); !why.empty()) GTEST_SKIP() << why;
        if (!has_program("npm")) GTEST_SKIP() << "npm is not installed";
        const Ran probe = run({}, {"sh", "-c", "test -n \"$HTTPS_PROXY\""});
        if (probe.exit_code != 0) GTEST_SKIP() << "no network namespace here" << probe.err;
    }

    Ran run(const std::vector<std::string>& options,
            const std::vector<std::string>& command) const {
        std::vector<std::string> words{"run", "--root", ws()};
        words.insert(words.end(), options.begin(), options.end());
        words.emplace_back("--");
        words.insert(words.end(), command.begin(), command.end());
        return paddock(words);
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

TEST_F(Npm, what_did_not_decide_the_result_is_no_denial) {
    if (!has_program("curl")) GTEST_SKIP() << "curl is not installed";
    const Ran succeeded = run({}, {"sh", "-c", "curl -sS https://a.example/ 2>/dev/null; true"});
    EXPECT_EQ(succeeded.exit_code, 0);
    EXPECT_EQ(succeeded.err,
              "paddock: Not reached, though the command succeeded: a.example:443 (--allow-host "
              "a.example)\n");
    const Ran failed = run({}, {"sh", "-c", "curl -sS https://a.example/ 2>/dev/null"});
    EXPECT_TRUE(has_part(failed.err, "- connect to a.example:443: ")) << failed.err;
}

}  // namespace
}  // namespace paddock::testing
