#include "sandbox/observer.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <utility>

#include "base/check.h"
#include "proxy/name_server.h"
#include "sandbox/denial.h"
#include "sandbox/gate.h"
#include "sys/files.h"
#include "sys/identity.h"
#include "sys/io.h"

namespace paddock::sandbox {
namespace {

constexpr ObservedName kNoName{};

constexpr ObservedCall kCalls[] = {
    {SYS_openat, DeniedOperation::kWrite, NameMust::kAnything, {0, 1}, kNoName, 2},
    {SYS_truncate, DeniedOperation::kWrite, NameMust::kExist, {kNoArgument, 0}},
    {SYS_mkdirat, DeniedOperation::kCreate, NameMust::kBeMissing, {0, 1}},
    {SYS_mknodat, DeniedOperation::kCreate, NameMust::kBeMissing, {0, 1}},
    {SYS_symlinkat, DeniedOperation::kCreate, NameMust::kBeMissing, {1, 2}},
    {SYS_linkat, DeniedOperation::kCreate, NameMust::kBeMissing, {2, 3}},
    {SYS_renameat, DeniedOperation::kRename, NameMust::kExist, {0, 1}, {2, 3}},
    {.number = SYS_renameat2,
     .operation = DeniedOperation::kRename,
     .must = NameMust::kExist,
     .name = {0, 1},
     .second = {2, 3},
     .rename_flags = 4},
    {SYS_unlinkat, DeniedOperation::kRemove, NameMust::kExist, {0, 1}},
    {SYS_connect, DeniedOperation::kConnect},
#ifdef SYS_open  // machines older than the *at calls
    {SYS_open, DeniedOperation::kWrite, NameMust::kAnything, {kNoArgument, 0}, kNoName, 1},
    {SYS_creat, DeniedOperation::kCreate, NameMust::kAnything, {kNoArgument, 0}},
    {SYS_mkdir, DeniedOperation::kCreate, NameMust::kBeMissing, {kNoArgument, 0}},
    {SYS_mknod, DeniedOperation::kCreate, NameMust::kBeMissing, {kNoArgument, 0}},
    {SYS_symlink, DeniedOperation::kCreate, NameMust::kBeMissing, {kNoArgument, 1}},
    {SYS_link, DeniedOperation::kCreate, NameMust::kBeMissing, {kNoArgument, 1}},
    {SYS_rename, DeniedOperation::kRename, NameMust::kExist, {kNoArgument, 0}, {kNoArgument, 1}},
    {SYS_unlink, DeniedOperation::kRemove, NameMust::kExist, {kNoArgument, 0}},
    {SYS_rmdir, DeniedOperation::kRemove, NameMust::kExist, {kNoArgument, 0}},
#endif
};

}  // namespace

const ObservedCall* observed_call(long number) noexcept {
    for (const ObservedCall& call : kCalls) {
        if (call.number == number) return &call;
    }
    return nullptr;
}

namespace {

using sys::seccomp::Notification;

// What a call would do behind a wall; at most two names, the ones of a rename.
struct Sighting {
    Wall wall = Wall::kNone;
    DeniedOperation operation = DeniedOperation::kWrite;
    ForeignPath path;
    ForeignPath second;
    Wall second_wall = Wall::kNone;
    std::array<char, 64> address{};  // of a connect, instead of a path
};

int directory_of(const Notification& call, const ObservedName& name) {
    if (name.directory == kNoArgument) return AT_FDCWD;
    return static_cast<int>(call.arguments[static_cast<std::size_t>(name.directory)]);
}

bool read_name(const Notification& call, const ObservedName& name, ForeignPath& path) {
    const std::uint64_t address = call.arguments[static_cast<std::size_t>(name.path)];
    return path.read(call.process, directory_of(call, name), address).has_value();
}

bool exists(const ForeignPath& path, const ObservedWorld& world) {
    const auto look = [&] { return sys::node_at(AT_FDCWD, path.c_str()).has_value(); };
    if (!world.looker) return look();
    const sys::LookingAs looking(world.looker->user, world.looker->group);
    return looking.works() && look();
}

bool fails_anyhow(NameMust must, bool there) {
    return (must == NameMust::kExist && !there) || (must == NameMust::kBeMissing && there);
}

NameMust need_of_open(std::uint64_t flags) {
    if ((flags & O_TMPFILE) == O_TMPFILE || (flags & O_CREAT) == 0) return NameMust::kExist;
    return (flags & O_EXCL) != 0 ? NameMust::kBeMissing : NameMust::kAnything;
}

void look_at_open(const Notification& call, const ObservedCall& kind, const ObservedWorld& world,
                  Sighting& seen) {
    constexpr std::uint64_t kChanging = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC;
    const std::uint64_t flags = call.arguments[static_cast<std::size_t>(kind.flags)];
    if ((flags & kChanging) == 0 || (flags & O_PATH) != 0) return;
    if (!read_name(call, kind.name, seen.path)) return;
    const Wall wall = world.map.wall_before(seen.path.view());
    if (wall == Wall::kNone) return;
    const bool there = exists(seen.path, world);
    if (fails_anyhow(need_of_open(flags), there)) return;
    seen.operation = there ? DeniedOperation::kWrite : DeniedOperation::kCreate;
    seen.wall = wall;
}

// mv asks that way whether the target is a directory.
bool keeps_existing(const Notification& call, const ObservedCall& kind) {
    return kind.rename_flags != kNoArgument &&
           (call.arguments[static_cast<std::size_t>(kind.rename_flags)] & RENAME_NOREPLACE) != 0;
}

// Trees are removed name by name, below directories that are held open; told is what was in the
// way.
bool removes_tree(const Notification& call, const ObservedCall& kind) {
    return kind.operation == DeniedOperation::kRemove && directory_of(call, kind.name) != AT_FDCWD;
}

std::size_t size_in_the_way(std::string_view path, Wall wall, const WriteMap& map) {
    if (wall == Wall::kRule) return map.behind(path).size();
    return std::max<std::size_t>(path.rfind('/'), 1);  // its directory
}

void look_at_names(const Notification& call, const ObservedCall& kind, const ObservedWorld& world,
                   Sighting& seen) {
    if (!read_name(call, kind.name, seen.path)) return;
    const bool two = kind.second.path != kNoArgument;
    if (two && !read_name(call, kind.second, seen.second)) return;
    const std::string_view path = seen.path.view();
    const Wall wall = world.map.wall_before(path);
    const Wall second = two ? world.map.wall_before(seen.second.view()) : Wall::kNone;
    if (wall == Wall::kNone && second == Wall::kNone) return;
    if (fails_anyhow(kind.must, exists(seen.path, world))) return;
    if (keeps_existing(call, kind) && exists(seen.second, world)) return;
    if (removes_tree(call, kind)) seen.path.shorten(size_in_the_way(path, wall, world.map));
    seen.operation = kind.operation;
    seen.wall = wall;
    seen.second_wall = second;
}

bool is_loopback(const sockaddr_in& address) {
    const std::uint32_t host = ntohl(address.sin_addr.s_addr);
    return host >> 24 == 127 || host == INADDR_ANY;
}

bool is_loopback(const sockaddr_in6& address) {
    const in6_addr& host = address.sin6_addr;
    if (IN6_IS_ADDR_V4MAPPED(&host)) return host.s6_addr[12] == 127;
    return IN6_IS_ADDR_LOOPBACK(&host) || IN6_IS_ADDR_UNSPECIFIED(&host);
}

// "192.0.2.1:443", "[2001:db8::1]:443".
void write_address(int family, const void* host, std::uint16_t port, std::array<char, 64>& text) {
    char* at = text.data();
    char* const end = at + text.size() - 1;
    if (family == AF_INET6) *at++ = '[';
    if (::inet_ntop(family, host, at, INET6_ADDRSTRLEN) == nullptr) return;
    at += std::strlen(at);
    if (family == AF_INET6) *at++ = ']';
    *at++ = ':';
    *std::to_chars(at, end, ntohs(port)).ptr = '\0';
}

// The C library asks a name service daemon before every look-up of a user, and rarely finds one.
bool is_name_service(std::string_view path) { return path.ends_with("/run/nscd/socket"); }

void look_at_unix_socket(const Notification& call, const sockaddr_un& address, std::size_t size,
                         const ObservedWorld& world, Sighting& seen) {
    const std::size_t most = size - offsetof(sockaddr_un, sun_path);
    const std::string_view name(address.sun_path, ::strnlen(address.sun_path, most));
    if (name.empty() || is_name_service(name)) return;
    if (!seen.path.set(call.process, AT_FDCWD, name)) return;
    if (world.map.wall_before(seen.path.view()) != Wall::kView || exists(seen.path, world)) return;
    seen.operation = DeniedOperation::kConnect;
    seen.wall = Wall::kView;
}

// Where look-ups of a program lead that knows no name server. Go's ask at ::1 once more.
bool is_name_server(const sockaddr_in& address) {
    const std::uint32_t host = ntohl(address.sin_addr.s_addr);
    return host == INADDR_LOOPBACK || host == INADDR_ANY;
}

bool is_name_server(const sockaddr_in6& address) {
    return IN6_IS_ADDR_LOOPBACK(&address.sin6_addr);
}

// A command cannot serve the port of name servers, and without a configured one that of its own
// loopback is asked: for want of a network.
void look_at_way_out(bool own_loopback, bool refused_there, std::uint16_t port, Sighting& seen) {
    const bool asks_for_name = ntohs(port) == proxy::kNameServerPort;
    if (own_loopback && (!asks_for_name || refused_there)) return;
    seen.operation = asks_for_name ? DeniedOperation::kLookUp : DeniedOperation::kConnect;
    seen.wall = Wall::kNetwork;
}

void look_at_connect(const Notification& call, const ObservedWorld& world, Sighting& seen) {
    union {
        sockaddr any;
        sockaddr_in inet;
        sockaddr_in6 inet6;
        sockaddr_un local;
    } address{};
    const std::size_t told = static_cast<std::uint32_t>(call.arguments[2]);
    const std::size_t size =
        read_foreign(call.process, call.arguments[1],
                     {reinterpret_cast<char*>(&address), std::min(told, sizeof address)});
    if (size <= sizeof(sa_family_t)) return;
    if (address.any.sa_family == AF_UNIX) {
        return look_at_unix_socket(call, address.local, size, world, seen);
    }
    if (!world.map.loopback_only) return;
    if (address.any.sa_family == AF_INET) {
        const bool own = is_loopback(address.inet);
        const bool refused = world.map.refuses_look_ups && is_name_server(address.inet);
        look_at_way_out(own, refused, address.inet.sin_port, seen);
        write_address(AF_INET, &address.inet.sin_addr, address.inet.sin_port, seen.address);
    } else if (address.any.sa_family == AF_INET6) {
        const bool own = is_loopback(address.inet6);
        const bool refused = world.map.refuses_look_ups && is_name_server(address.inet6);
        look_at_way_out(own, refused, address.inet6.sin6_port, seen);
        write_address(AF_INET6, &address.inet6.sin6_addr, address.inet6.sin6_port, seen.address);
    }
}

// Would a name be made in a directory that commands do not see? The kernel says that it does not
// exist, which sounds like a mistake in the path.
bool is_made_in_unseen_directory(const Sighting& seen, const ObservedWorld& world) {
    const bool is_rename = seen.operation == DeniedOperation::kRename;
    if (!world.own_view || (!is_rename && seen.operation != DeniedOperation::kCreate)) return false;
    if ((is_rename ? seen.second_wall : seen.wall) != Wall::kView) return false;
    ForeignPath directory = is_rename ? seen.second : seen.path;
    directory.shorten(std::max<std::size_t>(directory.view().rfind('/'), 1));
    return !exists(directory, world);
}

void look_at(const Notification& call, const ObservedWorld& world, Sighting& seen) {
    const ObservedCall* kind = observed_call(call.number);
    if (kind == nullptr || call.process == 0) return;
    if (kind->operation == DeniedOperation::kConnect) return look_at_connect(call, world, seen);
    if (kind->flags != kNoArgument) return look_at_open(call, *kind, world, seen);
    look_at_names(call, *kind, world, seen);
}

std::uint64_t hash_of(DeniedOperation operation, std::string_view target) {
    std::uint64_t hash = 0xcbf29ce484222325 ^ static_cast<std::uint64_t>(operation);
    for (const char c : target) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    return hash;
}

}  // namespace

Observer::Observer(UniqueFd listener, UniqueFd report, const ObservedWorld& world, Gates* gates,
                   const CallIds& calls) noexcept
    : listener_(std::move(listener)),
      report_(std::move(report)),
      world_(&world),
      gates_(gates),
      calls_(calls) {
    (void)sys::seccomp::wake_on_same_processor(listener_.get());
}

void Observer::serve() noexcept {
    const auto call = sys::seccomp::receive(listener_.get());
    if (!call) return;
    if (gates_ != nullptr) {
        std::optional<GateRefusal> refused;
        const Gate::Answer answer = gates_->handle(*call, listener_.get(), calls_, refused);
        if (refused) record(Wall::kRule, refused->operation, refused->path, refused->why);
        tell_refusals();
        if (answer != Gate::Answer::kContinue) return;
    }
    Sighting seen;
    look_at(*call, *world_, seen);
    // A process id that was used again in between would have led to another's memory.
    const bool sighted = seen.wall != Wall::kNone || seen.second_wall != Wall::kNone;
    const bool genuine = sighted && sys::seccomp::is_waiting(listener_.get(), call->id);
    if (genuine && is_made_in_unseen_directory(seen, *world_)) {
        (void)sys::seccomp::answer(listener_.get(), call->id, 0, EROFS);
    } else {
        (void)sys::seccomp::let_continue(listener_.get(), call->id);
    }
    if (!genuine) return;
    const bool by_address = seen.wall == Wall::kNetwork;
    record(seen.wall, seen.operation, by_address ? seen.address.data() : seen.path.view());
    record(seen.second_wall, seen.operation, seen.second.view());
}

void Observer::tell_refusals() noexcept {
    while (const auto refused = gates_->take_refusal(listener_.get())) {
        record(Wall::kRule, refused->operation, refused->path, refused->why);
    }
}

void Observer::leave() noexcept {
    if (gates_ == nullptr) return;
    gates_->retry();
    tell_refusals();
    gates_->forget(listener_.get());
}

void Observer::record(Wall wall, DeniedOperation operation, std::string_view target,
                      std::string_view why) noexcept {
    if (wall == Wall::kNone || told_count_ > told_.size()) return;
    const std::uint64_t hash = hash_of(operation, target);
    const auto end = told_.begin() + static_cast<std::ptrdiff_t>(told_count_);
    if (std::find(told_.begin(), end, hash) != end) return;
    if (told_count_++ == told_.size()) return send({});
    told_[told_count_ - 1] = hash;
    DenialRecord told{wall, operation, 0, 0, {}, {}};
    const std::size_t size = std::min(target.size(), told.target.size());
    told.size = static_cast<std::uint16_t>(size);
    std::copy_n(target.begin(), size, told.target.begin());
    const std::size_t why_size = std::min(why.size(), told.why.size());
    told.why_size = static_cast<std::uint16_t>(why_size);
    std::copy_n(why.begin(), why_size, told.why.begin());
    send(told);
}

void Observer::send(const DenialRecord& record) noexcept {
    (void)sys::send_now(report_.get(), {reinterpret_cast<const char*>(&record), sizeof record});
}

void ObserverTable::add(UniqueFd listener, UniqueFd report, const ObservedWorld& world,
                        Gates* gates, const CallIds& calls) noexcept {
    PADDOCK_CHECK(!is_full());
    observers_[count_++].emplace(std::move(listener), std::move(report), world, gates, calls);
}

std::size_t ObserverTable::add_waits(std::span<pollfd> waits) const noexcept {
    for (std::size_t i = 0; i < count_; ++i) waits[i] = {observers_[i]->listener(), POLLIN, 0};
    return count_;
}

void ObserverTable::tell_refusals() noexcept {
    for (std::size_t i = 0; i < count_; ++i) observers_[i]->tell_refusals();
}

void ObserverTable::serve(std::span<const pollfd> waits) noexcept {
    // From the end: the one that takes the place of what is gone was served already.
    for (std::size_t i = waits.size(); i-- > 0;) {
        const short ready = waits[i].revents;
        if ((ready & POLLIN) != 0) {
            observers_[i]->serve();
        } else if (ready != 0) {
            observers_[i]->leave();
            if (i != --count_) observers_[i] = std::move(observers_[count_]);
            observers_[count_].reset();
        }
    }
}

}  // namespace paddock::sandbox
