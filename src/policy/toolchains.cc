#include "policy/toolchains.h"

#include <algorithm>
#include <iterator>

namespace paddock::policy {
namespace {

using Names = std::string_view[];

constexpr std::string_view kToolVersions = ".tool-versions";

// The directories and files that commands see of an installation prefix: programs, libraries and
// headers. Settings and data beside them stay hidden: etc/npmrc may hold a registry's token,
// conf/settings.xml a password, var the data of a server. A star matches the rest of a name.
constexpr Names kPrefix = {"VERSION",      "api",      "bin",
                           "boot",         "dart-sdk", "doc",
                           "embedded",     "erts-*",   "go",
                           "go.env",       "include",  "jmods",
                           "jre",          "klib",     "kotlinc",
                           "languages",    "legal",    "lib",
                           "lib-*",        "lib32",    "lib64",
                           "lib_pypy",     "libexec",  "man",
                           "maven2",       "misc",     "node_modules",
                           "package.json", "packages", "pkg",
                           "platform",     "pyenv.d",  "pyvenv.cfg",
                           "release",      "releases", "sbin",
                           "share",        "shims",    "site-packages",
                           "src",          "test",     "toolchains",
                           "usr"};

constexpr SharedDirectory kSharedDirectories[] = {
    {"XDG_CONFIG_HOME", ".config"},
    {"XDG_DATA_HOME", ".local/share"},
    {"XDG_STATE_HOME", ".local/state"},
    {"XDG_CACHE_HOME", ".cache"},
};

constexpr Names kNvm = {".nvm", ".config/nvm"};
constexpr Names kNvmShown = {"alias", "nvm.sh", "nvm-exec", "versions/node/*/<prefix>"};

constexpr Names kNvmMarkers = {"versions/node"};

constexpr Names kFnm = {".local/share/fnm", ".fnm"};
constexpr Names kFnmShown = {"fnm", "aliases", "node-versions/*/installation/<prefix>"};
constexpr Names kFnmPrograms = {"fnm"};
constexpr Names kFnmMarkers = {"node-versions"};

constexpr Names kVolta = {".volta"};
constexpr Names kVoltaShown = {"bin", "layout.v4", "tools/user", "tools/image/*/*/<prefix>"};

constexpr Names kVoltaMarkers = {"tools/image"};

constexpr Names kCargo = {".cargo"};
constexpr Names kCargoShown = {"bin"};
constexpr Names kCargoMarkers = {"bin/cargo", ".crates.toml"};

constexpr Names kRustup = {".rustup"};
constexpr Names kRustupShown = {"settings.toml", "toolchains", "update-hashes"};
constexpr Names kRustupMarkers = {"settings.toml"};

constexpr Names kGo = {"go"};
constexpr Names kGoShown = {"bin"};
constexpr Names kGoMarkers = {"pkg/mod", "pkg/sumdb"};

constexpr Names kGoSdk = {"sdk/*", ".local/go", ".go", "go"};
constexpr Names kGoSdkShown = {"VERSION", "api",  "bin", "doc", "go.env",
                               "lib",     "misc", "pkg", "src", "test"};
constexpr Names kGoSdkMarkers = {"src/runtime", "pkg/tool"};
constexpr Names kGoSdkPassed = {"GOROOT"};

constexpr Names kPyenv = {".pyenv"};
constexpr Names kPyenvShown = {"bin",
                               "libexec",
                               "pyenv.d",
                               "shims",
                               "version",
                               "plugins/*/<prefix>",
                               "versions/*/<prefix>",
                               "versions/*/envs/*/<prefix>"};

constexpr Names kPyenvMarkers = {"shims"};

constexpr Names kUv = {".local/share/uv"};
constexpr Names kUvShown = {"python/*/<prefix>", "tools/*/<prefix>"};
constexpr Names kUvPrograms = {"uv", "uvx"};

constexpr Names kPipx = {".local/share/pipx", ".local/pipx"};
constexpr Names kPipxShown = {"py/*/<prefix>", "shared/<prefix>", "venvs/*/<prefix>"};
constexpr Names kPipxPrograms = {"pipx"};
constexpr Names kPipxMarkers = {"venvs"};

constexpr Names kAsdf = {".asdf"};
constexpr Names kAsdfShown = {"asdf.sh",
                              "bin",
                              "defaults",
                              "lib",
                              "shims",
                              "installs/*/*/<prefix>",
                              "installs/java/*/conf",
                              "plugins/*/<prefix>"};
constexpr Names kAsdfPrograms = {"asdf"};
constexpr Names kAsdfMarkers = {"installs"};

constexpr Names kMise = {".local/share/mise"};
constexpr Names kMiseShown = {"shims", "installs/*/*/<prefix>", "installs/java/*/conf"};
constexpr Names kMisePrograms = {"mise"};
constexpr Names kMiseMarkers = {"installs"};

constexpr Names kSdkman = {".sdkman"};
constexpr Names kSdkmanShown = {"bin", "libexec", "src", "candidates/*/*/<prefix>",
                                "candidates/java/*/conf"};
constexpr Names kSdkmanPassed = {"JAVA_HOME"};
constexpr Names kSdkmanMarkers = {"candidates"};

constexpr Names kDeno = {".deno"};
constexpr Names kDenoShown = {"bin"};
constexpr Names kDenoPrograms = {"deno"};
constexpr Names kDenoMarkers = {"bin/deno"};

constexpr Names kBun = {".bun"};
constexpr Names kBunShown = {"bin", "install/global/node_modules"};
constexpr Names kBunPrograms = {"bun", "bunx"};
constexpr Names kBunMarkers = {"bin/bun"};

constexpr Names kHomebrew = {"/home/linuxbrew/.linuxbrew", ".linuxbrew", "homebrew"};
constexpr Names kHomebrewMarkers = {"bin/brew"};
constexpr Names kHomebrewShown = {
    "Cellar", "bin",  "etc/ca-certificates", "etc/openssl@3", "include", "lib", "libexec", "opt",
    "sbin",   "share"};

constexpr Toolchain kToolchains[] = {
    {.name = "nvm",
     .variable = "NVM_DIR",
     .places = kNvm,
     .shown = kNvmShown,
     .told = "NVM_DIR",
     .markers = kNvmMarkers},
    {.name = "fnm",
     .variable = "FNM_DIR",
     .places = kFnm,
     .shown = kFnmShown,
     .programs = kFnmPrograms,
     .told = "FNM_DIR",
     .markers = kFnmMarkers},
    {.name = "volta",
     .variable = "VOLTA_HOME",
     .places = kVolta,
     .shown = kVoltaShown,
     .told = "VOLTA_HOME",
     .markers = kVoltaMarkers},
    // Without CARGO_HOME: its caches go to the home of commands.
    {.name = "cargo",
     .variable = "CARGO_HOME",
     .places = kCargo,
     .shown = kCargoShown,
     .markers = kCargoMarkers},
    {.name = "rustup",
     .variable = "RUSTUP_HOME",
     .places = kRustup,
     .shown = kRustupShown,
     .told = "RUSTUP_HOME",
     .markers = kRustupMarkers,
     .brought_by = "cargo"},
    // Programs that "go install" made. Modules are cached in the home of commands.
    {.name = "go", .variable = "GOPATH", .places = kGo, .shown = kGoShown, .markers = kGoMarkers},
    {.name = "go",
     .variable = "GOROOT",
     .places = kGoSdk,
     .shown = kGoSdkShown,
     .markers = kGoSdkMarkers,
     .shares_places = true,
     .passed = kGoSdkPassed},
    {.name = "pyenv",
     .variable = "PYENV_ROOT",
     .places = kPyenv,
     .shown = kPyenvShown,
     .told = "PYENV_ROOT",
     .markers = kPyenvMarkers},
    {.name = "uv", .variable = {}, .places = kUv, .shown = kUvShown, .programs = kUvPrograms},
    {.name = "pipx",
     .variable = "PIPX_HOME",
     .places = kPipx,
     .shown = kPipxShown,
     .programs = kPipxPrograms,
     .markers = kPipxMarkers},
    {.name = "asdf",
     .variable = "ASDF_DATA_DIR",
     .places = kAsdf,
     .shown = kAsdfShown,
     .programs = kAsdfPrograms,
     .told = "ASDF_DATA_DIR",
     .markers = kAsdfMarkers,
     .versions = kToolVersions},
    {.name = "mise",
     .variable = "MISE_DATA_DIR",
     .places = kMise,
     .shown = kMiseShown,
     .programs = kMisePrograms,
     .told = "MISE_DATA_DIR",
     .markers = kMiseMarkers,
     .versions = kToolVersions},
    {.name = "sdkman",
     .variable = "SDKMAN_DIR",
     .places = kSdkman,
     .shown = kSdkmanShown,
     .told = "SDKMAN_DIR",
     .markers = kSdkmanMarkers,
     .passed = kSdkmanPassed},
    {.name = "deno",
     .variable = "DENO_INSTALL",
     .places = kDeno,
     .shown = kDenoShown,
     .programs = kDenoPrograms,
     .markers = kDenoMarkers},
    {.name = "bun",
     .variable = "BUN_INSTALL",
     .places = kBun,
     .shown = kBunShown,
     .programs = kBunPrograms,
     .markers = kBunMarkers},
    {.name = "homebrew",
     .variable = "HOMEBREW_PREFIX",
     .places = kHomebrew,
     .shown = kHomebrewShown,
     .markers = kHomebrewMarkers},
};

}  // namespace

std::span<const Toolchain> all_toolchains() { return kToolchains; }

std::span<const SharedDirectory> shared_directories() { return kSharedDirectories; }

std::vector<std::string> toolchain_names() {
    std::vector<std::string> names;
    for (const Toolchain& each : kToolchains) {
        if (names.empty() || names.back() != each.name) names.emplace_back(each.name);
    }
    return names;
}

bool is_shown_in_prefix(std::string_view name) {
    return std::any_of(std::begin(kPrefix), std::end(kPrefix), [name](std::string_view part) {
        return part.ends_with('*') ? name.starts_with(part.substr(0, part.size() - 1))
                                   : name == part;
    });
}

}  // namespace paddock::policy
