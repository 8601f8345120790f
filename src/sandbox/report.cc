#include "sandbox/report.h"

namespace paddock::sandbox {
namespace {

#define NO_CGROUP "no cgroup v2 group is delegated"
#define DELEGATE "run in a systemd unit or scope with Delegate=yes"

#define NO_LISTENER \
    "no seccomp filter can have a listener here: one outside has it already, perhaps"
#define NO_GATE                                                                                    \
    "changes cannot be judged before they are made: that takes Linux 5.19, openat2 and a seccomp " \
    "listener"
#define NO_GATE_FULL \
    "; existing sealed files are read-only for commands, new ones are only reported"
#define NO_GATE_LOW                                                                             \
    "; on the low level existing sealed files and the journal are not protected from commands " \
    "either, changes of sealed files are only reported"
#define NEWER_KERNEL "use a newer kernel, outside of a container that listens itself"
#define NO_WAY_OUT \
    "listed destinations need a network namespace, which is refused here; see `paddock doctor`"

#define NO_WAY_IN \
    "published ports need a network namespace, which is refused here; see `paddock doctor`"

bool is_namespace(Layer layer) { return layer <= Layer::kCgroupNamespace; }

}  // namespace

ShellReport report_of(const ShellOptions& options, const Reached& reached) {
    ShellReport report;
    report.rung = reached.rung;
    report.landlock_abi = reached.landlock_abi;
    report.user = reached.user;
    if (!reached.observes) report.denials_untold = NO_LISTENER;
    if (options.host_network) {
        report.permits.push_back("host_network: " + options.host_network->reason);
    }
    for (std::size_t i = 0; i < kLayers; ++i) {
        const auto layer = static_cast<Layer>(i);
        if (layer == Layer::kNetworkNamespace && options.host_network) continue;
        if (layer == Layer::kGate && !reached.needs_gate) continue;
        report.requested.push_back(layer);
        if (is_namespace(layer) && reached.rung == Rung::kLow) {
            const StageText& text = stage_text(reached.refused.stage);
            report.missing.push_back({layer, text.reason, text.remedy, reached.refused.os_error});
        } else if (layer == Layer::kCgroup && reached.no_cgroup) {
            report.missing.push_back({layer, NO_CGROUP, DELEGATE, reached.no_cgroup->os_error});
        } else if (layer == Layer::kGate && !reached.gated) {
            const bool is_full = reached.rung == Rung::kFull;
            const char* const reason = is_full ? NO_GATE NO_GATE_FULL : NO_GATE NO_GATE_LOW;
            report.missing.push_back({layer, reason, NEWER_KERNEL, 0});
        } else {
            report.enforced.push_back(layer);
        }
    }
    return report;
}

Done check_required(const ShellOptions& options, const Reached& reached) {
    // Landlock knows ports, not hosts.
    if (!options.network_allow.empty() && reached.rung == Rung::kLow) {
        return refuse(Code::kSandboxUnavailable, NO_WAY_OUT, reached.refused.os_error);
    }
    if (!options.publish.empty() && reached.rung == Rung::kLow) {
        return refuse(Code::kSandboxUnavailable, NO_WAY_IN, reached.refused.os_error);
    }
    for (const Layer layer : options.required) {
        if (is_namespace(layer) && reached.rung == Rung::kLow) {
            return stage_failure(reached.refused.stage, reached.refused.os_error);
        }
        if (layer == Layer::kCgroup && reached.no_cgroup) {
            return refuse(Code::kSandboxUnavailable, NO_CGROUP "; " DELEGATE,
                          reached.no_cgroup->os_error);
        }
        if (layer == Layer::kGate && reached.needs_gate && !reached.gated) {
            return refuse(Code::kSandboxUnavailable, NO_GATE "; " NEWER_KERNEL);
        }
    }
    return {};
}

}  // namespace paddock::sandbox
