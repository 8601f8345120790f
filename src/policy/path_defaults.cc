#include "policy/path_defaults.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/text.h"

namespace paddock::policy {
namespace {

// Of people, editors, file managers, package managers and RCS.
constexpr std::string_view kEndings[] = {
    ".backup", ".bak",      ".bck",    ".copy",   ".dpkg-old", ".old", ".orig", ".prev",
    ".rej",    ".rpmsave",  ".save",   ".swo",    ".swp",      ".tmp", "~",     "-backup",
    "-bak",    "-copy",     "-old",    "-orig",   "_backup",   "_bak", "_copy", "_old",
    "_orig",   " (backup)", " (copy)", " backup", " copy",     " old", ",v",
};

// A number or a date may follow: "x.bak2", "x.old.1", "x.~3~".
std::string_view without_number(std::string_view name) {
    std::size_t end = name.size();
    while (end > 0 && is_digit(name[end - 1])) --end;
    if (end == name.size()) return name;
    if (end > 0 && (name[end - 1] == '.' || name[end - 1] == '-' || name[end - 1] == ' ')) --end;
    return name.substr(0, end);
}

// "x.1", "x-20261119", "x.2026-11-19", "x (2)": what is before that. The name itself if it has
// none.
std::string_view without_count(std::string_view name) {
    if (name.size() > 4 && name.ends_with(')')) {
        const std::string_view inner = name.substr(0, name.size() - 1);
        const std::string_view before = without_number(inner);
        const bool is_counted = before.size() < inner.size() && before.ends_with(" (");
        return is_counted ? before.substr(0, before.size() - 2) : name;
    }
    const std::string_view before = without_number(name);
    const bool is_apart = before.size() < name.size() && !is_digit(name[before.size()]);
    return is_apart && !before.empty() ? before : name;
}

bool ends_with(std::string_view name, std::string_view lower_case) {
    return name.size() > lower_case.size() &&
           std::equal(lower_case.begin(), lower_case.end(), name.end() - lower_case.size(),
                      [](char a, char b) { return a == lowered(b); });
}

// The name itself if it is no backup.
std::string_view original_of(std::string_view name) {
    for (bool changed = true; changed;) {
        changed = false;
        // Emacs: "#x#" is unsaved work, ".#x" a lock.
        if (name.size() > 2 && name.starts_with('#') && name.ends_with('#')) {
            name = name.substr(1, name.size() - 2);
            changed = true;
        } else if (name.size() > 2 && name.starts_with(".#")) {
            name.remove_prefix(2);
            changed = true;
        }
        if (const auto before = without_count(name); before.size() < name.size()) {
            name = before;
            changed = true;
        }
        const std::string_view plain = without_number(name);
        for (const std::string_view ending : kEndings) {
            if (!ends_with(plain, ending)) continue;
            name = plain.substr(0, plain.size() - ending.size());
            if (ending == "~" && name.size() > 2) {  // "x.~3~"
                const std::string_view numbered = without_number(name);
                if (numbered.ends_with(".~")) name = numbered.substr(0, numbered.size() - 2);
            }
            changed = true;
            break;
        }
    }
    return name;
}

// Most names are told by their last byte.
bool may_be_backup(std::string_view name) {
    constexpr std::string_view kLast = "~#)degjkopvy0123456789";
    if (name.size() < 2) return false;
    return kLast.find(lowered(name.back())) != kLast.npos || name.starts_with(".#");
}

}  // namespace

std::optional<std::string> backed_up_path(std::string_view path) {
    std::optional<std::string> made;
    for (std::size_t begin = 0; begin <= path.size();) {
        const std::size_t end = std::min(path.find('/', begin), path.size());
        const std::string_view name = path.substr(begin, end - begin);
        const std::string_view original = may_be_backup(name) ? original_of(name) : name;
        if (!made && original.size() != name.size()) made = std::string(path.substr(0, begin));
        if (made) made->append(original).append(end < path.size() ? "/" : "");
        begin = end + 1;
    }
    return made;
}

// Only what cannot be told from its content is here. Left out on purpose: .npmrc and pip.conf,
// which a build needs (the secrets filter finds a token in them); CLAUDE.md, .cursorrules and other
// texts; .gitmodules, of which git believes nothing that could run; .nvmrc and .python-version,
// which name a version and no path; what a person starts knowingly, such as a Makefile or the
// scripts of package.json.
namespace {

constexpr auto kExcepted = PathDefault::Class::kExcepted;
constexpr auto kSecret = PathDefault::Class::kSecret;
constexpr auto kSealed = PathDefault::Class::kSealed;

constexpr PathDefault kTable[] = {
    // --- environment files ---
    {kExcepted,
     ".env.example .env.sample .env.template .env.dist .env.defaults .env.schema "
     ".env.*.example .env.*.sample .env.*.template .env.*.dist "
     ".env-example .env-sample .env-template .env-dist "
     ".env_example .env_sample .env_template .env_dist "
     ".envrc.example .envrc.sample .envrc.template .envrc.dist .envrc-example .envrc-sample "
     "example.env sample.env template.env dist.env *.example.env *.sample.env *.template.env",
     "names the variables that a project needs, without values", "convention of dotenv projects",
     "2026-11-19"},
    {kSecret, ".env .env.* .env-* .env_*", "holds passwords and keys of a program",
     "dotenv documentation; convention", "2026-11-19"},
    {kSecret, ".envrc .envrc.* .envrc-* .envrc_*",
     "holds variables of a directory, often with tokens", "direnv documentation", "2026-11-19"},

    // --- credentials of programs ---
    {kSecret, ".ssh", "holds private keys", "OpenSSH manual, ssh(1), 'FILES'", "2026-11-16"},
    {kSecret, ".gnupg", "holds private keys", "GnuPG manual, 'Agent Configuration'", "2026-11-16"},
    {kSecret, ".netrc", "holds passwords for hosts", "curl manual, --netrc", "2026-11-16"},
    {kSecret, ".pgpass", "holds database passwords",
     "PostgreSQL documentation, 'The Password File'", "2026-11-16"},
    {kSecret, ".my.cnf .mylogin.cnf", "holds database passwords",
     "MySQL manual, 'Using Option Files' and 'mysql_config_editor'", "2026-11-19"},
    {kSecret, ".htpasswd", "holds password hashes", "Apache HTTP Server documentation, htpasswd",
     "2026-11-16"},
    {kSecret, ".pypirc", "holds upload tokens", "Python packaging guide, 'The .pypirc file'",
     "2026-11-16"},
    {kSecret, ".git-credentials", "holds passwords for remotes", "git-credential-store manual",
     "2026-11-16"},
    {kSecret, ".vault-token", "is a token", "HashiCorp Vault documentation, 'Token helpers'",
     "2026-11-16"},
    {kSecret, "**/.aws/credentials", "holds access keys",
     "AWS CLI documentation, 'Configuration and credential file settings'", "2026-11-16"},
    {kSecret, "**/.azure", "holds tokens", "Azure CLI documentation, 'Azure CLI configuration'",
     "2026-11-16"},
    {kSecret, "**/.config/gcloud", "holds tokens",
     "Google Cloud CLI documentation, 'Managing gcloud CLI configurations'", "2026-11-16"},
    {kSecret, "**/.config/gh/hosts.yml", "holds tokens", "GitHub CLI manual, gh auth login",
     "2026-11-16"},
    {kSecret, "**/.docker/config.json", "holds registry passwords",
     "Docker documentation, docker login, 'Credential stores'", "2026-11-16"},
    {kSecret, "**/.kube/config", "holds keys and tokens of clusters",
     "Kubernetes documentation, 'Organizing Cluster Access Using kubeconfig Files'", "2026-11-16"},
    {kSecret, "**/.cargo/credentials **/.cargo/credentials.toml", "holds registry tokens",
     "The Cargo Book, 'Configuration', 'Credentials'", "2026-11-16"},
    {kSecret, "**/.gem/credentials", "holds registry keys", "RubyGems guides, 'API authentication'",
     "2026-11-16"},
    {kSecret, "**/.terraform.d/credentials.tfrc.json", "holds tokens",
     "Terraform documentation, 'CLI Configuration', 'Credentials'", "2026-11-16"},

    // --- settings of packages, which nobody opens ---
    {kExcepted,
     "**/node_modules/**/.vscode **/node_modules/**/.idea **/node_modules/**/.husky "
     "**/node_modules/**/.claude **/node_modules/**/.cursor **/node_modules/**/.devcontainer "
     "**/node_modules/**/.vscode/** **/node_modules/**/.idea/** **/node_modules/**/.husky/** "
     "**/node_modules/**/.claude/** **/node_modules/**/.cursor/** "
     "**/node_modules/**/.devcontainer/**",
     "settings of a package's author, which npm installs", "npm documentation, 'folders'",
     "2026-11-17"},
    {kExcepted,
     "**/node_modules/**/.tool-versions **/node_modules/**/.yarnrc **/node_modules/**/.yarnrc.yml "
     "**/node_modules/**/mise.toml **/node_modules/**/.mise.toml **/node_modules/**/lefthook.yml "
     "**/node_modules/**/.lefthook.yml **/node_modules/**/.githooks "
     "**/node_modules/**/.githooks/** **/node_modules/**/.clinerules "
     "**/node_modules/**/.clinerules/** **/node_modules/**/.cargo/config.toml",
     "settings of a package's author, which npm installs", "npm documentation, 'folders'",
     "2026-11-19"},

    // --- shells and what reads the same directory ---
    {kSealed, ".bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .inputrc",
     "runs when a shell starts or ends", "Bash manual, 'Bash Startup Files'", "2026-11-16"},
    {kSealed, ".zshrc .zshenv .zprofile .zlogin .zlogout", "runs when a shell starts or ends",
     "Zsh manual, 'Startup/Shutdown Files'", "2026-11-16"},
    {kSealed, ".kshrc .mkshrc .cshrc .tcshrc .login .logout", "runs when a shell starts or ends",
     "manuals of ksh, mksh and tcsh", "2026-11-16"},
    {kSealed, "**/.config/fish", "runs when a shell starts",
     "fish documentation, 'Configuration files'", "2026-11-16"},
    {kSealed, ".gitconfig **/.config/git", "can name programs that git runs",
     "git-config manual, 'FILES'", "2026-11-16"},
    {kSealed, ".ripgreprc", "can name a program that rg runs", "ripgrep guide, 'Preprocessor'",
     "2026-11-16"},
    {kSealed, "**/.config/paddock", "sets the boundary of the next session",
     "docs/configuration.md", "2026-11-16"},

    // --- version managers: they choose programs when somebody enters a directory ---
    {kSealed,
     ".mise.toml .mise.*.toml **/.mise/config.toml **/.mise/config.*.toml **/.mise/conf.d "
     "**/.config/mise.toml "
     "**/.config/mise.*.toml **/.config/mise",
     "sets variables and PATH and can run hooks when a shell enters the directory",
     "mise documentation, 'Configuration' and 'Hooks'", "2026-11-19"},
    {kSealed, ".tool-versions .asdfrc",
     "chooses the programs behind asdf's and mise's shims, 'path:' names any directory",
     "asdf documentation, 'Configuration'; mise documentation, 'Configuration'", "2026-11-19"},

    // --- hooks of git, and their managers ---
    {kSealed, ".husky", "hooks that git runs", "Husky documentation, 'How To'", "2026-11-17"},
    {kSealed, ".githooks", "hooks that git runs by core.hooksPath",
     "convention for git-config's core.hooksPath", "2026-11-19"},
    {kSealed,
     ".lefthook.yml .lefthook.yaml .lefthook.toml .lefthook.json .lefthook.jsonc "
     ".lefthook-local.yml .lefthook-local.yaml .lefthook-local.toml "
     ".lefthook-local.json .lefthook-local.jsonc .lefthook .lefthook-local",
     "names commands that git's hooks run",
     "lefthook documentation, 'Config file name' and 'source_dir'", "2026-11-19"},

    // --- package managers that run a program before they do anything else ---
    {kSealed, ".yarnrc .yarnrc.yml **/.yarn/releases **/.yarn/plugins",
     "yarnPath and plugins replace the program that 'yarn' runs",
     "Yarn documentation, '.yarnrc.yml'; Yarn 1 documentation, '.yarnrc'", "2026-11-19"},
    {kSealed, "**/.cargo/config **/.cargo/config.toml",
     "names wrappers, linkers and runners that every cargo command runs",
     "The Cargo Book, 'Configuration'", "2026-11-19"},

    // --- debuggers and interpreters that read the current directory ---
    {kSealed, ".gdbinit .lldbinit .lldbinit-*", "commands that a debugger runs when it starts",
     "GDB manual, 'Startup'; LLDB manual, 'Configuration files'", "2026-11-19"},
    {kSealed, ".pdbrc .perldb .irbrc .pryrc .Rprofile .ghci .ocamlinit .octaverc",
     "code that a debugger or interpreter runs when it starts",
     "documentation of pdb, perldebug, irb, pry, R ('Startup'), GHCi, OCaml and Octave",
     "2026-11-19"},

    // --- editors ---
    {kSealed, ".exrc .vimrc .gvimrc .nvimrc .nvim.lua",
     "commands that vi, Vim or Neovim run when they start there",
     "Vim manual, 'exrc'; Neovim manual, 'exrc'", "2026-11-19"},
    {kSealed, ".vscode", "tasks and settings that can run programs",
     "Visual Studio Code documentation, 'Tasks'", "2026-11-16"},
    {kSealed, ".idea .run .fleet", "run configurations",
     "JetBrains documentation, 'Run/debug configurations'", "2026-11-17"},
    {kSealed, ".zed .helix .vim .theia .nova", "settings of an editor, which can name programs",
     "documentation of Zed, Helix, coc.nvim, Theia and Nova", "2026-11-17"},
    {kSealed, ".devcontainer .devcontainer.json", "commands that run when a container is opened",
     "Development Containers specification", "2026-11-16"},

    // --- agents ---
    {kSealed, ".mcp.json", "names programs that an agent starts",
     "Claude Code documentation, 'MCP'", "2026-11-16"},
    {kSealed, ".claude .claude.json", "hooks and permissions of an agent",
     "Claude Code documentation, 'Settings' and 'Hooks'", "2026-11-16"},
    {kSealed, ".cline*", "rules, workflows and hooks that the agent runs",
     "Cline documentation, 'Hooks' and 'Rules'", "2026-11-19"},
    {kSealed, ".codex .agents .cursor .gemini .qwen", "settings, hooks and MCP servers of an agent",
     "documentation of Codex CLI, Cursor, Gemini CLI and Qwen Code", "2026-11-16"},
    {kSealed, ".opencode .crush .crush.json .goose",
     "settings, plugins and MCP servers of an agent", "documentation of opencode, Crush and goose",
     "2026-11-16"},
    {kSealed, ".aider.conf.yml .continue .windsurf .roo .kilocode .amazonq .kiro .junie",
     "settings of an agent",
     "documentation of aider, Continue, Windsurf, Roo Code, Kilo Code, Amazon Q, Kiro and Junie",
     "2026-11-16"},
    {kSealed, ".factory .augment .trae .copilot .openhands .amp .warp **/.github/hooks",
     "settings and hooks of an agent",
     "documentation of Factory, Augment, Trae, GitHub Copilot, OpenHands, Amp and Warp",
     "2026-11-17"},
    {kSealed, ".vibe .iflow .codebuddy .qoder .pi", "settings of an agent",
     "documentation of Mistral Vibe, iFlow, CodeBuddy, Qoder and Pi", "2026-11-17"},

    // --- names without a dot at the start, which a branch may have too ---
    {kExcepted,
     "**/.git/refs/** **/.git/logs/** **/.git/modules/**/refs/** **/.git/modules/**/logs/** "
     "**/.git/worktrees/*/refs/** **/.git/worktrees/*/logs/**",
     "names of branches are not names of files; none begins with a dot",
     "git-check-ref-format manual", "2026-11-17"},
    {kExcepted, "id_*.pub *.pub.pem", "public keys", "OpenSSH manual, ssh-keygen(1), 'FILES'",
     "2026-11-16"},
    {kExcepted,
     "cacert.pem **/node_modules/**/*.pem **/node_modules/**/*.key **/site-packages/**/*.pem "
     "**/site-packages/**/*.key",
     "certificates and test keys that packages publish",
     "convention of certifi and of packages with tests", "2026-11-16"},
    {kSecret, "*.env", "holds passwords and keys of a program",
     "Docker Compose documentation, 'env_file'; convention", "2026-11-19"},
    {kSecret, "_netrc", "holds passwords for hosts", "curl manual, --netrc", "2026-11-16"},
    {kSecret, "*.pem *.key", "private keys", "convention of OpenSSL and web servers", "2026-11-16"},
    {kSecret, "*.p12 *.pfx *.jks *.keystore *.ppk", "private keys in a container",
     "RFC 7292 (PKCS #12); Java keytool documentation; PuTTY manual", "2026-11-16"},
    {kSecret, "*.kdbx *.kdb", "password databases", "KeePass documentation", "2026-11-16"},
    {kSecret, "id_rsa* id_dsa* id_ecdsa* id_ed25519* .id_*.sw?", "private keys",
     "OpenSSH manual, ssh-keygen(1), 'FILES'", "2026-11-19"},
    {kSecret, "client_secret*.json", "an application's password",
     "Google Identity documentation, 'OAuth 2.0 client'", "2026-11-16"},
    {kSealed, "mise.toml mise.*.toml **/mise/config.toml **/mise/config.*.toml",
     "sets variables and PATH and can run hooks when a shell enters the directory",
     "mise documentation, 'Configuration' and 'Hooks'", "2026-11-19"},
    {kSealed,
     "lefthook.yml lefthook.yaml lefthook.toml lefthook.json lefthook.jsonc lefthook-local.yml "
     "lefthook-local.yaml lefthook-local.toml lefthook-local.json lefthook-local.jsonc",
     "names commands that git's hooks run", "lefthook documentation, 'Config file name'",
     "2026-11-19"},
    {kSealed, "_exrc _vimrc", "commands that vi or Vim run when they start there",
     "Vim manual, 'exrc'", "2026-11-19"},
    {kSealed, "*.code-workspace", "tasks and settings that can run programs",
     "Visual Studio Code documentation, 'Workspaces'", "2026-11-16"},
    {kSealed, "opencode.json opencode.jsonc crush.json",
     "settings, plugins and MCP servers of an agent", "documentation of opencode and Crush",
     "2026-11-16"},
    // The judge recognises git directories itself (git/judge.h).
    {kExcepted, "**/.git/**", "judged by the rules for git", "src/git/judge.h", "2026-11-18"},
};

Access access_of(PathDefault::Class kind) {
    switch (kind) {
        case kExcepted: return Access::kAllow;
        case kSecret: return Access::kDeny;
        case kSealed: return Access::kReadOnly;
    }
    return Access::kDeny;
}

}  // namespace

std::span<const PathDefault> path_defaults() { return kTable; }

std::span<const PathRule> default_path_rules() {
    static const std::vector<PathRule> made = [] {
        std::vector<PathRule> rules;
        for (const PathDefault& row : kTable) {
            std::string_view rest = row.patterns;
            while (!rest.empty()) {
                const std::string_view pattern = rest.substr(0, rest.find(' '));
                rules.push_back({std::string(pattern), access_of(row.kind)});
                rest.remove_prefix(std::min(pattern.size() + 1, rest.size()));
            }
        }
        return rules;
    }();
    return made;
}

}  // namespace paddock::policy
