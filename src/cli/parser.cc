#include "cli/parser.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>

#include "base/display.h"
#include "text/similar.h"

namespace paddock::cli {
namespace {

class HelpFormat : public CLI::Formatter {
public:
    explicit HelpFormat(const Manual& manual) : manual_(manual) { column_width(34); }

private:
    std::string make_option_opts(const CLI::Option* option) const override {
        return option->get_expected_max() == 0 ? "" : " " + option->get_type_name();
    }
    std::string make_option_desc(const CLI::Option* option) const override {
        const std::string usual = option->get_default_str();
        return option->get_description() + (usual.empty() ? "" : " (default: " + usual + ")");
    }
    std::string make_usage(const CLI::App*, std::string) const override {
        return "\nusage: paddock " + manual_.usage + "\n";
    }
    std::string make_footer(const CLI::App*) const override {
        return "Examples:\n" + manual_.examples;
    }

    const Manual& manual_;
};

}  // namespace

struct Parser::Options {
    explicit Options(const std::string& summary) : app(summary) {}
    CLI::App app;
};

Ending complaint(std::string text, std::string_view command) {
    text += "\nTry 'paddock ";
    if (!command.empty()) text.append(command).append(" ");
    text += "--help'.";
    return {kUsageError, std::move(text)};
}

std::string meant(std::string_view typed, const Words& valid) {
    const std::string near = text::nearest_word(typed, valid);
    return near.empty() ? "" : "; did you mean '" + near + "'?";
}

Parser::Parser(const Manual& manual)
    : manual_(manual), options_(std::make_unique<Options>(manual.summary)) {
    options_->app.formatter(std::make_shared<HelpFormat>(manual));
    options_->app.set_help_flag("-h,--help", "Show this help");
}

Parser::~Parser() = default;

void Parser::flag(const std::string& name, bool& target, const std::string& help) {
    options_->app.add_flag(name, target, help);
}

void Parser::text(const std::string& name, std::string& target, const std::string& unit,
                  const std::string& help, const std::string& variable) {
    CLI::Option* option =
        options_->app.add_option(name, target, help)->type_name(unit)->capture_default_str();
    if (!variable.empty()) option->envname(variable);
}

void Parser::texts(const std::string& name, Words& target, const std::string& unit,
                   const std::string& help) {
    options_->app.add_option(name, target, help)->type_name(unit)->take_all()->expected(1);
}

void Parser::integer(const std::string& name, std::int64_t& target, std::int64_t least,
                     std::int64_t most, const std::string& help) {
    options_->app.add_option(name, target, help)
        ->type_name("N")
        ->capture_default_str()
        ->check(CLI::Range(least, most).description(""));
}

void Parser::one_of(const std::string& name, const Words& names,
                    std::function<void(std::size_t)> set, const std::string& help,
                    const std::string& variable) {
    const auto take = [names, set](const std::string& word) {
        const auto it = std::find(names.begin(), names.end(), word);
        if (it != names.end()) set(static_cast<std::size_t>(it - names.begin()));
    };
    const auto check = [names](const std::string& word) -> std::string {
        if (std::find(names.begin(), names.end(), word) != names.end()) return {};
        return "'" + displayable(word) + "' is not one of " + CLI::detail::join(names, ", ") +
               meant(word, names);
    };
    CLI::Option* option = options_->app.add_option_function<std::string>(name, take, help)
                              ->check(CLI::Validator(check, ""))
                              ->type_name(CLI::detail::join(names, "|"))
                              ->default_str(names.front());
    if (!variable.empty()) option->envname(variable);
}

void Parser::resolver(ResolverKind& target, const std::string& help) {
    choice<ResolverKind>("--resolver", target,
                         {{"auto", ResolverKind::kProbe},
                          {"openat2", ResolverKind::kOpenat2},
                          {"walk", ResolverKind::kWalk}},
                         help + "; or $PADDOCK_RESOLVER", "PADDOCK_RESOLVER");
}

bool Parser::was_given(const std::string& name) const { return options_->app.count(name) > 0; }

std::optional<Ending> Parser::parse(const Words& words) {
    Words options;
    if (auto ending = divide(words, options)) return ending;
    std::reverse(options.begin(), options.end());
    try {
        options_->app.parse(options);
    } catch (const CLI::CallForHelp&) {
        return Ending{0, options_->app.help()};
    } catch (const CLI::ParseError& error) {
        return complaint(displayable(error.what()), manual_.name);
    }
    return std::nullopt;
}

std::optional<Ending> Parser::divide(const Words& words, Words& options) {
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string& word = words[i];
        if (word == "--") {
            paths_.insert(paths_.end(), words.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                          words.end());
            break;
        }
        if (word.size() < 2 || word[0] != '-') {
            paths_.push_back(word);
            continue;
        }
        const std::string name = word.substr(0, word.find('='));
        const CLI::Option* option = options_->app.get_option_no_throw(name);
        if (option == nullptr) return unknown(name);
        options.push_back(word);
        const bool takes_value = option->get_expected_max() > 0;
        const bool has_value = name != word;
        if (has_value && !takes_value) {
            return complaint("option '" + name + "' takes no value", manual_.name);
        }
        if (takes_value && !has_value && i + 1 < words.size()) options.push_back(words[++i]);
    }
    return std::nullopt;
}

Ending Parser::unknown(const std::string& name) const {
    Words valid;
    for (const CLI::Option* option : std::as_const(options_->app).get_options()) {
        valid.push_back("--" + option->get_lnames().front());
    }
    return complaint("unknown option '" + displayable(name) + "'" + meant(name, valid),
                     manual_.name);
}

std::optional<Ending> Parser::refuse_paths() const {
    if (paths_.empty()) return std::nullopt;
    return complaint("unexpected argument '" + displayable(paths_.front()) + "'", manual_.name);
}

}  // namespace paddock::cli
