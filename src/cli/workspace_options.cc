#include "cli/workspace_options.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include "base/display.h"
#include "cli/outer_git.h"
#include "cli/outer_programs.h"
#include "cli/parser.h"
#include "config/host.h"
#include "tools/call.h"

namespace paddock::cli {

std::vector<std::string> host_environment() {
    std::vector<std::string> variables;
    for (char** variable = environ; *variable != nullptr; ++variable)
        variables.push_back(*variable);
    return variables;
}

std::string_view host_variable(const char* name) noexcept {
    const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nobody sets any
    return value == nullptr ? std::string_view() : std::string_view(value);
}

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
    const config::Value usual = setting.default_value();
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
                 .help = "Use this configuration file; else $PADDOCK_CONFIG, else "
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

namespace {

using Problems = std::vector<config::Problem>;

// Which tools there are is not known where the other settings are checked.
Problems unknown_tools(const config::Configuration& made) {
    const Words valid = tools::listable_names();
    const auto item =
        std::find_if(made.items.begin(), made.items.end(),
                     [](const config::Item& each) { return each.key == "workspace.tools"; });
    Problems problems;
    for (const std::string& name : made.workspace.tools) {
        if (std::find(valid.begin(), valid.end(), name) != valid.end()) continue;
        problems.push_back({item->from, "workspace.tools '" + displayable(name) +
                                            "' is not a tool" + meant(name, valid)});
    }
    return problems;
}

bool is_of_call(const config::Problem& problem, const SettingWords& words) {
    return std::any_of(words.overrides.begin(), words.overrides.end(),
                       [&](const config::Override& word) { return word.from == problem.where; });
}

BadConfiguration refusal(const Problems& problems, const SettingWords& words) {
    BadConfiguration bad{{kUsageError, "the configuration is refused"}, true};
    for (const config::Problem& problem : problems) {
        bad.text += "\n  " + problem.message();
        bad.is_call = bad.is_call && is_of_call(problem, words);
    }
    return bad;
}

}  // namespace

tl::expected<config::Configuration, BadConfiguration> configuration(const SettingWords& words,
                                                                    StateDirectory state) {
    auto made = config::load({.file = words.file,
                              .environment = host_environment(),
                              .overrides = words.overrides,
                              .make_directories = state == StateDirectory::kMake});
    if (!made) return tl::unexpected(refusal(made.error(), words));
    if (const Problems problems = unknown_tools(*made); !problems.empty()) {
        return tl::unexpected(refusal(problems, words));
    }
    return std::move(*made);
}

tl::expected<config::Configuration, BadConfiguration> session_configuration(
    const SettingWords& words, StateDirectory state) {
    auto made = configuration(words, state);
    if (!made) return made;
    WorkspaceOptions& options = made->workspace;
    options.git_excludes = git_excludes();
    if (options.shell) options.shell->git_author = git_author();
    if (!options.default_rules) return made;
    options.further_default_rules = rules_of_outer_git(options.root, InnerRepositories::kOwn);
    const auto add = [&options](std::vector<PathRule> more) {
        std::move(more.begin(), more.end(), std::back_inserter(options.further_default_rules));
    };
    add(rules_of_programs(options.root));
    for (const std::string& directory : options.also) {
        add(rules_of_outer_git(directory, InnerRepositories::kOwn));
        add(rules_of_programs(directory));
    }
    return made;
}

tl::expected<WorkspaceOptions, BadConfiguration> workspace_options(const SettingWords& words) {
    auto made = session_configuration(words);
    if (!made) return tl::unexpected(std::move(made.error()));
    return std::move(made->workspace);
}

}  // namespace paddock::cli
