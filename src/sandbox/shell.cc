#include <paddock/shell.h>

#include <array>

namespace paddock {
namespace {

// In the order of Layer.
constexpr std::array<std::string_view, kLayers> kNames{
    "user_namespace", "mount_namespace", "pid_namespace",    "network_namespace",
    "ipc_namespace",  "uts_namespace",   "cgroup_namespace", "landlock",
    "seccomp",        "limits",          "cgroup",           "gate"};

}  // namespace

std::string_view layer_name(Layer layer) noexcept {
    return kNames[static_cast<std::size_t>(layer)];
}

std::string_view rung_name(Rung rung) noexcept { return rung == Rung::kFull ? "full" : "low"; }

}  // namespace paddock
