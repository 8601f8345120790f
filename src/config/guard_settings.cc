#include "config/fields.h"

namespace paddock::config {
namespace {

using Texts = std::vector<std::string>;

// Nothing of the item is told: somebody may have written the secret itself.
std::string wrong_secret(const std::string& item) {
    const std::string source = item.substr(item.find('=', 1) + 1);
    if (source.starts_with("env:") && source.size() > 4) return {};
    if (source.starts_with("file:/") || source.starts_with("file:~/")) return {};
    return "takes where a secret is to be had: \"env:VARIABLE\" or \"file:/path\", never the "
           "secret itself";
}

}  // namespace

std::vector<Setting> guard_settings() {
    return {
        plain<bool>({.key = "secrets.redact",
                     .kind = Kind::kSwitch,
                     .help = "What looks like a secret is replaced in everything that leaves",
                     .off_help = "Secrets are shown as they are",
                     .flags = {"--no-redact-secrets"},
                     .weakens = true},
                    [](Draft& draft) -> bool& { return draft.workspace.redact_secrets; }),
        checked(
            {.key = "secrets.values",
             .kind = Kind::kTable,
             .help = "Secrets that are replaced wherever they appear, by name: 'env:VARIABLE' "
                     "or 'file:/path' says where each is to be had",
             .unit = "NAME=SOURCE",
             .flags = {"--secret"},
             .example = R"({ DEPLOY_KEY = "env:DEPLOY_KEY", DB = "file:/etc/app/db" })"},
            [](Draft& draft) -> Texts& { return draft.secrets; }, wrong_secret),
        limit<std::uint32_t>({.key = "limits.calls_per_second",
                              .kind = Kind::kNumber,
                              .help = "Calls of tools per second; 0: no limit"},
                             [](Draft& draft) -> std::optional<std::uint32_t>& {
                                 return draft.workspace.limits.calls_per_second;
                             }),
        limit<std::uint32_t>({.key = "limits.calls_in_flight",
                              .kind = Kind::kNumber,
                              .help = "Calls at the same time; 0: no limit"},
                             [](Draft& draft) -> std::optional<std::uint32_t>& {
                                 return draft.workspace.limits.calls_in_flight;
                             }),
        limit<std::uint64_t>({.key = "limits.bytes_read",
                              .kind = Kind::kBytes,
                              .help = "Bytes that a session may read; 0: no limit"},
                             [](Draft& draft) -> std::optional<std::uint64_t>& {
                                 return draft.workspace.limits.bytes_read;
                             }),
        limit<std::uint64_t>({.key = "limits.bytes_written",
                              .kind = Kind::kBytes,
                              .help = "Bytes that a session may write; 0: no limit"},
                             [](Draft& draft) -> std::optional<std::uint64_t>& {
                                 return draft.workspace.limits.bytes_written;
                             }),
        limit<std::uint64_t>({.key = "limits.bytes_on_disk",
                              .kind = Kind::kBytes,
                              .help = "What all files of the workspace may take on disk; 0: no "
                                      "limit",
                              .example = "\"10G\""},
                             [](Draft& draft) -> std::optional<std::uint64_t>& {
                                 return draft.workspace.limits.bytes_on_disk;
                             }),
    };
}

}  // namespace paddock::config
