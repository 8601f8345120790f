// A call of any number with any arguments, as a filter hands it over. What is decoded has a kind
// with a operation, flags of 32 bits as the kernel takes them, and no address that was not an
// argument.
#include <algorithm>
#include <cstdint>
#include <cstring>

#include "base/check.h"
#include "sandbox/gated_call.h"

namespace {

using namespace paddock;

bool is_argument(const sys::seccomp::Notification& call, std::uint64_t address) {
    const auto& all = call.arguments;
    return address == 0 || std::find(all.begin(), all.end(), address) != all.end();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    sys::seccomp::Notification call;
    std::uint16_t number = 0;
    std::memcpy(&number, data, std::min(size, sizeof number));
    call.number = number % 512;
    if (size > sizeof number) {
        std::memcpy(call.arguments.data(), data + sizeof number,
                    std::min(size - sizeof number, sizeof call.arguments));
    }
    const auto decoded = sandbox::decode(call);
    if (!decoded) return 0;
    PADDOCK_CHECK(decoded->kind <= sandbox::GatedKind::kBind);
    (void)sandbox::operation_of(*decoded);
    PADDOCK_CHECK(decoded->flags >> 32U == 0);
    PADDOCK_CHECK(is_argument(call, decoded->name.address));
    PADDOCK_CHECK(is_argument(call, decoded->second.address));
    PADDOCK_CHECK(is_argument(call, decoded->text));
    PADDOCK_CHECK(is_argument(call, decoded->value));
    return 0;
}
