// Name resolution against a name server of the test: files before servers, one server after the
// other, UDP before TCP, and nothing that is no answer.
#include "proxy/name_lookup.h"

#include <fstream>

#include "sandbox/dns_reply.h"
#include "sandbox/proxy_peers.h"
#include "sys/socket.h"
#include "testing/jail.h"

namespace paddock::testing {
namespace {

using namespace std::chrono_literals;
using proxy::DnsQuestion;
using proxy::DnsType;
using proxy::NameLookup;

class NameLookupTest : public ::testing::Test {
protected:
    NameLookupTest() {
        sources_.hosts = scratch_.path() + "/hosts";
        sources_.resolv_conf = scratch_.path() + "/resolv.conf";
        sources_.server_time = 1h;  // no question is asked twice on a busy machine
        servers({"127.0.0.1"});
    }

    void servers(const std::vector<std::string>& addresses) {
        std::ofstream file(sources_.resolv_conf);
        for (const std::string& address : addresses) file << "nameserver " << address << "\n";
    }

    void hosts(const std::string& text) { std::ofstream(sources_.hosts) << text; }

    // The addresses, or the code of the failure.
    std::string look_up(const std::string& name) {
        NameLookup lookup(name, sources_, std::chrono::steady_clock::now());
        for (;;) {
            const auto now = std::chrono::steady_clock::now();
            const auto found = lookup.proceed(now);
            if (!found) {
                std::vector<pollfd> waits;
                lookup.add_waits(waits);
                const auto left =
                    std::chrono::ceil<std::chrono::milliseconds>(lookup.deadline() - now);
                EXPECT_TRUE(sys::wait_ready(waits, static_cast<int>(std::max(left, 0ms).count())));
                continue;
            }
            if (!*found) return std::string(code_name(found->error().code));
            std::string text;
            for (const auto& address : **found) text += policy::address_text(address) + " ";
            return text;
        }
    }

    ScratchDir scratch_;
    proxy::NameSources sources_;
};

TEST_F(NameLookupTest, localhost_needs_nobody) {
    hosts("127.0.0.9 localhost a.localhost\n");
    EXPECT_EQ(look_up("localhost"), "127.0.0.1 ::1 ");
    EXPECT_EQ(look_up("a.localhost"), "127.0.0.1 ::1 ");
}

TEST_F(NameLookupTest, the_hosts_file_comes_first_and_is_read_anew) {
    const FakeDns dns(always({"127.0.0.3", "::3"}));
    sources_.port = dns.port();
    hosts("127.0.0.2 a.test\n");
    EXPECT_EQ(look_up("a.test"), "127.0.0.2 ");
    EXPECT_EQ(dns.questions(), 0);
    EXPECT_EQ(look_up("b.test"), "127.0.0.3 ::3 ");
    EXPECT_EQ(dns.questions(), 2);
    hosts("127.0.0.4 a.test\n");
    EXPECT_EQ(look_up("a.test"), "127.0.0.4 ");
}

TEST_F(NameLookupTest, a_name_without_addresses_is_not_found) {
    const FakeDns dns([](const DnsQuestion& question, int, bool) {
        return question.name == "none.test" ? DnsReply(question).code(3).bytes()
                                            : DnsReply(question).bytes();
    });
    sources_.port = dns.port();
    EXPECT_EQ(look_up("none.test"), "not_found");
    EXPECT_EQ(look_up("empty.test"), "not_found");
    EXPECT_EQ(dns.questions(), 4) << "no search domains, no second question";
}

TEST_F(NameLookupTest, one_kind_of_address_is_enough) {
    const FakeDns dns([](const DnsQuestion& question, int, bool) {
        return question.type == DnsType::kA ? DnsReply(question).code(2).bytes()
                                            : DnsReply(question).address("a.test", "::5").bytes();
    });
    sources_.port = dns.port();
    EXPECT_EQ(look_up("a.test"), "::5 ");
}

TEST_F(NameLookupTest, a_long_answer_comes_over_tcp) {
    const FakeDns dns([](const DnsQuestion& question, int, bool tcp) {
        if (!tcp) return DnsReply(question).truncated().bytes();
        DnsReply reply(question);
        if (question.type == DnsType::kAaaa) return reply.bytes();
        for (int i = 0; i < 100; ++i) reply.address("a.test", "127.0.0.6");
        return reply.bytes();
    });
    sources_.port = dns.port();
    EXPECT_TRUE(look_up("a.test").starts_with("127.0.0.6 127.0.0.6 "));
}

TEST_F(NameLookupTest, the_next_server_is_asked_if_one_fails) {
    const FakeDns dns(always({"127.0.0.7"}), "127.0.0.2");
    sources_.port = dns.port();
    servers({"127.0.0.3", "127.0.0.2"});  // nobody is at the first
    EXPECT_EQ(look_up("a.test"), "127.0.0.7 ");
    const FakeDns broken(
        [](const DnsQuestion& question, int, bool) { return DnsReply(question).code(2).bytes(); },
        "127.0.0.4", dns.port());
    servers({"127.0.0.4", "127.0.0.2"});
    EXPECT_EQ(look_up("a.test"), "127.0.0.7 ");
    EXPECT_EQ(broken.questions(), 2);
}

TEST_F(NameLookupTest, silence_ends_in_time) {
    const FakeDns dns([](const DnsQuestion&, int, bool) { return std::string(); });
    sources_.port = dns.port();
    sources_.server_time = 20ms;
    EXPECT_EQ(look_up("a.test"), "timeout");
    while (dns.questions() < 4) std::this_thread::yield();  // two rounds
}

TEST_F(NameLookupTest, what_is_no_answer_does_not_count) {
    const FakeDns dns([](const DnsQuestion& question, int nth, bool) {
        DnsQuestion other = question;
        if (nth < 2) {
            other.id = static_cast<std::uint16_t>(question.id ^ 1);
            return DnsReply(other).address("a.test", "127.0.0.66").bytes();
        }
        if (nth < 4) {
            other.name = "b.test";
            return DnsReply(other).address("a.test", "127.0.0.66").bytes();
        }
        return std::string("\xff\xff");
    });
    sources_.port = dns.port();
    sources_.server_time = 20ms;
    EXPECT_EQ(look_up("a.test"), "timeout");
}

}  // namespace
}  // namespace paddock::testing
