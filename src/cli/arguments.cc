#include "cli/arguments.h"

#include <functional>

#include "base/display.h"
#include "cli/parser.h"
#include "cli/tool_commands.h"

namespace paddock::cli {
namespace {

constexpr std::int64_t kRoundsMax = 10'000'000;

struct Command {
    Manual manual;
    std::function<Request(const Manual& manual, const Words& words)> parse;
};

Request parse_resolve(const Manual& manual, const Words& words) {
    ResolveRequest request;
    Parser parser(manual);
    parser.text("--root", request.root, "DIR", "The workspace");
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
    if (request.paths.empty()) return complaint("no PATH was given", manual.name);
    return request;
}

Request parse_doctor(const Manual& manual, const Words& words) {
    DoctorRequest request;
    Parser parser(manual);
    parser.flag("--json", request.json, "Print one JSON document");
    if (auto ending = parser.parse(words)) return *ending;
    if (auto ending = parser.refuse_paths()) return *ending;
    return request;
}

Request parse_prove(const Manual& manual, const Words& words) {
    ProveRequest request;
    Parser parser(manual);
    parser.text("--dir", request.directory, "DIR",
                "Where the scratch directory is made; or $TMPDIR", "TMPDIR");
    std::int64_t rounds = request.rounds;
    parser.integer("--rounds", rounds, 1, kRoundsMax,
                   "Tries of each race; a tenth where each needs a new tree");
    parser.resolver(request.resolver, "Who looks up; auto tries both");
    parser.flag("--json", request.json, "Print one JSON document");
    if (auto ending = parser.parse(words)) return *ending;
    request.rounds = static_cast<int>(rounds);
    if (auto ending = parser.refuse_paths()) return *ending;
    return request;
}

std::vector<Command> make_commands() {
    std::vector<Command> all{
        {{"resolve", "Say where paths lead in a workspace, or which rule refuses them.",
          "resolve PATH... [--root DIR] [options]",
          "  paddock resolve --root ~/project src/main.c ../other/file\n"
          "  paddock resolve --root ~/project --symlinks reject --json vendor/lib\n"
          "  paddock resolve -- --a-name-that-begins-with-dashes\n"
          "\nExit code: 0 every path is accepted, 1 one is refused, 2 the call makes no sense.\n"},
         parse_resolve},
        {{"doctor", "Say what this host can give paddock, and what to do about what is missing.",
          "doctor [--json]",
          "  paddock doctor\n"
          "  paddock doctor --json\n"
          "\nExit code: 0 paddock can work here, 1 something it cannot do without is missing.\n"},
         parse_doctor},
        {{"prove", "Attack decoys on this kernel and file system: a careless tool beside paddock.",
          "prove [--dir DIR] [--rounds N] [options]",
          "  paddock prove\n"
          "  paddock prove --dir /srv/agents --resolver walk\n"
          "  paddock prove --rounds 500000 --json\n"
          "\nExit code: 0 nothing leaked through paddock, 1 something did, 2 it could not be "
          "tried.\n"},
         parse_prove},
    };
    for (const ToolCommand& command : tool_commands()) {
        all.push_back({command.manual, [&command](const Manual&, const Words& words) -> Request {
                           return parse_tool_command(command, words);
                       }});
    }
    return all;
}

const std::vector<Command>& commands() {
    static const std::vector<Command> all = make_commands();
    return all;
}

std::string overview() {
    std::string text =
        "paddock: a directory for an agent to work in, and nothing else.\n\n"
        "usage: paddock COMMAND [options]\n\nCommands:\n";
    for (const auto& [manual, parse] : commands()) {
        text +=
            "  " + manual.name + std::string(10 - manual.name.size(), ' ') + manual.summary + "\n";
    }
    text += "\n'paddock COMMAND --help' tells more. 'paddock --version' prints the version.\n";
    text += "\nExamples:\n";
    text += "  paddock doctor\n  paddock prove\n  paddock grep --root ~/project main\n";
    return text;
}

Request parse_help(const Words& topics) {
    if (topics.empty()) return Ending{0, overview()};
    Words names;
    for (const auto& [manual, parse] : commands()) {
        if (topics.front() == manual.name) return parse(manual, {"--help"});
        names.push_back(manual.name);
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
    for (const auto& [manual, parse] : commands()) {
        if (first == manual.name) return parse(manual, rest);
        names.push_back(manual.name);
    }
    const char* kind = first.starts_with('-') ? "unknown option '" : "unknown command '";
    return complaint(kind + displayable(first) + "'" + meant(first, names));
}

}  // namespace paddock::cli
