#include "fault/faults.h"

#include <array>
#include <cstring>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace paddock::testing {
namespace {

std::atomic<Faults*> installed = nullptr;

// In the order of sys::Call.
constexpr std::array<std::string_view, 30> kCallNames = {
    "openat",     "openat2", "stat",     "read",   "write",   "copy_range", "sync",  "truncate",
    "mkdir",      "unlink",  "rename",   "link",   "symlink", "readlink",   "chmod", "chown",
    "times",      "xattr",   "getdents", "access", "seek",    "poll",       "mount", "process",
    "credential", "socket",  "connect",  "accept", "send",    "receive"};

bool is_hit(const FaultPlan& plan, std::size_t count) {
    if (plan.nth == 0 || count < plan.nth) return false;
    return plan.period == 0 ? count == plan.nth : (count - plan.nth) % plan.period == 0;
}

}  // namespace

Faults::Faults(FaultPlan plan) : plan_(std::move(plan)) {
    if (installed.exchange(this) != nullptr) throw std::logic_error("faults do not nest");
    sys::fault_hook.store(&Faults::answer);
}

Faults::~Faults() {
    sys::fault_hook.store(nullptr);
    installed.store(nullptr);
}

std::optional<sys::Call> Faults::struck() const {
    const int call = struck_.load();
    if (call < 0) return std::nullopt;
    return static_cast<sys::Call>(call);
}

sys::Fault Faults::answer(sys::Call call) noexcept {
    Faults& self = *installed.load();
    const FaultPlan& plan = self.plan_;
    if (plan.only && *plan.only != call) return {};
    if (!is_hit(plan, self.calls_.fetch_add(1) + 1)) return {};
    self.struck_.store(static_cast<int>(call));
    if (plan.before) plan.before();
    return {plan.error, plan.bytes_max};
}

std::string describe(const FaultPlan& plan, std::optional<sys::Call> struck) {
    std::string text = plan.error != 0 ? ::strerrorname_np(plan.error) : "no error";
    text += " at call " + std::to_string(plan.nth);
    if (struck) text += " (" + std::string(kCallNames.at(static_cast<std::size_t>(*struck))) + ")";
    return text;
}

}  // namespace paddock::testing
