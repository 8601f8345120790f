#include "config/finish.h"

#include <algorithm>
#include <span>

#include <paddock/limits.h>

#include "base/blanks.h"
#include "base/display.h"
#include "base/within.h"
#include "config/setting.h"
#include "config/words.h"
#include "fs/make_directories.h"
#include "sys/stat.h"
#include "text/glob.h"

namespace paddock::config {
namespace {

class Finisher {
public:
    Finisher(const Context& context, Draft& draft) : context_(context), draft_(draft) {}

    std::vector<Problem> run(Configuration& configuration) {
        choose_root();
        spell_further_directories();
        place_rules();
        hide_state();
        refuse_everything();
        give_permits();
        choose_network();
        find_secrets();
        check_serve();
        refuse_files_inside();
        if (!problems_.empty()) return std::move(problems_);
        configuration.workspace = draft_.workspace;
        configuration.workspace.root = as_the_user_spells(draft_.root);
        keep_homes();
        draft_.shell.toolchains = draft_.toolchains;
        if (draft_.bash) configuration.workspace.shell = draft_.shell;
        configuration.workspace.host_environment = context_.source.environment;
        configuration.serve = draft_.serve;
        return {};
    }

private:
    void complain(const std::string& key, std::string text) {
        problems_.push_back({origin(key), std::move(text)});
    }

    std::string origin(const std::string& key) const {
        const auto found = context_.origins.find(key);
        if (found != context_.origins.end()) return found->second;
        return context_.file.empty() ? key : displayable(context_.file);
    }

    // Absolute paths that lead inside begin as the shell names the current directory, which may be
    // behind a link.
    std::string as_the_user_spells(const std::string& root) const {
        const std::string here = context_.variables.find("PWD").value_or("");
        if (root.starts_with('/') || !here.starts_with('/')) return root;
        const auto named = sys::stat_path(here.c_str());
        const auto meant = sys::stat_path(".");
        if (!named || !meant || named->identity != meant->identity) return root;
        return root == "." ? here : here + "/" + root;
    }

    // The one that is in force.
    void choose_root() {
        std::string& root = draft_.root;
        if (!root.empty()) return;
        root = ".";
        if (!context_.has_workspace) return;
        const std::string state =
            context_.variables.base_directory("XDG_STATE_HOME", ".local/state");
        if (state.empty()) {
            return complain("workspace.root",
                            "[workspace] has no root, and without $HOME there is no state "
                            "directory for one");
        }
        root = state + "/paddock/workspaces";
        if (!context_.source.make_directories) return;
        if (const auto made = fs::make_private_directories(root); !made) {
            complain("workspace.root", as_error(made.error(), "make", root).message());
        }
    }

    void spell_further_directories() {
        for (std::vector<std::string>* list : {&draft_.workspace.also, &draft_.workspace.see}) {
            for (std::string& directory : *list) {
                if (directory.starts_with("~/")) {
                    directory.replace(0, 1, context_.variables.find("HOME").value_or(""));
                }
                directory = as_the_user_spells(directory);
            }
        }
    }

    // A rule's pattern begins at the workspace. An absolute path into it is taken for what it
    // names, one to elsewhere would match nothing.
    void place_rules() {
        for (PathRule& rule : draft_.workspace.rules) {
            std::string path = rule.pattern;
            if (path.starts_with("file:///")) path.erase(0, 7);
            if (path == "~" || path.starts_with("~/")) {
                path.replace(0, 1, context_.variables.find("HOME").value_or("~"));
            }
            const bool is_certain = path != rule.pattern;
            if (!path.starts_with('/')) continue;
            if (auto inside = below(path, draft_.root)) {
                const bool is_root = inside->find_first_not_of('/') == inside->npos;
                rule.pattern = is_root ? "**" : std::move(*inside);
            } else if (is_certain || is_of_the_host(path)) {
                complain("workspace.rules",
                         "the rule for '" + displayable(rule.pattern) +
                             "' would match nothing, since that lies outside of the workspace; a "
                             "pattern begins at the workspace's own directory");
            }
        }
    }

    // The rest of a path that begins with a root's, in either spelling: "/..." or nothing.
    std::optional<std::string> below(const std::string& path, const std::string& root) const {
        const std::string spelled = as_the_user_spells(root);
        for (const std::string& top : {spelled, real_path_of(spelled)}) {
            if (top.starts_with('/') && top != "/" && is_within(path, top)) {
                return path.substr(top.size());
            }
        }
        return std::nullopt;
    }

