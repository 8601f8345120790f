#include "proxy/proxy.h"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include <paddock/sandbox.h>

#include "sys/files.h"
#include "sys/identity.h"
#include "sys/io.h"
#include "sys/process.h"
#include "sys/signal.h"
#include "sys/socket.h"

namespace paddock::proxy {
namespace {

using namespace std::chrono_literals;

// Out of descriptors or memory: time for some to be given back.
constexpr auto kPauseAfterFailure = 100ms;

// Before those of the connections.
enum : std::size_t { kControlWait, kParentWait, kListenerWait, kNameServerWait, kFixedProxyWaits };

int milliseconds_until(Time deadline, Time now) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - now).count();
    return static_cast<int>(std::clamp<long>(left, 0, 60'000));
}

bool is_no_listener(const Failure& failure) {
    return failure.os_error == EINVAL || failure.os_error == ENOTSOCK ||
           failure.os_error == EOPNOTSUPP;
}

}  // namespace

ProxyLoop::ProxyLoop(const ProxySettings& settings, UniqueFd control, UniqueFd parent)
    : settings_(settings), control_(std::move(control)), parent_(std::move(parent)) {}

void ProxyLoop::run() {
    for (;;) {
        const Time before = std::chrono::steady_clock::now();
        std::vector<pollfd> waits = this->waits(before);
        Time deadline = before + 60s;
        if (accept_again_ > before) deadline = std::min(deadline, accept_again_);
        for (const auto& connection : connections_) {
            deadline = std::min(deadline, connection->deadline());
        }
        if (publisher_) deadline = std::min(deadline, publisher_->deadline());
        if (!sys::wait_ready(waits, milliseconds_until(deadline, before))) return;
        if (waits[kParentWait].revents != 0) return;
        const Time now = std::chrono::steady_clock::now();
        proceed(waits, now);
        const std::size_t own = first_waits_.back();
        if (waits.size() > own) publisher_->proceed(std::span(waits).subspan(own), now);
        if (waits[kListenerWait].revents != 0) accept_clients(now);
        if (waits[kNameServerWait].revents != 0) name_server_->answer();
        // Last, since it changes what is waited for.
        if (waits[kControlWait].revents != 0 && !answer_control()) return;
    }
}

std::vector<pollfd> ProxyLoop::waits(Time now) {
    const bool accepts = connections_.size() < limits::kProxyConnectionsMax && now >= accept_again_;
    std::vector<pollfd> waits(kFixedProxyWaits);
    waits[kControlWait] = {control_.get(), POLLIN, 0};
    waits[kParentWait] = {parent_.get(), POLLIN, 0};
    waits[kListenerWait] = {accepts ? listener_.get() : -1, POLLIN, 0};
    waits[kNameServerWait] = {name_server_ ? name_server_->socket() : -1, POLLIN, 0};
    first_waits_.clear();
    for (const auto& connection : connections_) {
        first_waits_.push_back(waits.size());
        connection->add_waits(waits);
    }
    first_waits_.push_back(waits.size());
    if (publisher_) publisher_->add_waits(waits);
    return waits;
}

bool ProxyLoop::answer_control() {
    char request[32];
    UniqueFd passed[3];
    const auto message = sys::receive_message(control_.get(), request, passed);
    if (!message || message->bytes == 0) return false;
    const std::string reply = answer_to({request, message->bytes}, passed);
    return !reply.empty() && sys::send_message(control_.get(), reply, {}).has_value();
}

// Empty: it makes no sense.
std::string ProxyLoop::answer_to(std::string_view request, std::span<UniqueFd> passed) {
    const std::string_view rest = request.substr(1);
    UniqueFd& first = passed.front();
    switch (request.front()) {
        case 'L':
            if (!first.valid() || !sys::set_nonblocking(first.get())) return {};
            listener_ = std::move(first);
            name_server_.reset();
            if (passed[1].valid() && sys::set_nonblocking(passed[1].get())) {
                name_server_.emplace(std::move(passed[1]), settings_.rules, denials_);
            }
            return "ok";
        case 'D': return write_denials(denials_.take());
        case 'I': {
            PublishRequest wanted;
            if (rest.size() != sizeof wanted) return {};
            std::memcpy(&wanted, rest.data(), sizeof wanted);
            publisher_.emplace(Publisher::Setup{std::move(first),
                                                {std::move(passed[1]), std::move(passed[2])},
                                                wanted.user,
                                                wanted.finds_servers,
                                                wanted.proxy_port});
            return "ok";
        }
        case 'P': {
            policy::PublishedPort port;
            if (rest.size() != sizeof port || !publisher_ || !sys::set_nonblocking(first.get())) {
                return {};
            }
            std::memcpy(&port, rest.data(), sizeof port);
            publisher_->add(std::move(first), port);
            return "ok";
        }
        case 'N': return "ok\n" + (publisher_ ? write_published_news(publisher_->take_news()) : "");
        default: return {};
    }
}

void ProxyLoop::proceed(const std::vector<pollfd>& waits, Time now) {
    for (std::size_t i = 0; i < connections_.size(); ++i) {
        const auto first = waits.begin() + static_cast<std::ptrdiff_t>(first_waits_[i]);
        const auto last = waits.begin() + static_cast<std::ptrdiff_t>(first_waits_[i + 1]);
        const bool ready =
            std::any_of(first, last, [](const pollfd& wait) { return wait.revents != 0; });
        const bool due = connections_[i]->deadline() <= now;
        if ((ready || due) && !connections_[i]->proceed(now)) connections_[i].reset();
    }
    std::erase(connections_, nullptr);
}

void ProxyLoop::accept_clients(Time now) {
    while (connections_.size() < limits::kProxyConnectionsMax) {
        auto client = sys::accept(listener_.get());
        if (client) {
            connections_.push_back(
                std::make_unique<ProxyConnection>(std::move(*client), settings_, denials_, now));
            continue;
        }
        if (is_no_listener(client.error())) listener_.reset();
        if (!sys::would_block(client.error())) accept_again_ = now + kPauseAfterFailure;
        return;
    }
}

namespace {

// How long the loop, which never blocks, may take to answer.
constexpr int kAnswerMs = 5000;

constexpr unsigned kNobody = 65534;

// More than write_denials can fill.
constexpr std::size_t kAnswerBytesMax = std::size_t{128} << 10;

// The child's first message: what it could not do, and errno.
enum class FirstStep : std::uint8_t { kNone, kDescriptors, kPrivileges, kConfinement };
struct Ready {
    FirstStep step = FirstStep::kNone;
    int error = 0;
};

std::string_view failed_first_step(FirstStep step) {
    switch (step) {
        case FirstStep::kDescriptors: return "the proxy cannot close the descriptors it inherits";
        case FirstStep::kPrivileges: return "the proxy cannot give up its privileges";
        case FirstStep::kConfinement: return "the proxy cannot be confined by Landlock";
        case FirstStep::kNone: break;
    }
    return "the proxy cannot be started";
}

// The directory in which a file really is. Rules for the files themselves would be lost when
// they are replaced.
UniqueFd directory_of(const std::string& path) {
    const auto real = sys::real_path(path.c_str());
    if (!real) return {};
    const std::string directory = real->substr(0, real->rfind('/') + 1);
    auto opened = sys::openat(AT_FDCWD, directory.c_str(), O_PATH | O_DIRECTORY);
    return opened ? std::move(*opened) : UniqueFd();
}

Done confine(const NameSources& names) {
    const UniqueFd directories[] = {directory_of(names.hosts), directory_of(names.resolv_conf)};
    ConfineSpec spec;
    for (const UniqueFd& directory : directories) {
        if (directory.valid()) spec.rules.push_back({directory.get(), Access::kReadOnly});
    }
    spec.network = permit::Network{"the proxy connects to the hosts that the operator listed"};
    const auto report = confine_self(spec);
    if (!report) return refuse(report.error().code, report.error().reason, report.error().os_error);
    return {};
}

// All but these are closed; they get these numbers.
enum : int { kControlFd = 3, kParentFd = 4, kKeptFd = 5 };

Done keep_only(int control, int parent) {
    // First out of the way of those numbers.
    PADDOCK_ASSIGN(control_copy, sys::duplicate(control, kKeptFd));
    PADDOCK_ASSIGN(parent_copy, sys::duplicate(parent, kKeptFd));
    PADDOCK_ASSIGN(null, sys::openat(AT_FDCWD, "/dev/null", O_RDWR));
    const int nothing = null.release();
    for (const int standard : {0, 1, 2}) PADDOCK_TRY(sys::place_descriptor(nothing, standard));
    PADDOCK_TRY(sys::place_descriptor(control_copy.release(), kControlFd));
    PADDOCK_TRY(sys::place_descriptor(parent_copy.release(), kParentFd));
    return sys::close_from(kKeptFd);
}

Done drop_privileges() {
    // In a user namespace without such a user, or without others, it stays who it is.
    const auto unknown_there = [](const Failure& failure) {
        return failure.os_error == EINVAL || failure.os_error == EPERM;
    };
    if (sys::effective_user() == 0) {
        const Done steps[] = {sys::forget_groups(), sys::become(kNobody, kNobody)};
        for (const Done& done : steps) {
            if (!done && !unknown_there(done.error())) return done.error();
        }
    }
    PADDOCK_TRY(sys::drop_capabilities());
    return sys::set_dumpable(false);
}

Ready settle(const ProxySettings& settings, int control, int parent) {
    const auto failed = [](FirstStep step, const Done& done) {
        return Ready{step, done.error().os_error};
    };
    sys::become_quiet_parent();
    (void)sys::new_session();  // fails only for who leads one already
    if (const Done done = keep_only(control, parent); !done) {
        return failed(FirstStep::kDescriptors, done);
    }
    if (const Done done = drop_privileges(); !done) return failed(FirstStep::kPrivileges, done);
    if (const Done done = confine(settings.names); !done)
        return failed(FirstStep::kConfinement, done);
    return {};
}

[[noreturn]] void live(const ProxySettings& settings, int control, int parent) {
    const Ready ready = settle(settings, control, parent);
    const int way = ready.step == FirstStep::kDescriptors ? control : kControlFd;
    const std::string_view bytes(reinterpret_cast<const char*>(&ready), sizeof ready);
    const bool told = sys::send_message(way, bytes, {}).has_value();
    if (told && ready.step == FirstStep::kNone) {
        ProxyLoop(settings, UniqueFd(kControlFd), UniqueFd(kParentFd)).run();
    }
    sys::leave(0);
}

}  // namespace

Outcome<std::unique_ptr<Proxy>> Proxy::start(const ProxySettings& settings) {
    PADDOCK_ASSIGN(ends, sys::message_pair(kAnswerBytesMax));
    // Readable when this process has ended. PR_SET_PDEATHSIG would mean the calling thread.
    PADDOCK_ASSIGN(parent, sys::hold_process(sys::own_id()));
    PADDOCK_ASSIGN(child, sys::fork_process());
    if (child == 0) live(settings, ends.second.get(), parent.get());
    ends.second.reset();
    return std::unique_ptr<Proxy>(new Proxy(std::move(ends.first), child));
}

Done Proxy::await_ready() {
    if (is_ready_) return {};
    Ready ready;
    char bytes[sizeof ready];
    const auto message = sys::receive_message(control_.get(), bytes, {});
    const bool told = message && message->bytes == sizeof ready;
    if (told) std::memcpy(&ready, bytes, sizeof ready);
    if (!told || ready.step != FirstStep::kNone) {
        return refuse(Code::kSandboxUnavailable, failed_first_step(ready.step), ready.error);
    }
    is_ready_ = true;
    return {};
}

Proxy::~Proxy() {
    control_.reset();
    (void)sys::collect(process_);
}

Outcome<std::string> Proxy::ask(std::string_view request, std::span<const int> passed) {
    const std::lock_guard lock(mutex_);
    PADDOCK_TRY(await_ready());
    PADDOCK_TRY(sys::send_message(control_.get(), request, passed));
    std::array waits{pollfd{control_.get(), POLLIN, 0}};
    PADDOCK_ASSIGN(ready, sys::wait_ready(waits, kAnswerMs));
    if (ready == 0) {
        control_.reset();  // a late answer would be taken for that to the next question
        return refuse(Code::kTimeout, "the proxy does not answer");
    }
    // Not written to beforehand: hardly any answer takes more than one page of it.
    const auto bytes = std::make_unique_for_overwrite<char[]>(kAnswerBytesMax);
    const std::span answer(bytes.get(), kAnswerBytesMax);
    PADDOCK_ASSIGN(message, sys::receive_message(control_.get(), answer, {}));
    if (message.bytes == 0) return refuse(Code::kNotAvailable, "the proxy has ended");
    return std::string(bytes.get(), message.bytes);
}

Done Proxy::serve(UniqueFd listener, UniqueFd name_socket) {
    if (!listener.valid()) return refuse(Code::kInvalidArgument, "there is no listening socket");
    const int sockets[] = {listener.get(), name_socket.get()};
    const auto passed = std::span(sockets).first(name_socket.valid() ? 2 : 1);
    PADDOCK_ASSIGN(answer, ask("L", passed));
    if (answer != "ok") return refuse(Code::kInternal, "the proxy gave a malformed answer");
    return {};
}

template <class Body>
Done Proxy::order(char letter, const Body& body, std::span<const int> passed) {
    std::string request(1, letter);
    request.append(reinterpret_cast<const char*>(&body), sizeof body);
    PADDOCK_ASSIGN(answer, ask(request, passed));
    if (answer != "ok") return refuse(Code::kInternal, "the proxy gave a malformed answer");
    return {};
}

Done Proxy::open_doorway(UniqueFd doorway, bool finds_servers, std::uint16_t proxy_port) {
    PADDOCK_ASSIGN(proc, sys::openat(AT_FDCWD, "/proc", O_RDONLY | O_DIRECTORY));
    PADDOCK_ASSIGN(table, TcpTable::open(proc.get()));
    const int files[] = {doorway.get(), table.v4.get(), table.v6.get()};
    const PublishRequest request{sys::effective_user(), proxy_port, finds_servers};
    return order('I', request, std::span(files).first(table.v6.valid() ? 3 : 2));
}

Done Proxy::publish(policy::PublishedPort port) {
    const auto listener = sys::listen_on_loopback(port.outside);
    if (!listener && listener.error().os_error == EADDRINUSE) {
        return refuse(Code::kInvalidArgument,
                      "this port of the machine is in use; take another one, as in 8080:3000",
                      EADDRINUSE);
    }
    if (!listener && listener.error().os_error == EACCES) {
        return refuse(Code::kInvalidArgument,
                      "ports below 1024 are for root; take another one, as in 8080:80", EACCES);
    }
    if (!listener) return listener.error();
    const std::array passed{listener->socket.get()};
    return order('P', port, passed);
}

Outcome<PublishedNews> Proxy::take_published() {
    constexpr std::string_view kBegin = "ok\n";
    PADDOCK_ASSIGN(answer, ask("N", {}));
    if (!answer.starts_with(kBegin)) {
        return refuse(Code::kInternal, "the proxy gave a malformed answer");
    }
    return parse_published_news(std::string_view(answer).substr(kBegin.size()));
}

Outcome<Denials> Proxy::take_denials() {
    {
        const std::lock_guard lock(mutex_);
        if (last_denials_) return std::exchange(*last_denials_, {});
    }
    PADDOCK_ASSIGN(answer, ask("D", {}));
    return parse_denials(answer);
}

void Proxy::begin_end() {
    auto denials = take_denials();
    const std::lock_guard lock(mutex_);
    if (denials) last_denials_ = std::move(*denials);
    control_.reset();
}

}  // namespace paddock::proxy
