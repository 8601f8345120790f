#include "sandbox/warden_plan.h"

#include <fcntl.h>

#include <array>
#include <cerrno>

#include "sandbox/confine.h"
#include "sys/files.h"

namespace paddock::sandbox {
namespace {

namespace ll = sys::landlock;

// What may be granted on something that is no directory.
constexpr ll::Rights kOfFiles =
    ll::kExecute | ll::kWriteFile | ll::kReadFile | ll::kTruncate | ll::kIoctlDev;

ll::Rights rights_for(Use use, const ll::Handled& handled) {
    const ll::Rights look = granted(Access::kReadExecute, handled);
    switch (use) {
        case Use::kWork:
            // Unix sockets of its own commands, too.
            return look | granted(Access::kReadWrite, handled) | (ll::kResolveUnix & handled.files);
        case Use::kGated: return look | (ll::kResolveUnix & handled.files);
        case Use::kDevice:
            return (ll::kReadFile | ll::kReadDir | ll::kWriteFile | ll::kTruncate | ll::kIoctlDev) &
                   handled.files;
        case Use::kLook: break;
    }
    return look;
}

ll::Handled handled_for(const ConfineSpec& spec, int abi) { return plan_for(spec, abi).handled; }

Done add(int ruleset, const CommandRule& rule, const ll::Handled& handled) {
    const auto place = sys::openat(AT_FDCWD, rule.path.c_str(), O_PATH);
    if (!place && place.error().os_error == ENOENT) return {};
    if (!place) return place.error();
    ll::Rights rights = rights_for(rule.use, handled);
    PADDOCK_ASSIGN(stat, sys::fstat(place->get()));
    if (stat.type != FileType::kDirectory) rights &= kOfFiles;
    return ll::allow_beneath(ruleset, place->get(), rights);
}

}  // namespace

CommandRules rules_in_view(const ViewPlan& view, const std::string& workspace, bool read_only,
                           bool host_network, int abi) {
    ConfineSpec spec;
    spec.network = permit::Network{"an own network namespace, or the operator's permit"};
    CommandRules rules;
    rules.handled = handled_for(spec, abi);
    rules.handled.scopes &= host_network ? ll::kScopeAbstractUnixSocket : 0;
    rules.rules.push_back({"/", Use::kLook});
    rules.rules.push_back({"/dev", Use::kDevice});
    for (const Piece& piece : view.pieces) {
        const bool is_own = piece.make == Make::kScratch || piece.make == Make::kHome;
        if (is_own) rules.rules.push_back({'/' + piece.path, Use::kWork});
    }
    if (!read_only) rules.rules.push_back({workspace, Use::kWork});
    return rules;
}

CommandRules rules_without_view(const PlainPlaces& places, int abi) {
    ConfineSpec spec;
    if (places.host_network) spec.network = permit::Network{"the operator's permit"};
    CommandRules rules;
    rules.handled = handled_for(spec, abi);
    for (const HostName& name : places.host) {
        // Where a link leads is covered by a rule of its own, or is not to be reached.
        if (name.type != FileType::kSymlink) rules.rules.push_back({name.path, Use::kLook});
    }
    constexpr std::array kRead{"/proc",      "/etc/passwd",        "/etc/group",
                               "/etc/hosts", "/etc/nsswitch.conf", "/etc/hostname"};
    for (const char* path : kRead) rules.rules.push_back({path, Use::kLook});
    if (places.host_network) rules.rules.push_back({"/etc/resolv.conf", Use::kLook});
    // No /dev/pts: the terminal of whoever started this is there, with the same owner.
    constexpr std::array kShownDevices{"/dev/null",   "/dev/zero",    "/dev/full",
                                       "/dev/random", "/dev/urandom", "/dev/tty"};
    for (const char* path : kShownDevices) rules.rules.push_back({path, Use::kDevice});
    for (const std::string& path : places.seen) rules.rules.push_back({path, Use::kLook});
    rules.rules.push_back({places.scratch, Use::kWork});
    rules.rules.push_back({".", places.read_only ? Use::kLook : Use::kWork});
    return rules;
}

CommandRules gated(CommandRules rules, const std::string& workspace,
                   const std::vector<std::string>& further) {
    for (CommandRule& rule : rules.rules) {
        if (rule.path == workspace && rule.use == Use::kWork) rule.use = Use::kGated;
    }
    for (const std::string& root : further) rules.rules.push_back({root, Use::kGated});
    return rules;
}

Outcome<UniqueFd> make_ruleset(const CommandRules& rules) {
    PADDOCK_ASSIGN(ruleset, ll::create_ruleset(rules.handled));
    for (const CommandRule& rule : rules.rules) {
        PADDOCK_TRY(add(ruleset.get(), rule, rules.handled));
    }
    return std::move(ruleset);
}

}  // namespace paddock::sandbox
