#include "proxy/name_lookup.h"

#include <fcntl.h>
#include <netinet/in.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include <paddock/limits.h>

#include "sys/io.h"
#include "sys/kernel_text.h"

namespace paddock::proxy {

sys::SocketAddress socket_address(const policy::IpAddress& address, std::uint16_t port) {
    sys::SocketAddress result;
    if (address.v6) {
        sockaddr_in6 form{};
        form.sin6_family = AF_INET6;
        form.sin6_port = htons(port);
        std::memcpy(&form.sin6_addr, address.bytes.data(), sizeof form.sin6_addr);
        std::memcpy(&result.storage, &form, sizeof form);
        result.size = sizeof form;
    } else {
        sockaddr_in form{};
        form.sin_family = AF_INET;
        form.sin_port = htons(port);
        std::memcpy(&form.sin_addr, address.bytes.data(), sizeof form.sin_addr);
        std::memcpy(&result.storage, &form, sizeof form);
        result.size = sizeof form;
    }
    return result;
}

bool same_address(const sys::SocketAddress& one, const sys::SocketAddress& other) {
    return one.size == other.size && std::memcmp(&one.storage, &other.storage, one.size) == 0;
}

namespace {

// Calls `visit` with each line, without its comment, until it returns false.
template <class Visit>
void for_each_line(std::string_view file, std::string_view comment_marks, Visit visit) {
    while (!file.empty()) {
        const std::string_view line = file.substr(0, file.find('\n'));
        file.remove_prefix(std::min(line.size() + 1, file.size()));
        if (!visit(line.substr(0, line.find_first_of(comment_marks)))) return;
    }
}

bool same_name(std::string_view written, std::string_view name) {
    if (written.ends_with('.')) written.remove_suffix(1);
    return std::equal(written.begin(), written.end(), name.begin(), name.end(),
                      [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a | 32 : a) == b; });
}

bool has_name(std::string_view names, std::string_view name) {
    for (std::string_view word = sys::next_word(names); !word.empty();
         word = sys::next_word(names)) {
        if (same_name(word, name)) return true;
    }
    return false;
}

}  // namespace

std::vector<policy::IpAddress> addresses_in_hosts(std::string_view file, std::string_view name) {
    std::vector<policy::IpAddress> addresses;
    for_each_line(file, "#", [&](std::string_view line) {
        const std::string_view written = sys::next_word(line);
        // Names first: most lines are about another one.
        if (!has_name(line, name)) return true;
        if (const auto address = policy::parse_address(written)) addresses.push_back(*address);
        return addresses.size() < kNameAddressesMax;
    });
    return addresses;
}

std::vector<policy::IpAddress> name_servers(std::string_view file) {
    std::vector<policy::IpAddress> servers;
    for_each_line(file, "#;", [&](std::string_view line) {
        if (sys::next_word(line) != "nameserver") return true;
        if (const auto address = policy::parse_address(sys::next_word(line))) {
            servers.push_back(*address);
        }
        return servers.size() < kNameServersMax;
    });
    if (servers.empty()) servers.push_back(policy::ipv4(0x7f000001));
    return servers;
}