    static std::string real_path_of(const std::string& path) {
        const auto real = sys::real_path(path.c_str());
        return real ? *real : std::string();
    }

    // "/home/me/x": the host has such a directory at its top, and the workspace has none.
    bool is_of_the_host(const std::string& path) const {
        const std::string top = path.substr(0, path.find('/', 1));
        const bool is_deep = top.size() < path.size();
        return is_deep && top.find_first_of("*?[{\\") == top.npos && sys::stat_path(top.c_str()) &&
               !sys::stat_path((draft_.root + top).c_str());
    }

    // A server that is started in "/" has it for its current directory.
    void refuse_everything() {
        if (!draft_.outside_reason.empty() || !is_below("/", draft_.root)) return;
        complain("workspace.root",
                 "the workspace would be '/', every file of this machine; choose a directory with "
                 "--root DIR or workspace.root");
    }

    void give_permits() {
        WorkspaceOptions& workspace = draft_.workspace;
        if (!draft_.outside_reason.empty()) {
            workspace.unconfined = permit::Unconfined{draft_.outside_reason};
        }
        if (!draft_.every_mount_reason.empty()) {
            workspace.paths.every_mount = permit::EveryMount{draft_.every_mount_reason};
        }
        for (const std::string& line : draft_.ignore) workspace.ignore_rules += line + "\n";
    }

    // What paddock keeps of other workspaces is nobody's business, whatever the other rules say.
    void hide_state() {
        const std::string state =
            context_.variables.base_directory("XDG_STATE_HOME", ".local/state");
        if (state.empty()) return;
        std::vector<std::string> roots{draft_.root};
        for (const auto* list : {&draft_.workspace.also, &draft_.workspace.see}) {
            roots.insert(roots.end(), list->begin(), list->end());
        }
        refuse_state(state);
        const std::string usual = context_.variables.find("HOME").value_or("") + "/.local/state";
        for (const std::string& spelled : {state, real_path_of(state), usual}) {
            for (const std::string& root : roots) {
                const auto inside = below(spelled + "/paddock", root);
                if (!inside) continue;
                // What looks like a comment or a second rule is refused.
                std::string pattern = text::literal_pattern(*inside);
                for (char& c : pattern) {
                    if (kBlanks.find(c) != kBlanks.npos) c = '?';
                }
                auto& rules = draft_.workspace.rules;
                rules.insert(rules.begin(), {std::move(pattern), PathAccess::kDeny});
            }
        }
    }

    // A session in there would have all workspaces' homes for its own.
    void refuse_state(const std::string& state) {
        const std::string own = real_path_of(state + "/paddock");
        const std::string homes = real_path_of(state + "/paddock/homes");
        const auto check = [&](const char* key, const std::string& root) {
            const std::string real = real_path_of(as_the_user_spells(root));
            const bool is_own = !own.empty() && real == own;
            if (!is_own && (homes.empty() || !is_within(real, homes))) return;
            complain(key, "'" + displayable(root) +
                              "' is where paddock keeps the homes of commands; choose another "
                              "directory");
        };
        check("workspace.root", draft_.root);
        for (const std::string& root : draft_.workspace.also) check("workspace.also", root);
        for (const std::string& root : draft_.workspace.see) check("workspace.see", root);
    }

    // Without a home of the user's there is no place for them, which the session then says.
    void keep_homes() {
        if (draft_.fresh_home) return;
        const std::string state =
            context_.variables.base_directory("XDG_STATE_HOME", ".local/state");
        draft_.shell.homes = state.empty() ? state : state + "/paddock/homes";
    }

    // Flags come before variables, variables before the file.
    int strength(const std::string& key) const {
        const auto found = context_.origins.find(key);
        if (found == context_.origins.end()) return 0;
        const auto& overrides = context_.source.overrides;
        const bool is_flag = std::any_of(
            overrides.begin(), overrides.end(),
            [&](const Override& each) { return each.key == key && each.from == found->second; });
        return is_flag ? 3 : found->second.starts_with('$') ? 2 : 1;
    }

