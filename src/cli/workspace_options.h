// The workspace that a command works on: what the configuration says, with the words of the call.
// Every command that opens one asks here.
#pragma once

#include <deque>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include <paddock/config.h>

#include "cli/arguments.h"
#include "cli/parser.h"
#include "config/settings.h"

namespace paddock::cli {

// The variables that paddock was started with.

std::vector<std::string> host_environment();  // "NAME=value"

std::string_view host_variable(const char* name) noexcept;  // empty if it is absent too

// The settings of the configuration as options of a command.
// A table ("paths.") or one setting ("workspace.root").
using Offered = std::initializer_list<std::string_view>;

class SettingOptions {
public:
    // --config, and one option for each setting that is offered. The options must outlive the
    // parser's work.
    void declare(Parser& parser, Offered offered);

    // After the words were parsed.
    SettingWords take(const Parser& parser) const;

private:
    struct Slot {
        const config::Setting* setting = nullptr;
        bool flag = false;
        std::string text{};
        Words texts{};
    };

    void declare(Parser& parser, const config::Setting& setting);

    std::string file_;
    std::deque<Slot> slots_;  // addresses stay
};

// Tells all that is wrong with a configuration.
struct BadConfiguration : ExitMessage {
    bool is_call = false;  // only words of the call are at fault, no file and no variable
};

// The configuration in force.
enum class StateDirectory : bool { kLeave, kMake };
tl::expected<config::Configuration, BadConfiguration> configuration(
    const SettingWords& words, StateDirectory state = StateDirectory::kMake);

// The same for a session: searches also pass over what the user's git passes over, and what it
// obeys by configurations outside of the workspace is protected.
tl::expected<config::Configuration, BadConfiguration> session_configuration(
    const SettingWords& words, StateDirectory state = StateDirectory::kMake);

// Its workspace.
tl::expected<WorkspaceOptions, BadConfiguration> workspace_options(const SettingWords& words);

}  // namespace paddock::cli
