// Published servers of commands: who reaches them, and who does not.
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <string>
#include <vector>

#include <paddock/limits.h>
#include <paddock/unique_fd.h>

#include "sandbox/proxy_peers.h"
#include "tools/bash_desk.h"

namespace paddock::testing {
namespace {

class Publish : public BashDesk {
protected:
    void SetUp() override {
        BashDesk::SetUp();
        if (IsSkipped()) return;
        port_ = free_port();
        publish({std::to_string(port_)});
        const tools::Answer answer = call("bash", {{"command", "true"}});
        if (answer.error == Code::kSandboxUnavailable) GTEST_SKIP() << answer.text();
    }

    void publish(std::vector<std::string> ports) {
        options.shell->publish = std::move(ports);
        reopen();
    }

    // A server inside that answers each client with what it sent, in capitals, and logs it.
    std::string serve(const std::string& address, std::uint16_t port) {
        const bool v6 = address.find(':') != std::string::npos;
        const std::string script =
            "cat > serve.py <<'PY'\n"
            "import socket, threading\n"
            "s = socket.socket(socket.AF_INET" +
            std::string(v6 ? "6" : "") +
            ")\n"
            "s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)\n"
            "s.bind(('" +
            address + "', " + std::to_string(port) +
            "))\n"
            "s.listen()\n"
            "print('up', flush=True)\n"
            "def one(c):\n"
            "  text = b''\n"
            "  while True:\n"
            "    part = c.recv(65536)\n"
            "    if not part: break\n"
            "    text += part\n"
            "  print('got', text[:40].decode(), len(text), flush=True)\n"
            "  c.sendall(text.upper()); c.close()\n"
            "while True: threading.Thread(target=one, args=(s.accept()[0],)).start()\n"
            "PY\n"
            "exec python3 serve.py";
        const std::string id =
            id_in(ok("bash", {{"command", script}, {"run_in_background", true}}));
        const std::string text = output_with(id, "up\n");
        EXPECT_TRUE(holds(text, "up\n")) << text;
        return id;
    }

    // Ends when they listen. The process of the first ones is in first.pid.
    static std::string start_servers(const std::vector<std::uint16_t>& ports) {
        std::string list;
        for (const std::uint16_t port : ports) list += std::to_string(port) + ",";
        const std::string last = std::to_string(ports.back());
        return "python3 -c \"import socket,time\ns=[socket.create_server(('127.0.0.1',p)) for p in "
               "(" +
               list + ")]\ntime.sleep(1000)\" & test -e first.pid || echo $! > first.pid; " +
               "until (exec 3<>/dev/tcp/127.0.0.1/" + last + ") 2>/dev/null; do sleep 0.01; done";
    }

    static std::string exchange(std::uint16_t port, const std::string& text) {
        const UniqueFd socket = connect_to("127.0.0.1", port);
        if (!socket.valid()) return {};
        send_all(socket.get(), text);
        ::shutdown(socket.get(), SHUT_WR);
        return read_to_end(socket.get());
    }

