// Bytes as a client of the proxy, as a question to its name server, as a name server and as the
// proxy's own report: whatever they are, the answer does not depend on how they are cut into parts,
// names that come out are names, and what goes to an origin is one request.
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "policy/host_rules.h"
#include "proxy/name_lookup.h"
#include "proxy/refusal_log.h"
#include "proxy/request.h"

namespace {

using namespace paddock;
using namespace paddock::proxy;

struct Outcomes {
    std::string replies;
    std::string request;  // destination, head
    bool refused = false;
    std::size_t consumed = 0;
};

void check_destination(const policy::Destination& destination) {
    PADDOCK_CHECK(destination.port != 0);
    const auto again = policy::parse_destination(policy::destination_text(destination));
    PADDOCK_CHECK(again && again->host.text == destination.host.text);
    PADDOCK_CHECK(again->host.address == destination.host.address);
    for (const char c : destination.host.text) {
        PADDOCK_CHECK((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
                      c == '.' || (c == ':' && destination.host.address));
    }
}

// One head, one Host, one end.
void check_head(std::string_view head) {
    PADDOCK_CHECK(head.find("\r\n\r\n") == head.size() - 4);
    PADDOCK_CHECK(head.find('\0') == head.npos);
    std::size_t hosts = 0;
    for (std::size_t at = head.find("\r\nHost: "); at != head.npos;
         at = head.find("\r\nHost: ", at + 1)) {
        ++hosts;
    }
    PADDOCK_CHECK(hosts == 1);
}

Outcomes read_in_parts(std::string_view bytes, std::size_t part) {
    ProxyRequestReader reader;
    Outcomes outcomes;
    std::string waiting;
    std::size_t given = 0;
    for (;;) {
        const ProxyStep step = reader.read(waiting);
        PADDOCK_CHECK(step.consumed <= waiting.size());
        waiting.erase(0, step.consumed);
        outcomes.consumed += step.consumed;
        outcomes.replies += step.reply;
        if (step.refusal) {
            outcomes.refused = true;
            return outcomes;
        }
        if (step.request) {
            check_destination(step.request->destination);
            if (step.request->protocol == ProxyProtocol::kPlainHttp) check_head(step.request->head);
            outcomes.request =
                policy::destination_text(step.request->destination) + "\n" + step.request->head;
            return outcomes;
        }
        if (step.consumed != 0) continue;
        if (given == bytes.size()) return outcomes;
        const std::string_view next = bytes.substr(given, part);
        waiting += next;
        given += next.size();
    }
}

void check_request(std::string_view bytes) {
    const Outcomes whole = read_in_parts(bytes, bytes.size() + 1);
    const Outcomes single = read_in_parts(bytes, 1);
    PADDOCK_CHECK(whole.replies == single.replies && whole.request == single.request);
    PADDOCK_CHECK(whole.refused == single.refused);
    PADDOCK_CHECK(whole.refused || whole.consumed == single.consumed);
}

void check_body(std::string_view bytes) {
    HttpBody whole = HttpBody::chunked();
    HttpBody single = HttpBody::chunked();
    const auto taken = whole.take(bytes);
    std::size_t one_by_one = 0;
    bool malformed = false;
    for (; one_by_one < bytes.size() && !single.complete(); ++one_by_one) {
        malformed = !single.take(bytes.substr(one_by_one, 1));
        if (malformed) break;
    }
    PADDOCK_CHECK(malformed == !taken);
    PADDOCK_CHECK(malformed || (*taken == one_by_one && whole.complete() == single.complete()));
}

void check_answer(std::string_view bytes) {
    DnsQuestion question{0, "a.b", DnsType::kA};
    (void)read_dns_answer(bytes, question);
    // As if it had the right number and question.
    const std::string framed =
        std::string("\0\0\x81\x80\0\1\0\xff\0\0\0\0\1a\1b\0\0\1\0\1", 21) + std::string(bytes);
    const DnsAnswer answer = read_dns_answer(framed, question);
    PADDOCK_CHECK(answer.kind != DnsAnswer::Kind::kStray);
    for (const auto& address : answer.addresses) PADDOCK_CHECK(!address.v6);
}

// As a command asks it: what is refused is what was asked, and an answer is never answered.
void check_query(std::string_view bytes) {
    const auto query = read_dns_query(bytes);
    if (!query) return;
    PADDOCK_CHECK(query->refusal.size() <= bytes.size() && query->refusal.size() <= 12 + 255 + 4);
    PADDOCK_CHECK(bytes.substr(12).starts_with(std::string_view(query->refusal).substr(12)));
    PADDOCK_CHECK(query->name.size() < 255);
    PADDOCK_CHECK(!read_dns_query(query->refusal));
}

void check_rules(std::string_view bytes) {
    const std::string entry(bytes);
    const auto rules = policy::HostRules::parse({&entry, 1});
    if (!rules) return;
    // A rule allows what it names, and not a neighbour. A preset names other hosts.
    const auto listed = policy::parse_destination(bytes, std::uint16_t{443});
    if (listed && !policy::is_preset(entry)) PADDOCK_CHECK(!rules->refusal(*listed));
    const policy::Destination other{{"never.listed.invalid"}, 443};
    if (!bytes.starts_with("*.") && !(listed && listed->host.text == other.host.text)) {
        PADDOCK_CHECK(rules->refusal(other).has_value());
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    check_request(bytes);
    check_body(bytes);
    check_answer(bytes);
    check_query(bytes);
    check_query(std::string("\0\0\1\0\0\1\0\0\0\0\0\0", 12) + std::string(bytes));
    check_rules(bytes);
    (void)addresses_in_hosts(bytes, "a.b");
    (void)name_servers(bytes);
    if (const auto denials = parse_denials(bytes)) {
        PADDOCK_CHECK(parse_denials(write_denials(*denials)).has_value());
    }
    return 0;
}
