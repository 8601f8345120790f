#include "mcp/methods.h"

namespace paddock::mcp {

const Method* Methods::find(std::string_view name, Era era) const noexcept {
    const auto it = table_.find(name);
    if (it == table_.end()) return nullptr;
    const Eras other = era == Era::kModern ? Eras::kLegacy : Eras::kModern;
    return it->second.eras == other ? nullptr : &it->second;
}

}  // namespace paddock::mcp
