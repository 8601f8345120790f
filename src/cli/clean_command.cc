#include "cli/clean_command.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <optional>

#include <tl/expected.hpp>

#include "base/display.h"
#include "cli/arguments.h"
#include "cli/terminal.h"
#include "cli/workspace_options.h"
#include "json/write.h"
#include "sys/files.h"
#include "sys/io.h"
#include "tools/command_world.h"

namespace paddock::cli {
namespace {

using tools::KeptHome;

class CleanParser final : public CommandParser {
public:
    void declare(Parser& parser) override {
        parser.flag({.names = {"--all"}, .help = "Empty the homes of all workspaces"},
                    request_.all);
        parser.flag({.names = {"--dry-run"}, .help = "Only show what would be removed"},
                    request_.dry_run);
        parser.flag({.names = {"-y", "--yes"}, .help = "Do not ask for confirmation"},
                    request_.yes);
        options_.declare(parser, {"workspace.root"});
        parser.output(request_.output);
    }
    Request finish(Parser& parser) override {
        request_.settings = options_.take(parser);
        // There may be homes of times when the configuration said otherwise.
        auto& overrides = request_.settings.overrides;
        overrides.push_back({"bash.enabled", "yes", "paddock clean"});
        overrides.push_back({"bash.fresh_home", "no", "paddock clean"});
        return std::move(request_);
    }

private:
    SettingOptions options_;
    CleanRequest request_{};
};

struct Homes {
    std::string directory;
    std::vector<KeptHome> list;
};

tl::expected<std::string, ExitMessage> home_name(const std::string& root) {
    const auto real = sys::real_path(root.c_str());
    if (!real) {
        return tl::unexpected(
            ExitMessage{kUsageError, as_error(real.error(), "open", root).message()});
    }
    const auto held = sys::openat(AT_FDCWD, real->c_str(), O_PATH | O_DIRECTORY);
    const auto name =
        held ? tools::lasting_home_name(held->get(), *real) : Outcome<std::string>(held.error());
    if (name) return *name;
    return tl::unexpected(ExitMessage{kUsageError, as_error(name.error(), "open", root).message()});
}

tl::expected<Homes, ExitMessage> find_homes(const CleanRequest& request) {
    const auto made = configuration(request.settings, StateDirectory::kLeave);
    if (!made) return tl::unexpected(ExitMessage(made.error()));
    const std::string& directory = *made->workspace.shell->homes;
    if (directory.empty()) return Homes{};
    std::optional<std::string> only;
    if (!request.all) {
        auto name = home_name(made->workspace.root);
        if (!name) return tl::unexpected(std::move(name.error()));
        only = std::move(*name);
    }
    auto list = tools::list_lasting_homes(directory, only);
    if (!list) return tl::unexpected(ExitMessage{kUsageError, list.error().message()});
    return Homes{directory, std::move(*list)};
}

std::string megabytes(std::uint64_t bytes) {
    const std::uint64_t tenths = bytes * 10 / (std::uint64_t{1} << 20U);
    return std::to_string(tenths / 10) + '.' + std::to_string(tenths % 10) + " MB";
}

std::string line_of(const KeptHome& home) {
    return "  " + displayable(home.workspace) + "  " + megabytes(home.bytes) + ", " +
           std::to_string(home.files) + (home.files == 1 ? " file" : " files") +
           (home.is_orphan ? ", workspace no longer exists" : "") + "\n";
}

std::string as_json(const std::vector<KeptHome>& homes, bool removed) {
    json::Array list;
    for (const KeptHome& home : homes) {
        list.push_back(json::Object{{"workspace", displayable(home.workspace)},
                                    {"bytes", static_cast<std::int64_t>(home.bytes)},
                                    {"files", static_cast<std::int64_t>(home.files)},
                                    {"workspace_exists", !home.is_orphan}});
    }
    return json::to_text(json::Object{{"homes", std::move(list)}, {"removed", removed}}) + "\n";
}

bool is_confirmed(std::size_t count) {
    (void)print(count == 1 ? "Empty this home? [y/N] "
                           : "Empty these " + std::to_string(count) + " homes? [y/N] ");
    std::array<char, 64> typed = {};
    const auto got = sys::read(STDIN_FILENO, typed.data(), typed.size());
    return got && *got > 0 && (typed[0] == 'y' || typed[0] == 'Y');
}

}  // namespace

int run(const CleanRequest& request) {
    const bool can_ask =
        is_terminal(STDIN_FILENO) && is_terminal(STDOUT_FILENO) && !request.output.json;
    if (!request.yes && !request.dry_run && !can_ask) {
        complain(
            "cannot ask for confirmation without a terminal: give --yes to confirm, or --dry-run "
            "to see the effect");
        return kUsageError;
    }
    const auto homes = find_homes(request);
    if (!homes) {
        complain(homes.error().text);
        return homes.error().exit_code;
    }
    if (!request.output.json) {
        std::string text = homes->list.empty() ? "There are no homes to empty.\n" : "Homes:\n";
        for (const KeptHome& home : homes->list) text += line_of(home);
        if (!print(text)) return kUsageError;
    }
    const bool acts = !request.dry_run && !homes->list.empty();
    if (acts && !request.yes && !is_confirmed(homes->list.size())) {
        complain("nothing was changed");
        return kRefused;
    }
    int code = 0;
    std::size_t emptied = 0;
    for (const KeptHome& home : homes->list) {
        if (!acts) break;
        if (const auto done = tools::empty_lasting_home(homes->directory, home); !done) {
            const bool is_used = done.error().code == Code::kRace;
            complain(displayable(home.workspace) + ": " +
                     (is_used ? "a session uses this home; end it first" : done.error().message()));
            code = kRefused;
            continue;
        }
        ++emptied;
    }
    if (acts && !request.output.json &&
        !print("Emptied " + std::to_string(emptied) + (emptied == 1 ? " home.\n" : " homes.\n"))) {
        return kUsageError;
    }
    if (request.output.json && !print(as_json(homes->list, acts && code == 0))) return kUsageError;
    return code;
}

Command clean_command() {
    return {{.name = "clean",
             .summary = "Empty the home that a workspace keeps for its commands.",
             .description =
                 "Each workspace keeps a home for its commands: caches of package managers, "
                 "settings of tools, history. clean shows its size and empties it. It does not "
                 "touch the workspace. --all includes homes whose workspace no longer exists.",
             .examples = {"paddock clean --dry-run --all", "paddock clean --root ~/project --yes"},
             .no = "a session uses the home, or you said no"},
            [] { return std::make_unique<CleanParser>(); }};
}

}  // namespace paddock::cli
