// An answer of a name server, put together by hand: records may contradict each other.
#pragma once

#include <string>
#include <string_view>

#include "proxy/name_lookup.h"

namespace paddock::testing {

class DnsReply {
public:
    explicit DnsReply(const proxy::DnsQuestion& question)
        : bytes_(proxy::write_dns_question(question)) {
        bytes_[2] = '\x81';  // an answer, recursion desired
        bytes_[3] = '\x80';  // recursion available
    }

    DnsReply& code(int value) { return flag(3, value); }
    DnsReply& truncated() { return flag(2, 2); }

    DnsReply& address(std::string_view owner, std::string_view text) {
        const auto address = policy::parse_address(text).value_or(policy::IpAddress{});
        const std::string_view raw(reinterpret_cast<const char*>(address.bytes.data()),
                                   address.v6 ? 16 : 4);
        return record(owner, address.v6 ? 28 : 1, raw);
    }

    DnsReply& alias(std::string_view owner, std::string_view target) {
        return record(owner, 5, wire(target));
    }

    const std::string& bytes() const { return bytes_; }

private:
    static std::string wire(std::string_view name) {
        std::string bytes;
        while (!name.empty()) {
            const std::string_view label = name.substr(0, name.find('.'));
            bytes += static_cast<char>(label.size());
            bytes += label;
            name.remove_prefix(std::min(label.size() + 1, name.size()));
        }
        return bytes + '\0';
    }

    DnsReply& flag(std::size_t at, int bits) {
        bytes_[at] = static_cast<char>(bytes_[at] | bits);
        return *this;
    }

    DnsReply& record(std::string_view owner, int type, std::string_view data) {
        bytes_[7] = static_cast<char>(bytes_[7] + 1);
        bytes_ += wire(owner);
        bytes_ += {'\0', static_cast<char>(type),       '\0', '\1', '\0', '\0', '\0', '\0',
                   '\0', static_cast<char>(data.size())};
        bytes_ += data;
        return *this;
    }

    std::string bytes_;
};

}  // namespace paddock::testing
