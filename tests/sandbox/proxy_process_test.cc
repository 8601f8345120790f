// The proxy as a process: what it can still do, and when it ends.
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <sstream>

#include "sandbox/proxy_fixture.h"
#include "sys/socket.h"

namespace paddock::testing {
namespace {

std::string text_of(const std::string& path) {
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

// The children of this thread, among which the proxy is the only one.
std::vector<int> children() {
    std::istringstream ids(text_of("/proc/thread-self/children"));
    std::vector<int> found;
    for (int id = 0; ids >> id;) found.push_back(id);
    return found;
}

std::string field(const std::string& status, const std::string& name) {
    const std::size_t begin = status.find("\n" + name + ":\t");
    if (begin == status.npos) return "(none)";
    const std::size_t from = begin + name.size() + 3;
    return status.substr(from, status.find('\n', from) - from);
}

class ProxyProcess : public ProxyTest {
protected:
    int process() {
        const auto found = children();
        EXPECT_EQ(found.size(), 1U);
        return found.empty() ? 0 : found.front();
    }
};

TEST_F(ProxyProcess, has_no_privileges) {
    start({});
    const std::string status = text_of("/proc/" + std::to_string(process()) + "/status");
    ASSERT_NE(status, "") << "needs CONFIG_PROC_CHILDREN";
    if (is_root()) {
        EXPECT_EQ(field(status, "Uid"), "65534\t65534\t65534\t65534");
        EXPECT_EQ(field(status, "Gid"), "65534\t65534\t65534\t65534");
        EXPECT_EQ(field(status, "Groups"), " ");
    }
    for (const char* set : {"CapInh", "CapPrm", "CapEff", "CapAmb"}) {
        EXPECT_EQ(field(status, set), "0000000000000000") << set;
    }
    EXPECT_EQ(field(status, "NoNewPrivs"), "1");
    EXPECT_EQ(field(status, "Threads"), "1");
}

TEST_F(ProxyProcess, keeps_nothing_of_what_the_caller_has_open) {
    if (!is_root()) GTEST_SKIP() << "only root may see the descriptors of another process";
    const UniqueFd secret(::open("/etc/passwd", O_RDONLY));  // not even close-on-exec
    start({});
    std::vector<std::string> open;
    const std::string directory = "/proc/" + std::to_string(process()) + "/fd";
    for (const auto& entry : std::filesystem::directory_iterator(directory)) {
        std::string target = std::filesystem::read_symlink(entry).string();
        open.push_back(target.substr(0, target.find(':')));
    }
    std::sort(open.begin(), open.end());
    // Standard input, output, error; control and parent; the listener.
    EXPECT_EQ(open, (std::vector<std::string>{"/dev/null", "/dev/null", "/dev/null", "anon_inode",
                                              "socket", "socket"}));
}

// It reads the files of name resolution, replaced ones too, and by Landlock no others.
TEST_F(ProxyProcess, reads_no_other_files) {
    const Origin origin(echo("hi"));
    const std::string port = std::to_string(origin.port());
    const std::string outside = scratch_.path() + "/outside";
    std::ofstream(outside) << "127.0.0.1 a.test\n";
    hosts("127.0.0.1 a.test\n");
    start({"a.test", "127.0.0.1"});
    EXPECT_EQ(read_exactly(tunnel("a.test:" + port).get(), 2), "hi");

    hosts("");
    const std::string fresh = names() + "/fresh";
    std::ofstream(fresh) << "127.0.0.1 a.test\n";
    ASSERT_EQ(::rename(fresh.c_str(), settings_.names.hosts.c_str()), 0);
    EXPECT_EQ(read_exactly(tunnel("a.test:" + port).get(), 2), "hi");

    settings_.names.server_time = std::chrono::milliseconds(1);
    ASSERT_EQ(::unlink(settings_.names.hosts.c_str()), 0);
    ASSERT_EQ(::symlink(outside.c_str(), settings_.names.hosts.c_str()), 0);
    // Who is not confined does read it.
    EXPECT_EQ(text_of(settings_.names.hosts), "127.0.0.1 a.test\n");
    const UniqueFd socket = client();
    send_all(socket.get(), "CONNECT a.test:" + port + " HTTP/1.1\r\n\r\n");
    EXPECT_FALSE(is_status(read_to_end(socket.get()), "200"));
}

TEST_F(ProxyProcess, ends_with_its_object_and_takes_its_connections_along) {
    const Origin origin(echo("hi"));
    start({origin.place()});
    const UniqueFd socket = tunnel(origin.place());
    read_exactly(socket.get(), 2);
    proxy_.reset();
    EXPECT_TRUE(children().empty());
    EXPECT_EQ(read_to_end(socket.get()), "");
}

TEST_F(ProxyProcess, leaves_nothing_behind) {
    const int before = count_descriptors();
    for (int i = 0; i < 50; ++i) start({});
    proxy_.reset();
    EXPECT_EQ(count_descriptors(), before);
    EXPECT_TRUE(children().empty());
}

TEST_F(ProxyProcess, tells_that_it_has_ended) {
    start({});
    ASSERT_EQ(::kill(process(), SIGKILL), 0);
    siginfo_t info;
    ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(process()), &info, WEXITED | WNOWAIT), 0);
    EXPECT_FALSE(proxy_->take_denials().has_value());
    EXPECT_FALSE(proxy_->serve(listen_at("127.0.0.1")).has_value());
}

// A process that is killed cannot tidy up. Another one still holds a copy of its control socket.
TEST_F(ProxyProcess, ends_with_the_process_that_started_it) {
    const Origin origin(echo("hi"));
    auto ends = sys::message_pair(4096);
    ASSERT_TRUE(ends.has_value());
    const pid_t server = ::fork();
    if (server == 0) {
        ends->first.reset();
        start({origin.place()});
        if (::fork() == 0) {
            char byte = 0;
            (void)!::read(ends->second.get(), &byte, 1);  // until the test ends
            ::_exit(0);
        }
        const std::string port = std::to_string(port_);
        (void)sys::send_message(ends->second.get(), port, {});
        ::pause();
        ::_exit(0);
    }
    char bytes[16] = {};
    const auto message = sys::receive_message(ends->first.get(), bytes, {});
    ASSERT_TRUE(message.has_value() && message->bytes > 0);
    port_ = static_cast<std::uint16_t>(std::stoi(std::string(bytes, message->bytes)));
    const UniqueFd socket = tunnel(origin.place());
    read_exactly(socket.get(), 2);
    ASSERT_EQ(::kill(server, SIGKILL), 0);
    ASSERT_EQ(::waitpid(server, nullptr, 0), server);
    EXPECT_EQ(read_to_end(socket.get()), "") << "and not for ever";
}

// Threads of the caller come and go; the proxy stays.
TEST_F(ProxyProcess, does_not_end_with_the_thread_that_started_it) {
    const Origin origin(echo("hi"));
    std::thread([&] { start({origin.place()}); }).join();
    EXPECT_EQ(read_exactly(tunnel(origin.place()).get(), 2), "hi");
}

TEST_F(ProxyProcess, refuses_to_run_unconfined) {
    in_child([&] {
        const UniqueFd everything(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
        // Sixteen domains are the most.
        for (int i = 0; i < 16; ++i) {
            ConfineSpec spec;
            spec.rules = {{everything.get(), Access::kReadWrite}};
            spec.network = permit::Network{"the test"};
            ASSERT_TRUE(confine_self(spec).has_value());
        }
        const auto started = proxy::Proxy::start(settings_);
        ASSERT_TRUE(started.has_value());
        const auto served = (*started)->serve(listen_at("127.0.0.1"));
        ASSERT_FALSE(served.has_value());
        EXPECT_EQ(served.error().code, Code::kSandboxUnavailable);
        EXPECT_EQ(served.error().reason, "the proxy cannot be confined by Landlock");
    });
}

}  // namespace
}  // namespace paddock::testing
