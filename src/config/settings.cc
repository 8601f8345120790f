#include <algorithm>
#include <array>

#include "base/blanks.h"
#include "base/reason.h"
#include "config/fields.h"
#include "config/words.h"

namespace paddock::config {
namespace {

// "bash.read_only" -> "BASH_READ_ONLY", or with '-' in lower case.
std::string spelled(std::string_view key, char between) {
    std::string name(key);
    for (char& c : name) {
        if (c == '.' || c == '_') {
            c = between;
        } else if (between == '_' && c >= 'a' && c <= 'z') {
            c = static_cast<char>(c - 'a' + 'A');
        }
    }
    return name;
}

// Variable and flag follow from the key unless they are named.
void add_names(Setting& setting) {
    if (setting.variables.empty()) {
        setting.variables = {"PADDOCK_" + spelled(setting.key, '_')};
    }
    if (setting.flags.empty()) setting.flags = {"--" + spelled(setting.key, '-')};
}

std::vector<Setting> gathered() {
    std::vector<Setting> all;
    for (auto& some : {workspace_settings(), path_settings(), guard_settings(), bash_settings(),
                       serve_settings()}) {
        all.insert(all.end(), some.begin(), some.end());
    }
    for (Setting& setting : all) add_names(setting);
    return all;
}

}  // namespace

std::span<const Setting> all_settings() {
    static const std::vector<Setting> all = gathered();
    return all;
}

const Setting* find_setting(std::string_view key) {
    for (const Setting& setting : all_settings()) {
        if (setting.key == key) return &setting;
    }
    return nullptr;
}

bool Setting::switches_off() const { return kind == Kind::kSwitch && std::get<bool>(usual()); }

Setting reason(Setting setting, Field<std::string> field) {
    setting.kind = Kind::kText;
    setting.unit = "REASON";
    setting.weakens = true;
    setting = plain(std::move(setting), field);
    setting.apply = [field](Value value, Draft& draft) -> std::string {
        const std::string text(trimmed(std::get<std::string>(value)));
        const auto as_switch = switch_of(text);
        if (as_switch && *as_switch) {
            return "says no reason; write why it is needed instead of '" + text + "'";
        }
        if (!as_switch && !is_reason(text)) {
            return "is no reason; write why it is needed, in more than one word";
        }
        field(draft) = as_switch ? std::string() : text;
        return {};
    };
    return setting;
}

}  // namespace paddock::config