    // A list of hosts asks for the proxy. What a stronger source says goes before: "none" on the
    // command line closes what the file lists, and --allow-host there opens what the file closes.
    void choose_network() {
        std::vector<std::string>& allowed = draft_.shell.network_allow;
        const int said = strength("bash.network");
        const int listed = allowed.empty() ? 0 : strength("bash.network_allow");
        const std::string& network = draft_.network;
        if (network == "listed" && allowed.empty()) {
            return complain("bash.network",
                            "bash.network is \"listed\", and bash.network_allow is empty");
        }
        const bool is_word = network == "none" || network == "host" || network == "listed";
        if (!is_word) {
            if (said > listed) allowed.clear();
            const auto hosts = network_hosts(network);
            allowed.insert(allowed.begin(), hosts.begin(), hosts.end());
            return;
        }
        if (network == "listed" || listed > said) return;
        allowed.clear();
        if (network == "host") {
            draft_.shell.host_network =
                permit::HostNetwork{"bash.network = host, from " + origin("bash.network")};
        }
    }

    void find_secrets() {
        for (const std::string& item : draft_.secrets) {
            const std::size_t equals = item.find('=', 1);
            const std::string name = item.substr(0, equals);
            auto value = secret_from(name, item.substr(equals + 1));
            if (!value) continue;
            value = std::string(trimmed(*value));  // it may be printed without its blanks
            if (value->size() < limits::kKnownSecretBytesMin ||
                value->size() > limits::kKnownSecretBytesMax) {
                tell_of_secret(name, "has fewer than " +
                                         std::to_string(limits::kKnownSecretBytesMin) +
                                         " or more than " +
                                         std::to_string(limits::kKnownSecretBytesMax) + " bytes");
                continue;
            }
            draft_.workspace.secrets.push_back({name, *value});
        }
    }

    void tell_of_secret(const std::string& name, const std::string& what) {
        complain("secrets.values", "the secret '" + displayable(name) + "' " + what);
    }

    std::optional<std::string> secret_from(const std::string& name, const std::string& source) {
        if (source.starts_with("env:")) {
            auto value = context_.variables.find(source.substr(4));
            if (!value) tell_of_secret(name, "is not set in the environment");
            return value;
        }
        std::string path = source.substr(5);
        if (path.starts_with("~/")) {
            path.replace(0, 1, context_.variables.find("HOME").value_or(""));
        }
        auto value = read_secret(path);
        if (!value) {
            tell_of_secret(name, "cannot be read: " + as_error(value.error(), {}, {}).message());
            return std::nullopt;
        }
        files_.emplace_back("secrets.values", path);
        return std::move(*value);
    }

    void check_serve() {
        ServeSettings& serve = draft_.serve;
        // No name is ever looked up.
        if (serve.address == "localhost") serve.address = "127.0.0.1";
        if (serve.certificate_file.empty() != serve.key_file.empty()) {
            complain(serve.key_file.empty() ? "serve.certificate_file" : "serve.key_file",
                     "serve.certificate_file and serve.key_file are needed together");
        }
        for (const auto& [key, path] : {std::pair("serve.token_file", serve.token_file),
                                        std::pair("serve.key_file", serve.key_file)}) {
            if (!path.empty()) files_.emplace_back(key, path);
        }
    }

    // An agent could read or change them. Also where the workspace is not confined: the file that
    // says so may be the agent's.
    void refuse_files_inside() {
        if (!context_.file.empty() && is_below(context_.file, draft_.root)) {
            problems_.push_back({displayable(context_.file),
                                 "lies in the workspace '" + displayable(draft_.root) +
                                     "', where an agent could change it; keep it elsewhere, or "
                                     "choose another root"});
        }
        std::vector<std::string> roots{draft_.root};
        for (const auto* list : {&draft_.workspace.also, &draft_.workspace.see}) {
            roots.insert(roots.end(), list->begin(), list->end());
        }
        for (const std::string& root : std::span(roots).subspan(1)) {
            if (context_.file.empty() || !is_below(context_.file, root)) continue;
            problems_.push_back({displayable(context_.file),
                                 "lies in '" + displayable(root) +
                                     "', which is open to an agent; keep it elsewhere, or leave "
                                     "that directory out of workspace.also and workspace.see"});
        }
        for (const auto& [key, path] : files_) {
            const bool is_inside = std::any_of(
                roots.begin(), roots.end(), [&](const auto& root) { return is_below(path, root); });
            if (!is_inside) continue;
            complain(key, "'" + displayable(path) +
                              "' lies in the workspace, where an agent could read it; keep it "
                              "elsewhere");
        }
    }

    const Context& context_;
    Draft& draft_;
    std::vector<std::pair<std::string, std::string>> files_;  // settings and what they name
    std::vector<Problem> problems_;
};

}  // namespace

std::vector<Problem> finish(const Context& context, Draft& draft, Configuration& configuration) {
    return Finisher(context, draft).run(configuration);
}

}  // namespace paddock::config
