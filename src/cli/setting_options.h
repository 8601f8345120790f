// The settings of the configuration as options of a command.
#pragma once

#include <deque>
#include <initializer_list>
#include <string>
#include <string_view>

#include "cli/arguments.h"
#include "cli/parser.h"
#include "config/setting.h"

namespace paddock::cli {

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

}  // namespace paddock::cli