// Names are compared as they are on the wire (each label behind its length) in lower case, so that
// a label with a dot in it cannot pass for two.
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
    for (int i = 0; i < kNameAliasesMax; ++i) {
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
        if (record.data.size() != size || addresses.size() == kNameAddressesMax) continue;
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

namespace {

using Kind = DnsAnswer::Kind;

Failure server_failed() { return refuse(Code::kIoError); }

}  // namespace

DnsExchange::DnsExchange(std::string name, DnsType type, const sys::SocketAddress& server)
    : server_(server) {
    question_.name = std::move(name);
    question_.type = type;
    failed_ = !ask().has_value();
}

Done DnsExchange::ask() {
    PADDOCK_ASSIGN(number, sys::random_u64());
    question_.id = static_cast<std::uint16_t>(number);
    PADDOCK_ASSIGN(socket, sys::socket(server_.storage.ss_family, SOCK_DGRAM));
    // Connected: the kernel lets nobody else answer.
    PADDOCK_TRY(sys::connect(socket.get(), server_));
    PADDOCK_TRY(sys::send(socket.get(), write_dns_question(question_)));
    socket_ = std::move(socket);
    return {};
}

DnsAnswer DnsExchange::proceed() {
    if (failed_) return {Kind::kFailed};
    auto answer = tcp_ ? proceed_tcp() : proceed_udp();
    if (!answer && sys::would_block(answer.error())) return {Kind::kStray};
    failed_ = !answer || answer->kind == Kind::kFailed;
    if (!failed_) return std::move(*answer);
    socket_.reset();
    return {Kind::kFailed};
}

Outcome<DnsAnswer> DnsExchange::proceed_udp() {
    char packet[4096];
    for (; strays_ < kNameStrayPacketsMax; ++strays_) {
        PADDOCK_ASSIGN(size, sys::receive(socket_.get(), packet, sizeof packet));
        DnsAnswer answer = read_dns_answer({packet, size}, question_);
        if (answer.kind == Kind::kTruncated) {
            PADDOCK_TRY(begin_tcp());
            return proceed_tcp();
        }
        if (answer.kind != Kind::kStray) return answer;
    }
    return server_failed();
}

Done DnsExchange::begin_tcp() {
    tcp_ = true;
    const std::string message = write_dns_question(question_);
    to_send_ = {static_cast<char>(message.size() >> 8), static_cast<char>(message.size() & 0xff)};
    to_send_ += message;
    PADDOCK_ASSIGN(socket, sys::socket(server_.storage.ss_family, SOCK_STREAM));
    socket_ = std::move(socket);
    return {};
}

Outcome<DnsAnswer> DnsExchange::proceed_tcp() {
    while (!to_send_.empty()) {
        PADDOCK_TRY(sys::connect(socket_.get(), server_));
        PADDOCK_ASSIGN(sent, sys::send(socket_.get(), to_send_));
        to_send_.erase(0, sent);
    }
    for (;;) {
        const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(received_[i]); };
        const std::size_t size =
            received_.size() < 2 ? 0 : static_cast<std::size_t>(byte(0) << 8 | byte(1));
        const std::size_t wanted = 2 + size;
        if (received_.size() >= 2 && received_.size() == wanted) break;
        char part[4096];
        const std::size_t room = std::min(sizeof part, wanted - received_.size());
        PADDOCK_ASSIGN(count, sys::receive(socket_.get(), part, room));
        if (count == 0) return server_failed();
        received_.append(part, count);
    }
    DnsAnswer answer = read_dns_answer(std::string_view(received_).substr(2), question_);
    const bool useless = answer.kind == Kind::kStray || answer.kind == Kind::kTruncated;
    return useless ? DnsAnswer{Kind::kFailed} : answer;
}

pollfd DnsExchange::wait() const {
    const bool sending = tcp_ && !to_send_.empty();
    return {socket_.get(), static_cast<short>(sending ? POLLOUT : POLLIN), 0};
}

namespace {

using Kind = DnsAnswer::Kind;

NameLookup::Addresses loopback() {
    policy::IpAddress v6;
    v6.v6 = true;
    v6.bytes[15] = 1;
    return {policy::ipv4(0x7f000001), v6};
}

// A missing file is an empty one.
std::string text_of(const std::string& path) {
    return sys::read_text(AT_FDCWD, path.c_str()).value_or("");
}

}  // namespace

NameLookup::NameLookup(std::string name, const NameSources& sources, Time now)
    : name_(std::move(name)), server_time_(sources.server_time), deadline_(now) {
    const bool is_localhost = name_ == "localhost" || name_.ends_with(".localhost");
    local_ = is_localhost ? loopback() : addresses_in_hosts(text_of(sources.hosts), name_);
    if (!local_.empty()) return;
    for (const policy::IpAddress& server : name_servers(text_of(sources.resolv_conf))) {
        servers_.push_back(socket_address(server, sources.port));
    }
    ask_next_server(now);
}

void NameLookup::ask_next_server(Time now) {
    const sys::SocketAddress& server = servers_[asked_ % servers_.size()];
    ++asked_;
    deadline_ = now + server_time_;
    for (Part& part : parts_) {
        if (!part.answered) part.exchange.emplace(name_, part.type, server);
    }
}

std::optional<Outcome<NameLookup::Addresses>> NameLookup::proceed(Time now) {
    if (!local_.empty()) return local_;
    for (;;) {
        bool waiting = false;
        for (Part& part : parts_) {
            if (part.answered) continue;
            DnsAnswer answer = part.exchange->proceed();
            waiting |= answer.kind == Kind::kStray;
            if (answer.kind != Kind::kAddresses) continue;
            part.answered = true;
            part.addresses = std::move(answer.addresses);
            part.exchange.reset();
        }
        if (waiting && now < deadline_) return std::nullopt;
        const bool all = parts_[0].answered && parts_[1].answered;
        const bool some = !parts_[0].addresses.empty() || !parts_[1].addresses.empty();
        if (all || some || asked_ == kNameRoundsMax * servers_.size()) return result();
        ask_next_server(now);
    }
}

Outcome<NameLookup::Addresses> NameLookup::result() const {
    Addresses addresses;
    for (const Part& part : parts_) {
        addresses.insert(addresses.end(), part.addresses.begin(), part.addresses.end());
    }
    if (!addresses.empty()) return addresses;
    if (parts_[0].answered && parts_[1].answered) return refuse(Code::kNotFound);
    return refuse(Code::kTimeout);
}

void NameLookup::add_waits(std::vector<pollfd>& waits) const {
    for (const Part& part : parts_) {
        if (!part.exchange) continue;
        const pollfd wait = part.exchange->wait();
        if (wait.fd >= 0) waits.push_back(wait);
    }
}

}  // namespace paddock::proxy
