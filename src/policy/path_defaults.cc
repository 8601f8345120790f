// The first rule that matches decides, so the exceptions of a group stand before it.
#include "policy/path_defaults.h"

#include <initializer_list>
#include <vector>

namespace paddock::policy {
namespace {

class Rules {
public:
    void add(Access access, std::initializer_list<const char*> patterns) {
        for (const char* pattern : patterns) made_.push_back({pattern, access});
    }
    std::vector<PathRule> take() { return std::move(made_); }

private:
    std::vector<PathRule> made_;
};

// Not here, on purpose: .npmrc, .yarnrc.yml, pip.conf and their like. They are mostly settings that
// a build needs; a token in them is recognised by the secret scanner.
void add_dotted_secrets(Rules& rules) {
    rules.add(Access::kAllow, {".env.example", ".env.sample", ".env.template", ".env.dist"});
    rules.add(Access::kDeny, {".env", ".env.*", ".envrc", ".ssh", ".gnupg"});
    rules.add(Access::kDeny, {".netrc", ".pgpass", ".my.cnf", ".htpasswd", ".pypirc",
                              ".git-credentials", ".vault-token"});
    rules.add(Access::kDeny,
              {"**/.aws/credentials", "**/.azure", "**/.config/gcloud", "**/.config/gh/hosts.yml",
               "**/.docker/config.json", "**/.kube/config", "**/.cargo/credentials",
               "**/.cargo/credentials.toml", "**/.gem/credentials",
               "**/.terraform.d/credentials.tfrc.json"});
}

// What a shell, an editor or an agent obeys when somebody enters, opens or starts it there: the
// way by which a command could get something run outside. Not here, on purpose: CLAUDE.md and other
// texts, which are content; .gitmodules, of which git believes nothing that could run.
void add_dotted_settings(Rules& rules) {
    // Packages come with the settings of those who made them, which nobody opens.
    rules.add(Access::kAllow,
              {"**/node_modules/**/.vscode", "**/node_modules/**/.idea",
               "**/node_modules/**/.husky", "**/node_modules/**/.claude",
               "**/node_modules/**/.cursor", "**/node_modules/**/.devcontainer",
               "**/node_modules/**/.vscode/**", "**/node_modules/**/.idea/**",
               "**/node_modules/**/.husky/**", "**/node_modules/**/.claude/**",
               "**/node_modules/**/.cursor/**", "**/node_modules/**/.devcontainer/**"});
    rules.add(Access::kReadOnly,
              {".bashrc",        ".bash_profile", ".bash_login", ".bash_logout",    ".bash_aliases",
               ".profile",       ".zshrc",        ".zshenv",     ".zprofile",       ".zlogin",
               ".zlogout",       ".kshrc",        ".mkshrc",     ".cshrc",          ".tcshrc",
               ".login",         ".logout",       ".inputrc",    "**/.config/fish", ".gitconfig",
               "**/.config/git", ".ripgreprc"});
    // Where the next session of paddock itself gets its boundary from.
    rules.add(Access::kReadOnly, {"**/.config/paddock"});
    rules.add(Access::kReadOnly,
              {".vscode", ".idea", ".run", ".zed", ".fleet", ".helix", ".vim", ".theia", ".nova",
               ".devcontainer", ".devcontainer.json", ".husky"});
    rules.add(
        Access::kReadOnly,
        {".mcp.json",       ".claude",   ".claude.json",    ".codex",   ".agents",     ".cursor",
         ".gemini",         ".qwen",     ".opencode",       ".crush",   ".crush.json", ".goose",
         ".aider.conf.yml", ".continue", ".windsurf",       ".roo",     ".kilocode",   ".amazonq",
         ".kiro",           ".junie",    ".factory",        ".augment", ".trae",       ".copilot",
         ".openhands",      ".amp",      ".warp",           ".vibe",    ".iflow",      ".codebuddy",
         ".qoder",          ".pi",       "**/.github/hooks"});
}

// The names of branches are no names of files. None begins with a dot.
void add_branches(Rules& rules) {
    rules.add(Access::kAllow, {"**/.git/refs/**", "**/.git/logs/**", "**/.git/modules/**/refs/**",
                               "**/.git/modules/**/logs/**", "**/.git/worktrees/*/refs/**",
                               "**/.git/worktrees/*/logs/**"});
}

void add_other_names(Rules& rules) {
    // Public by nature, though they look like what follows.
    rules.add(Access::kAllow, {"id_*.pub", "cacert.pem", "*.pub.pem", "**/node_modules/**/*.pem",
                               "**/node_modules/**/*.key", "**/site-packages/**/*.pem",
                               "**/site-packages/**/*.key"});
    rules.add(Access::kDeny, {"*.pem", "*.key", "*.p12", "*.pfx", "*.jks", "*.keystore", "*.ppk",
                              "*.kdbx", "*.kdb"});
    rules.add(Access::kDeny,
              {"id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*", "_netrc", "client_secret*.json"});
    rules.add(Access::kReadOnly,
              {"*.code-workspace", "opencode.json", "opencode.jsonc", "crush.json"});
}

}  // namespace

std::span<const PathRule> default_path_rules() {
    static const std::vector<PathRule> made = [] {
        Rules rules;
        add_dotted_secrets(rules);
        add_dotted_settings(rules);
        add_branches(rules);
        add_other_names(rules);
        // The judge recognises git directories itself (git/judge.h).
        rules.add(Access::kAllow, {"**/.git/**"});
        return rules.take();
    }();
    return made;
}

}  // namespace paddock::policy
