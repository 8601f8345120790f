#include "sandbox/stage.h"

#include <array>
#include <cerrno>
#include <cstddef>

namespace paddock::sandbox {
namespace {

#define TEXT(layer, reason, remedy) \
    { Layer::layer, reason, remedy, reason "; " remedy }

#define USER_NAMESPACES                                                               \
    "on Ubuntu give this program an AppArmor profile with 'userns,'; in a container " \
    "allow clone(CLONE_NEWUSER), unshare and mount; elsewhere see user.max_user_namespaces"
#define MOUNT_CALLS "needs Linux 5.12 and, in a container, the mount calls of that kernel"
#define PROC "in a container, leave /proc unmasked"
#define KERNEL "needs Linux 5.13 with Landlock among the lsm= of its command line"
#define FILTER "needs a kernel with CONFIG_SECCOMP_FILTER"
#define TELL "tell the operator, with the output of `paddock doctor`"

// In the order of Stage.
constexpr std::array<StageText, kStages> kTexts{{
    TEXT(kLimits, "nothing is wrong", ""),

    TEXT(kUserNamespace, "user namespaces are refused", USER_NAMESPACES),
    TEXT(kUserNamespace, "the users of the namespace cannot be set", USER_NAMESPACES),
    TEXT(kUserNamespace, "the user cannot be changed to that of the commands", USER_NAMESPACES),
    TEXT(kMountNamespace, "mount namespaces are refused", USER_NAMESPACES),
    TEXT(kMountNamespace, "a new root cannot be mounted", MOUNT_CALLS),
    TEXT(kMountNamespace, "the system's programs cannot be mounted", MOUNT_CALLS),
    TEXT(kMountNamespace, "the devices cannot be mounted", MOUNT_CALLS),
    TEXT(kMountNamespace, "terminals cannot be mounted", MOUNT_CALLS),
    TEXT(kPidNamespace, "a fresh /proc cannot be mounted", PROC),
    TEXT(kMountNamespace, "a private /tmp and home cannot be mounted", MOUNT_CALLS),
    TEXT(kMountNamespace, "the home of the workspace cannot be mounted", TELL),
    TEXT(kMountNamespace, "a read-only directory of the operator cannot be mounted",
         "check that it exists and that this user may enter it"),
    TEXT(kMountNamespace, "the workspace cannot be mounted", MOUNT_CALLS),
    TEXT(kMountNamespace, "the new root cannot be entered", MOUNT_CALLS),
    TEXT(kMountNamespace, "a protected path cannot be covered", TELL),
    TEXT(kNetworkNamespace, "the loopback of the network namespace cannot be started", TELL),
    TEXT(kUtsNamespace, "the name of the host cannot be set", TELL),
    TEXT(kNetworkNamespace, "the proxy's socket cannot be made", TELL),
    TEXT(kLandlock, "the Landlock rules cannot be made", KERNEL),
    TEXT(kUserNamespace, "capabilities cannot be given up", TELL),
    TEXT(kUserNamespace, "the warden cannot start", TELL),
    TEXT(kSeccomp, "the journal of the workspace cannot be opened", TELL),

    TEXT(kLimits, "the request is invalid", TELL),
    TEXT(kLimits, "too many commands run at once", "wait for one, or kill one"),
    TEXT(kLimits, "no process can be made", "end what is running"),
    TEXT(kLimits, "no terminal can be made", TELL),
    TEXT(kLimits, "the descriptors cannot be arranged", TELL),
    TEXT(kLimits, "the directory cannot be entered", "choose another one"),
    TEXT(kLimits, "the limits cannot be set", TELL),
    TEXT(kLimits, "the user cannot be changed to that of the commands", TELL),
    TEXT(kLandlock, "the command cannot be put under Landlock", KERNEL),
    TEXT(kSeccomp, "the command cannot be put under a seccomp filter", FILTER),
    TEXT(kLimits, "the program cannot be run", "check its name"),

    TEXT(kLimits, "no such command is running", "look at what is running"),
    TEXT(kLimits, "the command forked faster than it could be stopped, and its session was ended",
         "start again"),
    TEXT(kLimits, "the signal cannot be sent", TELL),
    TEXT(kLimits, "the processes cannot be counted", TELL),
}};

#undef TEXT

}  // namespace

const StageText& stage_text(Stage stage) noexcept {
    return kTexts[static_cast<std::size_t>(stage)];
}

Failure stage_failure(Stage stage, int os_error) noexcept {
    const std::string_view why = stage_text(stage).both;
    switch (stage) {
        case Stage::kProgram:
        case Stage::kDirectory: return Failure::from_errno(os_error);
        case Stage::kRequest: return refuse(Code::kInvalidArgument, why, os_error);
        case Stage::kUnknownCommand: return refuse(Code::kNotFound, why, os_error);
        case Stage::kProtect:
            if (os_error == ESTALE) {
                return refuse(Code::kRace, "a protected path was replaced meanwhile", os_error);
            }
            return refuse(Code::kSandboxUnavailable, why, os_error);
        case Stage::kCommands:
        case Stage::kFork:
        case Stage::kKill: return refuse(Code::kLimitReached, why, os_error);
        default: return refuse(Code::kSandboxUnavailable, why, os_error);
    }
}

}  // namespace paddock::sandbox
