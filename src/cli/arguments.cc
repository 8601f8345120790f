// CLI11 declares, validates and documents the options. It never sees a path: it would take "[a,b]",
// "{}" and "++" apart, and a path is bytes. So words are divided into options and paths first.
#include "cli/arguments.h"

#include <CLI/CLI.hpp>
#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "base/display.h"
#include "cli/nearest.h"

namespace paddock::cli {
namespace {

constexpr int kRoundsMax = 10'000'000;

using Words = std::vector<std::string>;

struct Command {
    std::string name;
    std::string summary;
    std::string usage;
    std::string examples;
    Request (*parse)(const Command& command, const Words& words);
};
const std::array<Command, 3>& commands();

Ending complaint(std::string text, std::string_view command = {}) {
    text += "\nTry 'paddock ";
    if (!command.empty()) text.append(command).append(" ");
    text += "--help'.";
    return {kUsageError, std::move(text)};
}

std::string meant(std::string_view typed, const Words& valid) {
    const std::string near = nearest(typed, valid);
    return near.empty() ? "" : "; did you mean '" + near + "'?";
}

class HelpFormat : public CLI::Formatter {
public:
    explicit HelpFormat(const Command& command) : command_(command) { column_width(34); }

private:
    std::string make_option_opts(const CLI::Option* option) const override {
        return option->get_expected_max() == 0 ? "" : " " + option->get_type_name();
    }
    std::string make_option_desc(const CLI::Option* option) const override {
        const std::string usual = option->get_default_str();
        return option->get_description() + (usual.empty() ? "" : " (default: " + usual + ")");
    }
    std::string make_usage(const CLI::App*, std::string) const override {
        return "\nusage: paddock " + command_.usage + "\n";
    }
    std::string make_footer(const CLI::App*) const override {
        return "Examples:\n" + command_.examples;
    }

    const Command& command_;
};

// The options of one command, and the paths that were found among them.
class Parser {
public:
    explicit Parser(const Command& command) : command_(command), app_(command.summary) {
        app_.formatter(std::make_shared<HelpFormat>(command));
        app_.set_help_flag("-h,--help", "Show this help");
    }

    void flag(const std::string& name, bool& target, const std::string& help) {
        app_.add_flag(name, target, help);
    }

    template <class T>
    CLI::Option* value(const std::string& name, T& target, const std::string& unit,
                       const std::string& help) {
        return app_.add_option(name, target, help)->type_name(unit)->capture_default_str();
    }

    // One of a few words; the first is the default.
    template <class T>
    CLI::Option* choice(const std::string& name, T& target,
                        std::vector<std::pair<std::string, T>> choices, const std::string& help) {
        Words names;
        names.reserve(choices.size());
        for (const auto& [word, meaning] : choices) names.push_back(word);
        // CLI11 reads an enum as its number.
        const auto replace = [choices, names](std::string& word) -> std::string {
            for (const auto& [name_of, meaning] : choices) {
                if (name_of != word) continue;
                word = std::to_string(static_cast<int>(meaning));
                return {};
            }
            return "'" + displayable(word) + "' is not one of " + CLI::detail::join(names, ", ") +
                   meant(word, names);
        };
        return app_.add_option(name, target, help)
            ->transform(CLI::Validator(replace, ""))
            ->type_name(CLI::detail::join(names, "|"))
            ->default_str(names.front());
    }

    void resolver(ResolverKind& target, const std::string& help) {
        choice<ResolverKind>("--resolver", target,
                             {{"auto", ResolverKind::kProbe},
                              {"openat2", ResolverKind::kOpenat2},
                              {"walk", ResolverKind::kWalk}},
                             help + "; or $PADDOCK_RESOLVER")
            ->envname("PADDOCK_RESOLVER");
    }

    // The complaint or the help text, or nothing: then every target is set.
    std::optional<Ending> parse(const Words& words) {
        Words options;
        if (auto ending = divide(words, options)) return ending;
        std::reverse(options.begin(), options.end());
        try {
            app_.parse(options);
        } catch (const CLI::CallForHelp&) {
            return Ending{0, app_.help()};
        } catch (const CLI::ParseError& error) {
            return complaint(displayable(error.what()), command_.name);
        }
        return std::nullopt;
    }

    Words& paths() { return paths_; }

private:
    std::optional<Ending> divide(const Words& words, Words& options) {
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
            const CLI::Option* option = app_.get_option_no_throw(name);
            if (option == nullptr) return unknown(name);
            options.push_back(word);
            const bool takes_value = option->get_expected_max() > 0;
            const bool has_value = name != word;
            if (has_value && !takes_value) {
                return complaint("option '" + name + "' takes no value", command_.name);
            }
            if (takes_value && !has_value && i + 1 < words.size()) options.push_back(words[++i]);
        }
        return std::nullopt;
    }

    Ending unknown(const std::string& name) const {
        Words valid;
        for (const CLI::Option* option : std::as_const(app_).get_options()) {
            valid.push_back("--" + option->get_lnames().front());
        }
        return complaint("unknown option '" + displayable(name) + "'" + meant(name, valid),
                         command_.name);
    }

