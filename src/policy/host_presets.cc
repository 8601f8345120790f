#include "policy/host_presets.h"

#include <algorithm>
#include <array>

namespace paddock::policy {
namespace {

constexpr std::array kHosts{
    PresetHost{"npm", "registry.npmjs.org:443", "packages and their metadata"},
    PresetHost{"npm", "registry.yarnpkg.com:443", "Yarn's name for the same registry"},
    PresetHost{"npm", "nodejs.org:443", "headers that node-gyp compiles against"},

    PresetHost{"pypi", "pypi.org:443", "the index"},
    PresetHost{"pypi", "files.pythonhosted.org:443", "the packages"},

    PresetHost{"crates", "index.crates.io:443", "the sparse index"},
    PresetHost{"crates", "static.crates.io:443", "the packages"},
    PresetHost{"crates", "crates.io:443", "cargo search; older versions of cargo download here"},

    PresetHost{"go", "proxy.golang.org:443", "modules and toolchains"},
    PresetHost{"go", "sum.golang.org:443", "the checksum database"},
    PresetHost{"go", "storage.googleapis.com:443", "large modules: the proxy redirects there"},
    PresetHost{"go", "dl.google.com:443", "toolchains: the proxy redirects there"},

    PresetHost{"github", "github.com:443", "git over HTTPS, releases"},
    PresetHost{"github", "api.github.com:443", "the API"},
    PresetHost{"github", "codeload.github.com:443", "archives of a repository"},
    PresetHost{"github", "raw.githubusercontent.com:443", "single files"},
    PresetHost{"github", "objects.githubusercontent.com:443", "release files, Git LFS"},
    PresetHost{"github", "release-assets.githubusercontent.com:443", "release files"},

    PresetHost{"debian", "deb.debian.org:80", "packages; apt checks their signatures"},
    PresetHost{"debian", "deb.debian.org:443", "packages"},
    PresetHost{"debian", "security.debian.org:80", "security updates"},
    PresetHost{"debian", "security.debian.org:443", "security updates"},
};

}  // namespace

std::span<const PresetHost> preset_hosts() noexcept { return kHosts; }

bool is_preset(std::string_view word) noexcept {
    return std::any_of(kHosts.begin(), kHosts.end(),
                       [&](const PresetHost& each) { return each.preset == word; });
}

std::string preset_names() {
    std::string names;
    std::string_view last;
    for (const PresetHost& each : kHosts) {
        if (each.preset == last) continue;
        names += (names.empty() ? "" : ", ") + std::string(each.preset);
        last = each.preset;
    }
    return names;
}

}  // namespace paddock::policy
