#include "cli/config_command.h"

#include <fcntl.h>
#include <unistd.h>

#include <paddock/root.h>

#include "base/display.h"
#include "cli/host_commands.h"
#include "cli/workspace_options.h"
#include "config/host.h"
#include "fs/make_directories.h"
#include "json/write.h"
#include "sys/files.h"
#include "sys/io.h"

namespace paddock::cli {
namespace {

class ConfigParser final : public CommandParser {
public:
    void declare(Parser& parser) override {
        options_.declare(parser,
                         {"workspace.", "paths.", "secrets.", "limits.", "bash.", "serve."});
        parser.texts({.names = {"--path"},
                      .unit = "PATH",
                      .help = "With check: show what the path rules decide about this path",
                      .offers = Offers::kPath},
                     request_.paths);
        parser.output(request_.output);
    }

    Request finish(Parser& parser) override {
        const Words& operands = parser.operands();
        const std::string& action = operands.front();
        if (action != "show" && action != "check") {
            return complaint(
                "unknown action '" + displayable(action) + "'" + meant(action, {"show", "check"}),
                "config");
        }
        request_.settings = options_.take(parser);
        request_.only_check = action == "check";
        if (!request_.only_check && !request_.paths.empty()) {
            return complaint("--path is for 'check'", "config");
        }
        if (operands.size() == 1) return std::move(request_);
        if (!request_.only_check || !request_.settings.file.empty()) {
            return complaint("unexpected argument '" + displayable(operands[1]) + "'", "config");
        }
        request_.settings.file = operands[1];
        return std::move(request_);
    }

private:
    SettingOptions options_;
    ConfigRequest request_;
};

class InitParser final : public CommandParser {
public:
    void declare(Parser& parser) override {
        parser.flag({.names = {"--global"},
                     .help = "Write to $XDG_CONFIG_HOME/paddock/ or ~/.config/paddock/, where "
                             "every call finds it"},
                    request_.global);
    }
    Request finish(Parser&) override { return request_; }

private:
    InitRequest request_;
};

std::string as_json(const config::Configuration& made) {
    json::Array settings;
    for (const config::Item& item : made.items) {
        settings.emplace_back(json::Object{{"key", item.key},
                                           {"value", item.value},
                                           {"from", item.from},
                                           {"default", item.is_default}});
    }
    json::Object document{{"settings", std::move(settings)}};
    document["file"] = made.file.empty() ? json::Value() : json::Value(displayable(made.file));
    return json::to_text(document) + "\n";
}

std::string as_text(const config::Configuration& made, const Paint& paint) {
    std::vector<std::vector<Cell>> rows;
    for (const config::Item& item : made.items) {
        const Tone tone = item.is_default ? Tone::kQuiet : Tone::kStrong;
        rows.push_back({{item.key}, {displayable(item.value), tone}, {item.from, Tone::kQuiet}});
    }
    return table(rows, paint);
}

int check(const config::Configuration& made, const ConfigRequest& request) {
    const std::string file = made.file.empty() ? "no file" : displayable(made.file);
    const std::string& root = made.workspace.root;
    const auto opened = Root::open(root);
    std::string text = "The configuration is valid (" + file + ").\nThe workspace: " +
                       displayable(sys::real_path(root.c_str()).value_or(root)) +
                       (opened                                   ? ""
                        : opened.error().code == Code::kNotFound ? " (does not exist yet)"
                                                                 : " (cannot be opened)") +
                       "\n";
    if (!request.paths.empty()) {
        const auto report = resolve_all(made.workspace, request.paths);
        if (!report) {
            complain(report.error());
            return kUsageError;
        }
        text += as_text(*report, Paint(STDOUT_FILENO, request.output.colours));
    }
    return print(text) ? 0 : kUsageError;
}

}  // namespace

int run(const ConfigRequest& request) {
    const auto made = request.only_check
                          ? session_configuration(request.settings, StateDirectory::kLeave)
                          : configuration(request.settings, StateDirectory::kLeave);
    if (!made) {
        complain(made.error().text);
        return request.only_check ? kRefused : made.error().exit_code;
    }
    if (request.only_check) {
        return check(*made, request);
    }
    const std::string text = request.output.json
                                 ? as_json(*made)
                                 : as_text(*made, Paint(STDOUT_FILENO, request.output.colours));
    return print(text) ? 0 : kUsageError;
}

int run(const InitRequest& request) {
    std::string path = "paddock.toml";
    if (request.global) {
        const auto environment = host_environment();
        const std::string base =
            config::Variables(environment).base_directory("XDG_CONFIG_HOME", ".config");
        if (base.empty()) {
            complain("$HOME is not set, so there is no place for the file");
            return kUsageError;
        }
        path = base + "/paddock";
        if (const auto made = fs::make_private_directories(path); !made) {
            complain(as_error(made.error(), "make", path).message());
            return kUsageError;
        }
        path += "/paddock.toml";
    }
    const auto file = sys::openat(AT_FDCWD, path.c_str(), O_WRONLY | O_CREAT | O_EXCL, 0600);
    if (!file) {
        complain(as_error(file.error(), "create", path).message());
        return file.error().code == Code::kAlreadyExists ? kRefused : kUsageError;
    }
    if (const auto written = sys::write_all(file->get(), config::commented_file()); !written) {
        complain(as_error(written.error(), "write", path).message());
        return kUsageError;
    }
    std::string text = "Wrote " + displayable(path) + ".\n";
    if (!request.global) {
        text +=
            "To use it, name it with --config or $PADDOCK_CONFIG. Keep it outside the workspace: "
            "paddock refuses it inside.\n";
    }
    return print(text) ? 0 : kUsageError;
}

std::vector<Command> config_commands() {
    const Manual config{
        .name = "config",
        .summary = "Show the effective settings, or check a configuration.",
        .description =
            "'show' prints every setting with its value and its origin: the default, the file with "
            "line and column, a variable or an option. 'check' reports errors, or where the "
            "workspace is. With --path it also shows which rule decides about a path. Options "
            "override variables, and variables override the file. The options here are those of "
            "the commands that serve an agent. Secrets are never shown.",
        .operands = {{.name = "show|check", .choices = {"show", "check"}},
                     {.name = "FILE", .offers = Offers::kHostFile, .required = false}},
        .examples = {"paddock config show", "paddock config show --read-only --json",
                     "paddock config check ~/agents/paddock.toml --path .env"},
        .no = "the configuration is refused"};
    const Manual init{.name = "init",
                      .summary = "Write a configuration with every setting, commented out.",
                      .description =
                          "The file is paddock.toml in the current directory. An existing file is "
                          "never overwritten.",
                      .examples = {"paddock init --global", "cd ~/agents && paddock init"},
                      .no = "the file already exists"};
    return {{config, [] { return std::make_unique<ConfigParser>(); }},
            {init, [] { return std::make_unique<InitParser>(); }}};
}

}  // namespace paddock::cli
