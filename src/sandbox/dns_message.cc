// Names are compared as they are on the wire (each label behind its length) in lower case, so that
// a label with a dot in it cannot pass for two.
#include "sandbox/dns_message.h"

#include <paddock/limits.h>

#include <algorithm>
#include <optional>

namespace paddock::sandbox {
namespace {

using Kind = DnsAnswer::Kind;

constexpr std::size_t kHeaderBytes = 12;
constexpr std::size_t kWireNameBytesMax = 255;
constexpr unsigned kInternet = 1;
constexpr unsigned kAlias = 5;  // CNAME
constexpr unsigned kNoSuchName = 3;
constexpr unsigned kRefused = 5;

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 32) : c; }

void append_u16(std::string& message, unsigned value) {
    message += static_cast<char>(value >> 8);
    message += static_cast<char>(value & 0xff);
}

std::string wire_name(std::string_view name) {
    std::string wire;
    while (!name.empty()) {
        const std::string_view label = name.substr(0, name.find('.'));
        wire += static_cast<char>(label.size());
        std::transform(label.begin(), label.end(), std::back_inserter(wire), lower);
        name.remove_prefix(std::min(label.size() + 1, name.size()));
    }
    wire += '\0';
    return wire;
}

// A position in a message; once something was beyond its end, nothing more is read.
class Reader {
public:
    Reader(std::string_view message, std::size_t position)
        : message_(message), position_(position) {}

    bool good() const { return good_; }
    std::size_t position() const { return position_; }

    std::string_view bytes(std::size_t count) {
        if (!good_ || count > message_.size() - position_) {
            good_ = false;
            return {};
        }
        position_ += count;
        return message_.substr(position_ - count, count);
    }

    unsigned u8() {
        const std::string_view one = bytes(1);
        return one.empty() ? 0 : static_cast<unsigned char>(one[0]);
    }

    unsigned u16() {
        const unsigned high = u8();
        return high << 8 | u8();
    }

    // A name with its pointers followed. They lead backwards only, so this ends.
    std::string name() {
        std::string wire;
        std::optional<std::size_t> behind;  // the first pointer
        std::size_t earliest = position_;
        while (good_) {
            const unsigned length = u8();
            if (length >= 0xc0) {
                const std::size_t target = (length & 0x3f) << 8 | u8();
                if (!behind) behind = position_;
                good_ = good_ && target < earliest;
                position_ = earliest = std::min(target, message_.size());
                continue;
            }
            const std::string_view label = bytes(length);
            good_ = good_ && length < 64 && wire.size() + length + 1 <= kWireNameBytesMax;
            wire += static_cast<char>(length);
            std::transform(label.begin(), label.end(), std::back_inserter(wire), lower);
            if (length == 0) break;
        }
        if (behind) position_ = *behind;
        return good_ ? wire : std::string();
    }

private:
    std::string_view message_;
    std::size_t position_;
    bool good_ = true;
};

struct Record {
    std::string owner;
    unsigned type = 0;
    std::string_view data;
    std::string alias;  // of a CNAME
};

std::optional<Record> next_record(Reader& reader, std::string_view message) {
    Record record;
    record.owner = reader.name();
    record.type = reader.u16();
    const unsigned kind = reader.u16();
    reader.bytes(4);  // how long it may be kept
    const unsigned size = reader.u16();
    const std::size_t begin = reader.position();
    record.data = reader.bytes(size);
    if (!reader.good()) return std::nullopt;
    if (kind != kInternet) record.type = 0;
    if (record.type == kAlias) {
        Reader target(message, begin);
        record.alias = target.name();
        if (!target.good()) return std::nullopt;
    }
    return record;
}

// Where the aliases lead from `name`.
std::string last_alias(std::string name, const std::vector<Record>& records) {
    for (int i = 0; i < limits::kNameAliasesMax; ++i) {
        const auto alias = std::find_if(records.begin(), records.end(), [&](const Record& record) {
            return record.type == kAlias && record.owner == name;
        });
        if (alias == records.end()) break;
        name = alias->alias;
    }
    return name;
}

std::vector<policy::IpAddress> addresses_of(const std::string& name, DnsType type,
                                            const std::vector<Record>& records) {
    std::vector<policy::IpAddress> addresses;
    const std::size_t size = type == DnsType::kA ? 4 : 16;
    for (const Record& record : records) {
        if (record.type != static_cast<unsigned>(type) || record.owner != name) continue;
        if (record.data.size() != size || addresses.size() == limits::kNameAddressesMax) continue;
        policy::IpAddress address;
        address.v6 = type == DnsType::kAaaa;
        std::copy(record.data.begin(), record.data.end(), address.bytes.begin());
        addresses.push_back(address);
    }
    return addresses;
}

}  // namespace

std::string write_dns_question(const DnsQuestion& question) {
    std::string message;
    append_u16(message, question.id);
    append_u16(message, 0x0100);  // recursion desired
    append_u16(message, 1);       // one question
    message.append(6, '\0');      // no records
    message += wire_name(question.name);
    append_u16(message, static_cast<unsigned>(question.type));
    append_u16(message, kInternet);
    return message;
}

DnsAnswer read_dns_answer(std::string_view message, const DnsQuestion& question) {
    Reader reader(message, 0);
    const unsigned id = reader.u16();
    const unsigned flags = reader.u16();
    const unsigned questions = reader.u16();
    const unsigned answers = reader.u16();
    reader.bytes(kHeaderBytes - reader.position());
    const bool is_answer = (flags & 0xf800) == 0x8000;  // to a standard query
    const std::string name = wire_name(question.name);
    if (!reader.good() || id != question.id || !is_answer || questions != 1 ||
        reader.name() != name || reader.u16() != static_cast<unsigned>(question.type) ||
        reader.u16() != kInternet || !reader.good()) {
        return {Kind::kStray};
    }
    if ((flags & 0x0200) != 0) return {Kind::kTruncated};
    const unsigned code = flags & 0x000f;
    if (code == kNoSuchName) return {Kind::kAddresses};
    if (code != 0) return {Kind::kFailed};

    std::vector<Record> records;
    for (unsigned i = 0; i < answers; ++i) {
        auto record = next_record(reader, message);
        if (!record) return {Kind::kFailed};
        records.push_back(std::move(*record));
    }
    return {Kind::kAddresses, addresses_of(last_alias(name, records), question.type, records)};
}

std::optional<DnsQuery> read_dns_query(std::string_view message) {
    Reader reader(message, 0);
    const unsigned id = reader.u16();
    const unsigned flags = reader.u16();
    const unsigned questions = reader.u16();
    reader.bytes(kHeaderBytes - reader.position());
    const std::string name = reader.name();
    const bool is_whole = reader.position() == kHeaderBytes + name.size();  // without pointers
    reader.bytes(4);                                                        // type and class
    const bool is_question = (flags & 0xf800) == 0;                         // a standard one
    if (!reader.good() || !is_question || questions != 1 || !is_whole) return std::nullopt;

    DnsQuery query;
    for (std::size_t at = 0; name[at] != '\0';) {
        const std::size_t length = static_cast<unsigned char>(name[at]);
        query.name.append(at == 0 ? "" : ".").append(name, at + 1, length);
        at += 1 + length;
    }
    append_u16(query.refusal, id);
    append_u16(query.refusal, 0x8000 | (flags & 0x0100) | kRefused);  // an answer; as it was asked
    append_u16(query.refusal, 1);
    query.refusal.append(6, '\0');  // no records
    query.refusal += message.substr(kHeaderBytes, reader.position() - kHeaderBytes);
    return query;
}

}  // namespace paddock::sandbox
