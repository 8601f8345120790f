#include "policy/path_defaults.h"

#include <vector>

namespace paddock::policy {

// Not here, on purpose: .npmrc, .yarnrc.yml, pip.conf and their like. They are mostly settings that
// a build needs; a token in them is recognised by the secret scanner.
std::span<const PathRule> default_path_rules() {
    static const std::vector<PathRule> made = [] {
        std::vector<PathRule> rules;
        const auto add = [&](Access access, std::initializer_list<const char*> patterns) {
            for (const char* pattern : patterns) rules.push_back({pattern, access});
        };
        // Public by nature, though they look like what follows.
        add(Access::kAllow, {".env.example", ".env.sample", ".env.template", ".env.dist",
                             "id_*.pub", "cacert.pem", "*.pub.pem"});
        add(Access::kDeny, {".env", ".env.*", ".envrc"});
        add(Access::kDeny, {"*.pem", "*.key", "*.p12", "*.pfx", "*.jks", "*.keystore", "*.ppk",
                            "*.kdbx", "*.kdb"});
        add(Access::kDeny, {"id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*", ".ssh", ".gnupg"});
        add(Access::kDeny, {".netrc", "_netrc", ".pgpass", ".my.cnf", ".htpasswd", ".pypirc",
                            ".git-credentials", ".vault-token"});
        add(Access::kDeny,
            {"**/.aws/credentials", "**/.azure", "**/.config/gcloud", "**/.config/gh/hosts.yml",
             "**/.docker/config.json", "**/.kube/config", "**/.cargo/credentials",
             "**/.cargo/credentials.toml", "**/.gem/credentials",
             "**/.terraform.d/credentials.tfrc.json", "client_secret*.json"});
        // Of nested repositories, worktrees and submodules too.
        add(Access::kReadOnly, {"**/.git/hooks", "**/.git/config", "**/.git/config.worktree",
                                "**/.git/modules/**/hooks", "**/.git/modules/**/config",
                                "**/.git/worktrees/*/config.worktree"});
        return rules;
    }();
    return made;
}

}  // namespace paddock::policy
