// Random changes, made through one resolver in one workspace and through the other in its twin.
#pragma once

#include <string>

#include <paddock/root.h>

#include "agreement/arena.h"
#include "agreement/byte_source.h"

namespace paddock::agreement {

// The answer of a change that was reported as done, but of which nothing can be seen.
inline constexpr const char* kNotSeen = "ok, but not seen";

struct Change {
    std::string call;   // for people
    std::string first;  // what each resolver answered: "ok", an error code, or kNotSeen
    std::string second;
};

// Makes one change on both sides.
Change random_change(ByteSource& bytes, const Arena& arena, const Plan& plan, const Root& first,
                     const Root& second);

}  // namespace paddock::agreement
