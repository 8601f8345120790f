// The messages of DNS that are needed: a question for the addresses of one name and its answer, and
// the refusal of somebody else's question. Pure; what came in is hostile until it is understood.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/address_class.h"

namespace paddock::sandbox {

enum class DnsType : std::uint16_t { kA = 1, kAaaa = 28 };

struct DnsQuestion {
    std::uint16_t id = 0;  // random
    std::string name;      // as policy::Host has it
    DnsType type = DnsType::kA;
};

// Recursion desired, no extensions: at most 512 bytes come back over UDP.
std::string write_dns_question(const DnsQuestion& question);

struct DnsAnswer {
    enum class Kind : std::uint8_t {
        kStray,      // no answer to this question: go on waiting
        kAddresses,  // perhaps none
        kTruncated,  // ask again over TCP
        kFailed,     // ask another server
    };
    Kind kind = Kind::kStray;
    std::vector<policy::IpAddress> addresses = {};  // at most kNameAddressesMax
};

// Addresses count only if the name, or the chain of aliases that the answer gives for it, leads to
// them.
DnsAnswer read_dns_answer(std::string_view message, const DnsQuestion& question);

// Somebody else's question, of any type.
struct DnsQuery {
    std::string name;     // labels of any bytes, in lower case, with dots between; empty: the root
    std::string refusal;  // the answer REFUSED
};
// Nothing: it is not one whole standard question, and gets no answer.
std::optional<DnsQuery> read_dns_query(std::string_view message);

}  // namespace paddock::sandbox
