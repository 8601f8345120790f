// The Landlock rules of commands: second to the view on the full rung, the only wall around files
// on the low one.
#pragma once

#include <string>
#include <vector>

#include <paddock/unique_fd.h>

#include "base/outcome.h"
#include "sandbox/view_plan.h"
#include "sys/landlock.h"

namespace paddock::sandbox {

enum class Use : std::uint8_t {
    kLook,    // read and run
    kWork,    // and change
    kGated,   // read, run and meet sockets; the gate changes
    kDevice,  // read, write, control; nothing is made or removed
};

struct CommandRule {
    std::string path;  // as the warden looks it up
    Use use = Use::kLook;
};

struct CommandRules {
    sys::landlock::Handled handled;
    std::vector<CommandRule> rules;
};

// Commands of one session are in different domains, so what a scope forbids towards the outside it
// forbids between them, too. With namespaces only what those leave open is scoped.
CommandRules rules_in_view(const ViewPlan& view, const std::string& workspace, bool read_only,
                           bool host_network, int abi);

// The workspace is the working directory of whoever makes the ruleset.
struct PlainPlaces {
    std::vector<HostName> host;          // as in ViewFacts
    std::vector<std::string> seen = {};  // read-only: what the operator shows, toolchains, roots
    std::string scratch;
    bool read_only = false;
    bool host_network = false;
};
CommandRules rules_without_view(const PlainPlaces& places, int abi);

// The same rules, with a gate before the workspace and before `further`.
CommandRules gated(CommandRules rules, const std::string& workspace,
                   const std::vector<std::string>& further);

// Allocates nothing. A path that does not exist is left out.
Outcome<UniqueFd> make_ruleset(const CommandRules& rules);

}  // namespace paddock::sandbox
