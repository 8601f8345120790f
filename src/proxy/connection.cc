#include "proxy/connection.h"

#include <algorithm>
#include <utility>

#include <paddock/limits.h>

#include "base/check.h"
#include "proxy/name_lookup.h"
#include "sys/io.h"

namespace paddock::proxy {

// Addresses of one name that are tried.
constexpr std::size_t kProxyAddressesMax = 8;

Dialer::Dialer(std::vector<policy::IpAddress> addresses, std::uint16_t port,
               std::chrono::milliseconds patience, Time now)
    : addresses_(std::move(addresses)), port_(port), patience_(patience), deadline_(now) {
    PADDOCK_CHECK(!addresses_.empty());
}

Done Dialer::try_address(Time now) {
    const policy::IpAddress& address = addresses_[next_];
    if (!socket_.valid()) {
        PADDOCK_ASSIGN(socket, sys::socket(address.v6 ? AF_INET6 : AF_INET, SOCK_STREAM));
        socket_ = std::move(socket);
        deadline_ = now + patience_;
    }
    auto done = sys::connect(socket_.get(), socket_address(address, port_));
    if (!done && sys::would_block(done.error()) && now >= deadline_) return refuse(Code::kTimeout);
    return done;
}

std::optional<Outcome<UniqueFd>> Dialer::proceed(Time now) {
    for (;;) {
        const Done done = try_address(now);
        if (done) return std::move(socket_);
        if (sys::would_block(done.error())) return std::nullopt;
        socket_.reset();
        if (++next_ == addresses_.size()) return done.error();
    }
}

namespace {

// So that one busy connection does not keep the others waiting.
constexpr int kTurnsMax = 4;

}  // namespace

Flow::Flow(std::string first, std::optional<HttpBody> body)
    : unsent_(std::move(first)), body_(body), ended_(body && body->complete()) {}

Outcome<bool> Flow::move(int from, int to) {
    bool moved = false;
    for (int turn = 0; turn < kTurnsMax; ++turn) {
        if (reads()) {
            PADDOCK_ASSIGN(read, read_some(from));
            moved |= read;
        }
        if (!sends()) break;
        PADDOCK_ASSIGN(sent, send_some(to));
        moved |= sent;
        if (sends()) break;
    }
    const bool whole_body = body_ && body_->complete();
    if (finished() && !whole_body && !passed_on_) {
        passed_on_ = true;
        PADDOCK_TRY(sys::end_sending(to));
    }
    return moved;
}

Outcome<bool> Flow::read_some(int from) {
    char block[kProxyBufferBytes];
    const auto size = sys::receive(from, block, sizeof block);
    if (!size && sys::would_block(size.error())) return false;
    if (!size) return size.error();
    std::size_t taken = *size;
    if (body_) {
        PADDOCK_ASSIGN(of_body, body_->take({block, *size}));
        taken = of_body;
    }
    ended_ = *size == 0 || (body_ && body_->complete());
    unsent_.assign(block, taken);
    return true;
}

Outcome<bool> Flow::send_some(int to) {
    const auto sent = sys::send(to, unsent_);
    if (!sent && sys::would_block(sent.error())) return false;
    if (!sent) return sent.error();
    unsent_.erase(0, *sent);
    return true;
}

Relay::Relay(UniqueFd client, UniqueFd origin, Flow to_origin, Flow to_client, bool one_request)
    : client_(std::move(client)),
      origin_(std::move(origin)),
      to_origin_(std::move(to_origin)),
      to_client_(std::move(to_client)),
      one_request_(one_request) {}

Relay::State Relay::proceed() {
    const auto up = to_origin_.move(client_.get(), origin_.get());
    const auto down = to_client_.move(origin_.get(), client_.get());
    if (!up || !down) return State::kOver;
    if (to_client_.finished() && (one_request_ || to_origin_.finished())) return State::kOver;
    return *up || *down ? State::kMoved : State::kQuiet;
}

void Relay::add_waits(std::vector<pollfd>& waits) const {
    const auto add = [&](int fd, bool reads, bool sends) {
        const int events = (reads ? POLLIN : 0) | (sends ? POLLOUT : 0);
        // Without events the kernel would still report an error again and again.
        if (events != 0) waits.push_back({fd, static_cast<short>(events), 0});
    };
    add(client_.get(), to_origin_.reads(), to_client_.sends());
    add(origin_.get(), to_client_.reads(), to_origin_.sends());
}

ProxyConnection::ProxyConnection(UniqueFd client, const ProxySettings& settings,
                                 RefusalLog& denials, Time now)
    : client_(std::move(client)),
      settings_(settings),
      denials_(denials),
      deadline_(now + settings.times.request) {
    sys::send_small_parts_at_once(client_.get());
}

bool ProxyConnection::proceed(Time now) {
    for (;;) {
        const Next next = std::visit([&](auto& stage) { return proceed(stage, now); }, stage_);
        if (next == Next::kOver) return false;
        if (next == Next::kWait) return true;
    }
}

ProxyConnection::Next ProxyConnection::proceed(Asking& asking, Time now) {
    if (now >= deadline_) return Next::kOver;
    char block[4096];
    const std::size_t room = limits::kProxyHeadBytesMax - asking.bytes.size();
    const auto size = sys::receive(client_.get(), block, std::min(sizeof block, room));
    if (!size) return sys::would_block(size.error()) ? Next::kWait : Next::kOver;
    if (*size == 0) return Next::kOver;
    asking.bytes.append(block, *size);
    for (;;) {
        ProxyStep step = asking.reader.read(asking.bytes);
        asking.bytes.erase(0, step.consumed);
        // Two bytes to a client that has got none yet always fit.
        if (!step.reply.empty() && !sys::send(client_.get(), step.reply)) return Next::kOver;
        if (step.request) {
            request_ = std::move(*step.request);
            ahead_ = std::move(asking.bytes);
            return begin(now);
        }
        if (step.refusal) {
            const ProxyRefusal& refusal = *step.refusal;
            if (!refusal.host.empty()) denials_.add(refusal.host, 0, refusal.why);
            return part(reply_text(refusal.protocol, refusal.answer, refusal.why), now);
        }
        if (step.consumed == 0) return Next::kGoOn;
    }
}

ProxyConnection::Next ProxyConnection::begin(Time now) {
    const policy::Destination& destination = request_.destination;
    if (const auto why = settings_.rules.refusal(destination)) return deny(*why, now);
    deadline_ = now + settings_.times.dial;
    if (destination.host.address) return dial({*destination.host.address}, now);
    stage_.emplace<NameLookup>(destination.host.text, settings_.names, now);
    return Next::kGoOn;
}

ProxyConnection::Next ProxyConnection::proceed(NameLookup& lookup, Time now) {
    const auto found = lookup.proceed(now);
    if (found && *found) return dial(**found, now);
    if (found && found->error().code == Code::kNotFound) {
        return answer(ProxyAnswer::kNoSuchHost, "has no address", now);
    }
    if (found || now >= deadline_) {
        return answer(ProxyAnswer::kTimeout, "could not be looked up", now);
    }
    return Next::kWait;
}

ProxyConnection::Next ProxyConnection::dial(const std::vector<policy::IpAddress>& addresses,
                                            Time now) {
    std::vector<policy::IpAddress> allowed;
    std::optional<std::string_view> refusal;
    std::optional<policy::IpAddress> refused;
    for (const policy::IpAddress& address : addresses) {
        const auto why = settings_.rules.refusal(request_.destination, address);
        if (why && !refusal) {
            refusal = why;
            refused = address;
        }
        if (!why && allowed.size() < kProxyAddressesMax) allowed.push_back(address);
    }
    if (allowed.empty()) return deny(refusal.value_or("has no address"), now, refused);
    stage_.emplace<Dialer>(std::move(allowed), request_.destination.port, settings_.times.dial_one,
                           now);
    return Next::kGoOn;
}

ProxyConnection::Next ProxyConnection::proceed(Dialer& dialer, Time now) {
    auto dialled = dialer.proceed(now);
    if (dialled && *dialled) return relay(std::move(**dialled), now);
    if (dialled && dialled->error().code != Code::kTimeout) {
        return answer(ProxyAnswer::kUnreachable, "cannot be reached", now);
    }
    if (dialled || now >= deadline_) {
        return answer(ProxyAnswer::kTimeout, "does not answer", now);
    }
    return Next::kWait;
}

ProxyConnection::Next ProxyConnection::relay(UniqueFd origin, Time now) {
    sys::send_small_parts_at_once(origin.get());
    const bool plain = request_.protocol == ProxyProtocol::kPlainHttp;
    std::optional<HttpBody> body;
    if (plain) {
        body = request_.body;
        const auto taken = body->take(ahead_);
        if (!taken) return answer(ProxyAnswer::kBadRequest, taken.error().reason, now);
        ahead_.resize(*taken);
    }
    Flow to_origin(std::move(request_.head) + ahead_, body);
    Flow to_client(reply_text(request_.protocol, ProxyAnswer::kConnected, {}), std::nullopt);
    stage_.emplace<Relay>(std::move(client_), std::move(origin), std::move(to_origin),
                          std::move(to_client), plain);
    deadline_ = now + settings_.times.idle;
    return Next::kGoOn;
}

ProxyConnection::Next ProxyConnection::proceed(Relay& relay, Time now) {
    const Relay::State state = relay.proceed();
    if (state == Relay::State::kOver) return Next::kOver;
    if (state == Relay::State::kMoved) deadline_ = now + settings_.times.idle;
    return now >= deadline_ ? Next::kOver : Next::kWait;
}

ProxyConnection::Next ProxyConnection::deny(std::string_view why, Time now,
                                            const std::optional<policy::IpAddress>& refused) {
    const policy::Destination& asked = request_.destination;
    const std::string option = settings_.rules.option_to_allow(asked, refused);
    denials_.add(asked.host.text, asked.port, why, option);
    const std::string told = std::string(why) + (option.empty() ? "" : "; allow it with " + option);
    return answer(ProxyAnswer::kDenied, told, now);
}

ProxyConnection::Next ProxyConnection::answer(ProxyAnswer answer, std::string_view why, Time now) {
    const std::string text =
        policy::destination_text(request_.destination) + " " + std::string(why);
    return part(reply_text(request_.protocol, answer, text), now);
}

ProxyConnection::Next ProxyConnection::part(std::string reply, Time now) {
    stage_.emplace<Parting>(std::move(reply));
    deadline_ = now + settings_.times.linger;
    return Next::kGoOn;
}

ProxyConnection::Next ProxyConnection::proceed(Parting& parting, Time now) {
    if (now >= deadline_) return Next::kOver;
    while (!parting.reply.empty()) {
        const auto sent = sys::send(client_.get(), parting.reply);
        if (!sent) return sys::would_block(sent.error()) ? Next::kWait : Next::kOver;
        parting.reply.erase(0, *sent);
    }
    if (!parting.told && !sys::end_sending(client_.get())) return Next::kOver;
    parting.told = true;
    // Closing with unread bytes would reset the connection and the reply with it.
    char block[4096];
    while (parting.discarded < kProxyLingerBytesMax) {
        const auto size = sys::receive(client_.get(), block, sizeof block);
        if (!size) return sys::would_block(size.error()) ? Next::kWait : Next::kOver;
        if (*size == 0) return Next::kOver;
        parting.discarded += *size;
    }
    return Next::kOver;
}

void ProxyConnection::add_waits(std::vector<pollfd>& waits) const {
    if (const auto* lookup = std::get_if<NameLookup>(&stage_)) {
        lookup->add_waits(waits);
    } else if (const auto* dialer = std::get_if<Dialer>(&stage_)) {
        waits.push_back(dialer->wait());
    } else if (const auto* relay = std::get_if<Relay>(&stage_)) {
        relay->add_waits(waits);
    } else {
        const auto* parting = std::get_if<Parting>(&stage_);
        const bool sends = parting != nullptr && !parting->told;
        waits.push_back({client_.get(), static_cast<short>(sends ? POLLOUT : POLLIN), 0});
    }
}

Time ProxyConnection::deadline() const {
    if (const auto* lookup = std::get_if<NameLookup>(&stage_)) {
        return std::min(deadline_, lookup->deadline());
    }
    if (const auto* dialer = std::get_if<Dialer>(&stage_)) {
        return std::min(deadline_, dialer->deadline());
    }
    return deadline_;
}

}  // namespace paddock::proxy
