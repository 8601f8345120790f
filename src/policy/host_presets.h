// Presets of the allow list: one word for the hosts that a package manager or a forge needs.
// A table, so that a reader sees at once what each word opens and why.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace paddock::policy {

struct PresetHost {
    std::string_view preset;  // "npm"
    std::string_view host;    // an entry of HostRules, with its port
    std::string_view reason;
};

// All of them, those of one preset together.
std::span<const PresetHost> preset_hosts() noexcept;

bool is_preset(std::string_view word) noexcept;

// The names, in the order of the table: "npm, pypi, ...".
std::string preset_names();

}  // namespace paddock::policy