    std::uint16_t port_ = 0;
};

TEST_F(Publish, a_server_of_a_command_is_reached) {
    for (const char* address : {"127.0.0.1", "0.0.0.0", "::1", "::"}) {
        publish({std::to_string(port_)});
        const std::string id = serve(address, port_);
        EXPECT_EQ(exchange(port_, "hello"), "HELLO") << address;
        EXPECT_TRUE(holds(output_with(id, "got"), "got hello 5\n")) << address;
    }
}

TEST_F(Publish, answers_say_where_it_listens_once) {
    const std::string where = "[listening: http://127.0.0.1:" + std::to_string(port_) + "]";
    EXPECT_FALSE(holds(bash("true"), where));
    const std::string text = bash(start_servers({port_}));
    EXPECT_TRUE(holds(text, where)) << text;
    EXPECT_FALSE(holds(bash("true"), where));
}

TEST_F(Publish, another_port_outside_and_much_both_ways) {
    const std::uint16_t inside = free_port();
    publish({std::to_string(port_) + ":" + std::to_string(inside)});
    serve("127.0.0.1", inside);
    EXPECT_EQ(exchange(port_, std::string(3'000'000, 'x')), std::string(3'000'000, 'X'));
    EXPECT_NE(connect_error("127.0.0.1", inside), 0);
}

TEST_F(Publish, nothing_else_inside_is_reached) {
    const std::uint16_t other = free_port();
    serve("127.0.0.1", other);
    EXPECT_NE(connect_error("127.0.0.1", other), 0);
    EXPECT_EQ(exchange(port_, "nobody listens"), "");
}

TEST_F(Publish, without_a_server_and_after_the_session_there_is_nobody) {
    EXPECT_FALSE(bash("true").empty());
    EXPECT_EQ(exchange(port_, "too soon"), "");
    publish({});
    EXPECT_EQ(connect_error("127.0.0.1", port_), ECONNREFUSED);
}

TEST_F(Publish, a_port_in_use_is_said_at_the_start) {
    const Origin taken(echo(), "127.0.0.1");
    publish({std::to_string(taken.port())});
    const tools::Answer answer = call("bash", {{"command", "true"}});
    EXPECT_EQ(answer.error, Code::kInvalidArgument);
    EXPECT_TRUE(holds(answer.text(), std::to_string(taken.port()))) << answer.text();
    EXPECT_TRUE(holds(answer.text(), "in use")) << answer.text();
}

TEST_F(Publish, auto_finds_servers_and_not_those_of_tests) {
    constexpr std::uint16_t kChosenByTheKernel = 40321;
    publish({"auto"});
    const std::string text = bash(start_servers({port_, kChosenByTheKernel}));
    EXPECT_TRUE(holds(text, "[listening: http://127.0.0.1:" + std::to_string(port_) + "]")) << text;
    EXPECT_FALSE(holds(text, "40321")) << text;
    EXPECT_NE(connect_error("127.0.0.1", kChosenByTheKernel), 0);
    EXPECT_EQ(connect_error("127.0.0.1", port_), 0);
}

TEST_F(Publish, auto_takes_another_port_where_that_one_is_in_use) {
    publish({"auto"});
    const Origin taken(echo(), "127.0.0.1", port_);
    const std::string text = bash(start_servers({port_}));
    EXPECT_TRUE(holds(text, " (port " + std::to_string(port_) + " here)]")) << text;
    const std::string before = "[listening: http://127.0.0.1:";
    const int outside = std::stoi(text.substr(text.find(before) + before.size()));
    EXPECT_NE(outside, port_);
    EXPECT_EQ(connect_error("127.0.0.1", static_cast<std::uint16_t>(outside)), 0);
}

TEST_F(Publish, auto_has_room_for_new_servers_when_old_ones_are_gone) {
    publish({"auto"});
    std::vector<std::uint16_t> ports;
    while (ports.size() < limits::kPublishedPortsMax) ports.push_back(free_port());
    EXPECT_TRUE(holds(bash(start_servers(ports)), std::to_string(ports.back())));
    const std::uint16_t late = free_port();
    EXPECT_FALSE(holds(bash(start_servers({late})), "listening"));
    EXPECT_TRUE(holds(bash("kill $(cat first.pid); while kill -0 $(cat first.pid); do sleep 0.01; "
                           "done 2>/dev/null"),
                      ":" + std::to_string(late)));
}

// What a user of another number gets: all that it read, or nothing if it was not let in.
std::optional<std::string> as_nobody(std::uint16_t port, bool stays) {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return std::nullopt;
    const pid_t child = ::fork();
    if (child == 0) {
        if (::setgid(65533) != 0 || ::setuid(65533) != 0) ::_exit(1);
        const UniqueFd socket = connect_to("127.0.0.1", port);
        if (socket.valid()) {
            (void)!::send(socket.get(), "intruder", 8, MSG_NOSIGNAL);
            if (stays) {
                ::shutdown(socket.get(), SHUT_WR);
                const std::string text = read_to_end(socket.get());
                (void)!::write(ends[1], text.data(), text.size());
            }
        }
        ::_exit(0);
    }
    ::close(ends[1]);
    std::string text = read_to_end(ends[0]);
    ::close(ends[0]);
    int status = 0;
    ::waitpid(child, &status, 0);
    return text;
}

ATTACK_F(Publish, WD_06, another_user_is_refused) {
    if (::geteuid() != 0) GTEST_SKIP() << "only root can be another user";
    // The control: what listens on the loopback by itself serves anybody.
    const Origin open([](int socket) {
        const std::string text = read_to_end(socket);
        send_all(socket, text);
    });
    EXPECT_EQ(as_nobody(open.port(), true), "intruder");

    const std::string id = serve("127.0.0.1", port_);
    EXPECT_EQ(as_nobody(port_, true), "");
    // The kernel shows sockets that are closed as root's: none of these gets a byte inside.
    for (int i = 0; i < 200; ++i) (void)as_nobody(port_, false);
    const std::string news = bash("true");
    EXPECT_TRUE(holds(news, "user 65533 was refused at a published port")) << news;
    EXPECT_EQ(exchange(port_, "owner"), "OWNER");
    const std::string text = output_with(id, "got owner");
    EXPECT_FALSE(holds(text, "intruder")) << text;
}

}  // namespace
}  // namespace paddock::testing