    const Command& command_;
    CLI::App app_;
    Words paths_;
};

std::optional<Ending> refuse_paths(const Command& command, Parser& parser) {
    if (parser.paths().empty()) return std::nullopt;
    return complaint("unexpected argument '" + displayable(parser.paths().front()) + "'",
                     command.name);
}

Request parse_resolve(const Command& command, const Words& words) {
    ResolveRequest request;
    Parser parser(command);
    parser.value("--root", request.root, "DIR", "The workspace");
    parser.choice<AbsolutePaths>(
        "--absolute", request.options.absolute,
        {{"inside", AbsolutePaths::kInside}, {"reject", AbsolutePaths::kReject}},
        "Absolute paths: mapped inside, or refused");
    parser.choice<DotDot>("--dotdot", request.options.dotdot,
                          {{"normalize", DotDot::kNormalize}, {"reject", DotDot::kReject}},
                          "'..': reduced before the look-up, or refused");
    parser.choice<Symlinks>("--symlinks", request.options.symlinks,
                            {{"inside", Symlinks::kInside}, {"reject", Symlinks::kReject}},
                            "Links: followed inside, or refused");
    parser.resolver(request.options.resolver, "Who opens files there; the answers are the same");
    parser.flag("--json", request.json, "Print one JSON document");
    if (auto ending = parser.parse(words)) return *ending;
    request.paths = std::move(parser.paths());
    if (request.paths.empty()) return complaint("no PATH was given", command.name);
    return request;
}

Request parse_doctor(const Command& command, const Words& words) {
    DoctorRequest request;
    Parser parser(command);
    parser.flag("--json", request.json, "Print one JSON document");
    if (auto ending = parser.parse(words)) return *ending;
    if (auto ending = refuse_paths(command, parser)) return *ending;
    return request;
}

Request parse_prove(const Command& command, const Words& words) {
    ProveRequest request;
    Parser parser(command);
    parser
        .value("--dir", request.directory, "DIR", "Where the scratch directory is made; or $TMPDIR")
        ->envname("TMPDIR");
    parser
        .value("--rounds", request.rounds, "N",
               "Tries of each race; a tenth where each needs a new tree")
        ->check(CLI::Range(1, kRoundsMax).description(""));
    parser.resolver(request.resolver, "Who looks up; auto tries both");
    parser.flag("--json", request.json, "Print one JSON document");
    if (auto ending = parser.parse(words)) return *ending;
    if (auto ending = refuse_paths(command, parser)) return *ending;
    return request;
}

const std::array<Command, 3>& commands() {
    static const std::array<Command, 3> all{{
        {"resolve", "Say where paths lead in a workspace, or which rule refuses them.",
         "resolve PATH... [--root DIR] [options]",
         "  paddock resolve --root ~/project src/main.c ../other/file\n"
         "  paddock resolve --root ~/project --symlinks reject --json vendor/lib\n"
         "  paddock resolve -- --a-name-that-begins-with-dashes\n"
         "\nExit code: 0 every path is accepted, 1 one is refused, 2 the call makes no sense.\n",
         parse_resolve},
        {"doctor", "Say what this host can give paddock, and what to do about what is missing.",
         "doctor [--json]",
         "  paddock doctor\n"
         "  paddock doctor --json\n"
         "\nExit code: 0 paddock can work here, 1 something it cannot do without is missing.\n",
         parse_doctor},
        {"prove", "Attack decoys on this kernel and file system: a careless tool beside paddock.",
         "prove [--dir DIR] [--rounds N] [options]",
         "  paddock prove\n"
         "  paddock prove --dir /srv/agents --resolver walk\n"
         "  paddock prove --rounds 500000 --json\n"
         "\nExit code: 0 nothing leaked through paddock, 1 something did, 2 it could not be "
         "tried.\n",
         parse_prove},
    }};
    return all;
}

std::string overview() {
    std::string text =
        "paddock: a directory for an agent to work in, and nothing else.\n\n"
        "usage: paddock COMMAND [options]\n\nCommands:\n";
    for (const Command& command : commands()) {
        text += "  " + command.name + std::string(10 - command.name.size(), ' ') + command.summary +
                "\n";
    }
    text += "\n'paddock COMMAND --help' tells more. 'paddock --version' prints the version.\n";
    text += "\nExamples:\n";
    text += "  paddock doctor\n  paddock prove\n  paddock resolve --root ~/project ../secrets\n";
    return text;
}

Request parse_help(const Words& topics) {
    if (topics.empty()) return Ending{0, overview()};
    Words names;
    for (const Command& command : commands()) {
        if (topics.front() == command.name) return command.parse(command, {"--help"});
        names.push_back(command.name);
    }
    return complaint("no help on '" + displayable(topics.front()) + "'" +
                     meant(topics.front(), names));
}

}  // namespace

Request parse_arguments(const std::vector<std::string>& words) {
    if (words.empty()) return Ending{kUsageError, "no command was given\n\n" + overview()};
    const std::string& first = words.front();
    const Words rest(words.begin() + 1, words.end());
    if (first == "--version" || first == "version") {
        return Ending{0, "paddock " PADDOCK_VERSION "\n"};
    }
    if (first == "--help" || first == "-h" || first == "help") return parse_help(rest);
    Words names{"--help", "--version"};
    for (const Command& command : commands()) {
        if (first == command.name) return command.parse(command, rest);
        names.push_back(command.name);
    }
    const char* kind = first.starts_with('-') ? "unknown option '" : "unknown command '";
    return complaint(kind + displayable(first) + "'" + meant(first, names));
}

}  // namespace paddock::cli
