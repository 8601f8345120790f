// The name server of commands: it refuses each question at once, logs the host, and survives
// whatever else comes.
#include <netinet/in.h>
#include <sys/socket.h>

#include "sandbox/dns_reply.h"
#include "sandbox/proxy_fixture.h"
#include "sys/io.h"

namespace paddock::testing {
namespace {

using namespace std::string_literals;
using proxy::DnsType;

std::string question(const std::string& name, std::uint16_t id = 1, DnsType type = DnsType::kA) {
    return proxy::write_dns_question({id, name, type});
}

class ProxyNames : public ProxyTest {
protected:
    void start_with_names(const std::vector<std::string>& allow) {
        start(allow);
        auto names = sys::datagrams_on_loopback(0);
        ASSERT_TRUE(names.has_value());
        name_port_ = port_of(names->get());
        UniqueFd listener = listen_at("127.0.0.1");
        port_ = port_of(listener.get());
        ASSERT_TRUE(proxy_->serve(std::move(listener), std::move(*names)).has_value());
        client_ = UniqueFd(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        address.sin_port = htons(name_port_);
        ASSERT_EQ(::connect(client_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address),
                  0);
    }

    void tell(std::string_view bytes) const {
        EXPECT_EQ(::send(client_.get(), bytes.data(), bytes.size(), 0),
                  static_cast<ssize_t>(bytes.size()));
    }

    // Waits for an answer as long as it takes.
    std::string hear() const {
        char bytes[4096];
        const ssize_t size = ::recv(client_.get(), bytes, sizeof bytes, 0);
        EXPECT_GE(size, 0);
        return {bytes, size < 0 ? 0 : static_cast<std::size_t>(size)};
    }

    std::string refusal_of(std::string asked) const {
        asked[2] = '\x81';
        asked[3] = '\x05';
        return asked;
    }

    void expect_refused(const std::string& asked) const {
        tell(asked);
        EXPECT_EQ(hear(), refusal_of(asked));
    }

    std::vector<std::string> looked_up() const {
        const auto denials = proxy_->take_denials();
        EXPECT_TRUE(denials.has_value());
        std::vector<std::string> lines;
        for (const proxy::NetworkDenial& each : denials->list) {
            EXPECT_TRUE(each.is_look_up);
            EXPECT_EQ(each.port, 0);
            lines.push_back(each.host + " " + each.why + "; " + each.option);
        }
        return lines;
    }

    std::uint16_t name_port_ = 0;
    UniqueFd client_;
};

TEST_F(ProxyNames, are_refused_and_logged_with_the_option) {
    start_with_names({});
    expect_refused(question("registry.npmjs.org"));
    expect_refused(question("registry.npmjs.org", 2, DnsType::kAaaa));
    expect_refused(question("a.example", 3));
    EXPECT_EQ(looked_up(),
              (std::vector<std::string>{
                  "registry.npmjs.org is out of reach: commands have no network; --net npm",
                  "a.example is out of reach: commands have no network; --allow-host a.example"}));
}

TEST_F(ProxyNames, that_are_allowed_are_refused_too_for_another_reason) {
    start_with_names({"npm", "*.example"});
    const std::string why =
        " is allowed through the proxy only, but the program ignored HTTPS_PROXY; use HTTPS, or "
        "--net host; ";
    for (const std::string name : {"registry.npmjs.org", "a.example", "other.test"}) {
        expect_refused(question(name));
    }
    EXPECT_EQ(looked_up(),
              (std::vector<std::string>{
                  "registry.npmjs.org" + why, "a.example" + why,
                  "other.test is not on the allow list; --net 'npm,*.example,other.test'"}));
}

TEST_F(ProxyNames, that_nobody_needs_are_not_logged) {
    start_with_names({});
    for (const std::string name : {"", "localhost", "app.localhost", "paddock",
                                   "1.0.0.127.in-addr.arpa", "1.0.0.0.ip6.arpa"}) {
        expect_refused(question(name));
    }
    EXPECT_TRUE(looked_up().empty());
}

TEST_F(ProxyNames, of_any_bytes_are_shown) {
    start_with_names({});
    expect_refused(question("a\n- b\x1b[0m.example"));
    const auto lines = looked_up();
    ASSERT_EQ(lines.size(), 1U);
    EXPECT_TRUE(lines[0].starts_with("a\\x0a- b\\x1b[0m.example ")) << lines[0];
}

TEST_F(ProxyNames, what_is_no_question_is_not_answered_and_does_no_harm) {
    start_with_names({});
    const std::string good = question("a.example", 7);
    std::vector<std::string> hostile{"",
                                     "x",
                                     std::string(11, '\0'),
                                     std::string(12, '\xff'),
                                     std::string(65'000, '\xff'),
                                     std::string(65'000, '\0')};
    for (std::size_t size = 1; size < good.size(); ++size) hostile.push_back(good.substr(0, size));
    const auto changed = [&](std::size_t at, char byte) {
        std::string bytes = good;
        bytes[at] = byte;
        hostile.push_back(bytes);
    };
    changed(2, '\x81');   // an answer: two servers would answer each other for ever
    changed(2, '\x29');   // another kind of message
    changed(5, '\0');     // no question
    changed(5, '\x02');   // two
    changed(12, '\xc0');  // a name that leads into the header, as all of these
    changed(12, '\x40');
    changed(12, '\x3f');  // a label beyond the end
    hostile.push_back(good.substr(0, 12) + "\xc0\x0c\0\1\0\1"s);
    hostile.push_back(good.substr(0, 12) + "\1a\xc0\x0c\0\1\0\1"s);
    std::string long_name = good.substr(0, 12);
    for (int i = 0; i < 130; ++i) long_name += "\1a";
    hostile.push_back(long_name + "\0\0\1\0\1"s);
    for (const std::string& bytes : hostile) {
        tell(bytes);
        expect_refused(question("b.example", 8));
    }
    EXPECT_EQ(looked_up().size(), 1U);
}

TEST_F(ProxyNames, what_is_behind_a_question_does_not_matter) {
    start_with_names({});
    const std::string good = question("a.example");
    tell(good + std::string(60'000, '\xff'));
    EXPECT_EQ(hear(), refusal_of(good));
}

TEST_F(ProxyNames, a_flood_of_questions_keeps_nobody_waiting) {
    const Origin origin(echo("good"));
    start_with_names({origin.place()});
    std::atomic<bool> over = false;
    std::thread flood([&] {
        for (std::uint16_t i = 0; !over; ++i) {
            const std::string asked = question("a" + std::to_string(i) + ".example", i);
            (void)!::send(client_.get(), asked.data(), asked.size(), MSG_DONTWAIT);
        }
    });
    for (int i = 0; i < 20; ++i) {
        EXPECT_EQ(read_exactly(tunnel(origin.place()).get(), 4), "good");
    }
    auto denials = proxy_->take_denials();
    over = true;
    flood.join();
    ASSERT_TRUE(denials.has_value());
    EXPECT_LE(denials->list.size(), proxy::kProxyDenialsMax);
}

}  // namespace
}  // namespace paddock::testing
