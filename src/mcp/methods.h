// The methods of a server, by name: what it answers, in which era, and how. A server is made by
// adding to the table; what is not in it is an unknown method.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include <paddock/tools.h>

#include "mcp/exchange.h"
#include "mcp/message.h"
#include "mcp/version.h"

namespace paddock::mcp {

enum class Eras : std::uint8_t { kLegacy, kModern, kBoth };

// What a handler leaves behind.
struct Handled {
    std::optional<RpcError> error{};  // absent: the result is written
    // Not answered yet: whoever keeps the exchange ends it by succeed() or fail(), or the client by
    // cancelling it.
    bool is_open = false;
    // Not begun: it takes longer than Exchange::is_hurried() allows.
    bool is_deferred = false;

    Handled() = default;
    Handled(RpcError why) : error(std::move(why)) {}
    static Handled open() {
        Handled handled;
        handled.is_open = true;
        return handled;
    }
    static Handled deferred() {
        Handled handled;
        handled.is_deferred = true;
        return handled;
    }
};

struct Method {
    // Runs in any thread, several at once.
    std::function<Handled(const std::shared_ptr<Exchange>&)> run;
    Eras eras = Eras::kBoth;
    // Absent: what is asked is answered quickly, so that no thread is worth it.
    std::function<tools::Pace(const Exchange&)> pace{};
    // Absent: no. Then it is cancelled when its client goes, whatever the era.
    std::function<bool(const Exchange&)> only_reads{};
};

class Methods {
public:
    // Takes the place of an earlier one of that name.
    void add(std::string name, Method method) {
        table_.insert_or_assign(std::move(name), std::move(method));
    }

    // nullptr: there is none of that name in that era.
    const Method* find(std::string_view name, Era era) const noexcept;
    bool knows(std::string_view name) const noexcept { return table_.contains(name); }

private:
    std::map<std::string, Method, std::less<>> table_;
};

}  // namespace paddock::mcp
