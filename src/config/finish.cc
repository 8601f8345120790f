#include "config/finish.h"

#include <paddock/limits.h>

#include "base/display.h"
#include "sys/stat.h"

namespace paddock::config {
namespace {

class Finisher {
public:
    Finisher(const Context& context, Draft& draft) : context_(context), draft_(draft) {}

    std::vector<Problem> run(Configuration& configuration) {
        choose_root();
        refuse_everything();
        give_permits();
        choose_network();
        find_secrets();
        check_serve();
        refuse_files_inside();
        if (!problems_.empty()) return std::move(problems_);
        configuration.workspace = draft_.workspace;
        configuration.workspace.root = as_the_user_spells(draft_.root);
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
        if (const auto made = make_private_directories(root); !made) {
            complain("workspace.root", as_error(made.error(), "make", root).message());
        }
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

    void choose_network() {
        const bool has_list = !draft_.shell.network_allow.empty();
        if (draft_.network == Network::kListed && !has_list) {
            complain("bash.network", "bash.network is \"listed\", and bash.network_allow is empty");
        }
        const bool is_said = context_.origins.contains("bash.network");
        if (!is_said && has_list) {
            complain("bash.network_allow",
                     "bash.network_allow has hosts, and bash.network is not \"listed\"");
        }
        if (draft_.network != Network::kListed) draft_.shell.network_allow.clear();
        if (draft_.network == Network::kHost) {
            draft_.shell.host_network =
                permit::HostNetwork{"bash.network = host, from " + origin("bash.network")};
        }
    }

    void find_secrets() {
        for (const std::string& item : draft_.secrets) {
            const std::size_t equals = item.find('=', 1);
            const std::string name = item.substr(0, equals);
            const auto value = secret_from(name, item.substr(equals + 1));
            if (!value) continue;
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
        for (const auto& [key, path] : files_) {
            if (!is_below(path, draft_.root)) continue;
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
