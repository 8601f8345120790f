// A limit that a command met: what it is called, what happened, and the operator's setting behind
// it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <paddock/shell.h>

#include "sandbox/denial.h"
#include "sandbox/warden.h"
#include "tools/job.h"

namespace paddock::tools {

struct MetLimit {
    std::string_view name;
    std::string text;                     // what happened
    std::string_view setting = kNothing;  // its whole name
    Layer layer = Layer::kLimits;
    std::string_view remedy{};  // what whoever gave the command can do

    static constexpr std::string_view kNothing = "none";  // that the operator could set

    std::string named() const;  // all of it, for whoever gave the command
    sandbox::Denial denial() const;
};

// One that it was ended for.
std::optional<MetLimit> ending_limit(EndedBy cause, const CommandLimits& limits);

// One that is exceeded when it has ended by itself.
MetLimit exceeded_quota();

// One that the kernel keeps by itself.
std::optional<MetLimit> kernel_limit(const sandbox::ExitRecord& exit, const CommandLimits& limits);

// One that the last words of a failed command speak of. The kernel tells nobody but the command of
// these; words are no proof, and the text says so.
std::optional<MetLimit> mentioned_limit(std::string_view last_words, const CommandLimits& limits);

}  // namespace paddock::tools
