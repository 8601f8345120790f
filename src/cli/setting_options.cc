#include "cli/setting_options.h"

#include <algorithm>

namespace paddock::cli {
namespace {

using config::Kind;
using config::Setting;

std::string unit_of(const Setting& setting) {
    if (setting.kind == Kind::kNumber) return "N";
    if (setting.kind == Kind::kBytes) return "SIZE";
    if (setting.kind != Kind::kChoice) return setting.unit.empty() ? "TEXT" : setting.unit;
    std::string words;
    for (const std::string& word : setting.choices) words += (words.empty() ? "" : "|") + word;
    return words;
}

std::string usual_of(const Setting& setting) {
    const config::Value usual = setting.usual();
    if (const auto* text = std::get_if<std::string>(&usual)) return *text;
    const auto* number = std::get_if<std::uint64_t>(&usual);
    return number == nullptr ? "" : std::to_string(*number);
}

Offers offers_of(const Setting& setting) {
    if (setting.kind != Kind::kFile) return Offers::kNothing;
    return setting.unit == "DIR" ? Offers::kHostDirectory : Offers::kHostFile;
}

bool is_offered(const Setting& setting, Offered offered) {
    return std::any_of(offered.begin(), offered.end(), [&](std::string_view each) {
        return each.ends_with('.') ? setting.key.starts_with(each) : setting.key == each;
    });
}

}  // namespace

void SettingOptions::declare(Parser& parser, Offered offered) {
    for (const Setting& setting : config::all_settings()) {
        if (is_offered(setting, offered)) declare(parser, setting);
    }
    parser.text({.names = {"--config"},
                 .unit = "FILE",
                 .help = "The configuration; else $PADDOCK_CONFIG, else "
                         "~/.config/paddock/paddock.toml",
                 .offers = Offers::kHostFile},
                file_);
}

void SettingOptions::declare(Parser& parser, const Setting& setting) {
    Slot& slot = slots_.emplace_back();
    slot.setting = &setting;
    Option option{.names = setting.flags,
                  .unit = unit_of(setting),
                  .choices = setting.choices,
                  .help = setting.switches_off() ? setting.off_help : setting.help,
                  .offers = offers_of(setting)};
    if (setting.kind == Kind::kSwitch) {
        option.unit.clear();
        parser.flag(std::move(option), slot.flag);
    } else if (setting.kind == Kind::kTexts || setting.kind == Kind::kTable) {
        parser.texts(std::move(option), slot.texts);
    } else {
        slot.text = usual_of(setting);
        parser.text(std::move(option), slot.text);
    }
}

SettingWords SettingOptions::take(const Parser& parser) const {
    SettingWords words{file_, {}};
    for (const Slot& slot : slots_) {
        const Setting& setting = *slot.setting;
        const std::string& flag = setting.flags.front();
        if (!parser.was_given(flag)) continue;
        if (setting.kind == Kind::kSwitch) {
            words.overrides.push_back({setting.key, setting.switches_off() ? "no" : "yes", flag});
        } else if (setting.kind == Kind::kTexts || setting.kind == Kind::kTable) {
            for (const std::string& text : slot.texts) {
                words.overrides.push_back({setting.key, text, flag});
            }
        } else {
            words.overrides.push_back({setting.key, slot.text, flag});
        }
    }
    return words;
}

}  // namespace paddock::cli
