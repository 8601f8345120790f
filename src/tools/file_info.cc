#include <chrono>
#include <ctime>

#include "tools/answer.h"
#include "tools/call.h"
#include "tools/declaration.h"
#include "tools/session.h"

namespace paddock::tools {
namespace {

std::string utc(std::chrono::nanoseconds since_epoch) {
    const std::time_t seconds =
        std::chrono::duration_cast<std::chrono::seconds>(since_epoch).count();
    std::tm parts{};
    if (::gmtime_r(&seconds, &parts) == nullptr) return "unknown";
    char text[32];
    const std::size_t length = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
    return std::string(text, length);
}

std::string octal(std::uint32_t mode) {
    std::string digits(4, '0');
    for (std::size_t i = 0; i < digits.size(); ++i) {
        digits[3 - i] = static_cast<char>('0' + ((mode >> (3 * i)) & 7U));
    }
    return digits;
}

Result<Answer> run_file_info(Session& session, const Arguments& arguments,
                             const CallOptions& options) {
    const Files& files = session.files_for(arguments.text("path"));
    const std::string& path = arguments.text("path");
    const auto name = files.name(path);
    if (!name) return name.error();
    const auto stat = files.stat_name(*name);
    // To look for near names takes time.
    if (!stat && stat.error().code == Code::kNotFound && options.only_quick) return deferred();
    if (!stat && stat.error().code == Code::kNotFound) return files.missing(path);
    if (!stat) return stat.error();
    FileInfo info{
        {{"path", files.shown(*name)}, {"type", std::string(file_type_name(stat->type))}}};
    if (stat->type == FileType::kSymlink) {
        auto target = files.link_target(*name);
        if (!target) return target.error();
        info.values.push_back({"target", std::move(*target)});
    }
    if (stat->type == FileType::kRegular) info.values.push_back({"size", stat->size});
    if (stat->type == FileType::kRegular && stat->links > 1) {
        info.values.push_back({"hard links", stat->links});
    }
    info.values.push_back({"mode", octal(stat->mode)});
    info.values.push_back({"modified", utc(stat->modified)});
    return found_answer(std::move(info));
}

}  // namespace

const Declaration& file_info() {
    static const Declaration kTool{
        .name = "file_info",
        .title = "File information",
        .summary = "Show the type, size, permissions and modification time of a path.",
        .description = "For a symbolic link: its own data and its target.",
        .traits = {.read_only = true, .idempotent = true, .pace = Pace::kQuick},
        .arguments = {path_argument("The path to look at")},
        .example = R"({"path": "src/main.c"})",
        .run = run_file_info};
    return kTool;
}

namespace {

std::string access_name(PathAccess access) {
    switch (access) {
        case PathAccess::kAllow: return "allowed";
        case PathAccess::kReadOnly: return "read-only";
        case PathAccess::kDeny: return "denied";
    }
    return {};
}

std::string about_commands(const ShellOptions& shell) {
    std::string text = "Commands: ";
    if (shell.host_network) {
        text += "the host's network";
    } else if (shell.network_allow.empty()) {
        text += "no network but their own loopback";
    } else {
        text += "by HTTP_PROXY";
        for (const std::string& host : shell.network_allow) {
            text += (&host == &shell.network_allow.front() ? " " : ", ") + host;
        }
        text += ", no other network";
    }
    for (const std::string& port : shell.publish) {
        text += port == "auto" ? "; the user can reach servers that commands start"
                               : "; the user can reach servers at port " + port;
    }
    if (shell.read_only) text += "; files cannot be changed";
    return text + "; at most " + std::to_string(shell.limits.processes) + " processes, " +
           std::to_string(shell.limits.memory_bytes >> 20) + " MB of memory, " +
           std::to_string(limits::kCommandTimeoutMs / 1000) +
           " s unless timeout_ms is larger (up to " +
           std::to_string(limits::kCommandTimeoutMsMax / 1000) + " s).\n";
}

Result<Answer> run_workspace_info(Session& session, const Arguments&, const CallOptions&) {
    const WorkspaceOptions& options = session.options();
    const auto& further = session.further_roots();
    std::string text = options.unconfined
                           ? "Paths resolve as the operating system does; relative ones begin in "
                             "the workspace.\n"
                       : further.empty() ? "All paths are below the workspace root, '.'. Nothing "
                                           "else is reachable.\n"
                                         : "Relative paths are below the workspace root, '.'.\n";
    for (const SessionRoot& root : further) {
        text += "Also reachable, by its absolute path: " + root.files.shown(".") +
                (root.opened.read_only ? " (read-only).\n" : " (read and change).\n");
    }
    text += options.read_only ? "Files can be read, not changed.\n"
                              : "Files can be read and changed.\n";
    if (options.track_reads && !options.read_only) {
        text += "An existing file must be read before it is changed.\n";
    }
    if (options.redact_secrets) text += "Secrets in results appear as [REDACTED:kind].\n";
    if (options.default_rules) {
        text +=
            "Files that usually hold secrets (.env, *.pem, id_rsa, ...) are denied if they existed "
            "before the session; files that git, shells, editors and agents act on (.git/config, "
            ".git/hooks, .bashrc, .vscode, .mcp.json, .claude, ...) are read-only.\n";
    }
    if (options.shell && !options.read_only) {
        if (options.unconfined) text += "Commands stay in the workspace.\n";
        text += about_commands(*options.shell);
    }
    for (const std::string& line : foreign_files(session.roots())) text += line + "\n";
    for (const PathRule& rule : options.rules) {
        text += "Rule: " + rule.pattern + " is " + access_name(rule.access) + ".\n";
    }
    text += "Tools:";
    for (const Declaration* tool : all_tools()) {
        if (!is_listed(*tool, options)) continue;
        text += " " + std::string(tool->name);
    }
    return text_answer(std::move(text));
}

}  // namespace

const Declaration& workspace_info() {
    static const Declaration kTool{
        .name = "workspace_info",
        .title = "Workspace information",
        .summary = "Show what this workspace allows: mode, protected paths, commands, tools.",
        .description = "Call it once if you are unsure what is allowed.",
        .traits = {.read_only = true, .idempotent = true, .pace = Pace::kApart},
        .arguments = {},
        .example = R"({})",
        .run = run_workspace_info};
    return kTool;
}

}  // namespace paddock::tools
