#include "race/stop_point.h"

#include <utility>

namespace paddock::testing {
namespace {

StopPoint* installed = nullptr;

}  // namespace

StopPoint::StopPoint(Before before) : before_(std::move(before)) {
    installed = this;
    sys::fault_hook = &StopPoint::ask;
}

StopPoint::~StopPoint() {
    sys::fault_hook = nullptr;
    installed = nullptr;
}

sys::Fault StopPoint::ask(sys::Call call) noexcept {
    return installed->before_(call, ++installed->calls_);
}

}  // namespace paddock::testing
