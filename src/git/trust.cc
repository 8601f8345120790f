#include "git/trust.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "text/names.h"

namespace paddock::git {
namespace {

// What a value must be like for its setting to be harmless.
enum class Value : std::uint8_t {
    kAny,       // only shown or compared
    kWord,      // a mode, a number, a boolean
    kFalse,     // spelt so: anything else may be a program
    kBranch,    // a name of a branch, or the beginning of one
    kFormat,    // 0 or 1, and spelt so: git reads numbers in many ways
    kShared,    // with the group at most
    kRemote,    // a name of a remote, or an address
    kWorktree,  // that of a submodule
};

struct Benign {
    std::string_view section;
    std::string_view name;  // "*": every name without a subsection
    Value value;
    bool with_subsection = false;
};

// Not here, on purpose: whatever names a program, a file or another address; aliases, which may
// hold "-c" with any setting; include.*; rebase.instructionFormat, which may write "exec" into the
// list of what a rebase does; help.autocorrect, which runs another command than was asked for;
// gitflow.path.hooks.
constexpr std::array kBenign = std::to_array<Benign>({
    {"core", "repositoryformatversion", Value::kFormat},
    {"core", "filemode", Value::kWord},
    {"core", "bare", Value::kWord},
    {"core", "logallrefupdates", Value::kWord},
    {"core", "symlinks", Value::kWord},
    {"core", "ignorecase", Value::kWord},
    {"core", "precomposeunicode", Value::kWord},
    {"core", "autocrlf", Value::kWord},
    {"core", "safecrlf", Value::kWord},
    {"core", "eol", Value::kWord},
    {"core", "quotepath", Value::kWord},
    {"core", "abbrev", Value::kWord},
    {"core", "compression", Value::kWord},
    {"core", "longpaths", Value::kWord},
    {"core", "sharedrepository", Value::kShared},
    {"core", "sparsecheckout", Value::kWord},
    {"core", "sparsecheckoutcone", Value::kWord},
    {"core", "untrackedcache", Value::kWord},
    {"core", "preloadindex", Value::kWord},
    {"core", "splitindex", Value::kWord},
    {"core", "commitgraph", Value::kWord},
    {"core", "multipackindex", Value::kWord},
    {"core", "checkstat", Value::kWord},
    {"core", "trustctime", Value::kWord},
    {"core", "whitespace", Value::kAny},
    {"core", "commentchar", Value::kAny},
    {"core", "bigfilethreshold", Value::kWord},
    {"core", "packedgitlimit", Value::kWord},
    {"core", "fsync", Value::kAny},
    {"core", "fsyncmethod", Value::kWord},
    {"core", "worktree", Value::kWorktree},
    {"core", "fsmonitor", Value::kFalse},
    {"core", "ignorestat", Value::kWord},
    {"extensions", "objectformat", Value::kWord},
    {"extensions", "compatobjectformat", Value::kWord},
    {"extensions", "refstorage", Value::kWord},
    {"extensions", "worktreeconfig", Value::kWord},
    {"extensions", "relativeworktrees", Value::kWord},
    {"extensions", "preciousobjects", Value::kWord},
    {"extensions", "partialclone", Value::kRemote},
    {"user", "name", Value::kAny},
    {"user", "email", Value::kAny},
    {"user", "useconfigonly", Value::kWord},
    {"author", "name", Value::kAny},
    {"author", "email", Value::kAny},
    {"committer", "name", Value::kAny},
    {"committer", "email", Value::kAny},
    {"init", "defaultbranch", Value::kAny},
    {"am", "threeway", Value::kWord},
    {"apply", "whitespace", Value::kWord},
    {"blame", "showemail", Value::kWord},
    {"blame", "date", Value::kAny},
    {"checkout", "defaultremote", Value::kWord},
    {"checkout", "guess", Value::kWord},
    {"clean", "requireforce", Value::kWord},
    {"column", "ui", Value::kAny},
    {"commit", "gpgsign", Value::kWord},
    {"commit", "verbose", Value::kWord},
    {"commit", "cleanup", Value::kWord},
    {"commit", "status", Value::kWord},
    {"tag", "gpgsign", Value::kWord},
    {"tag", "forcesignannotated", Value::kWord},
    {"tag", "sort", Value::kAny},
    {"branch", "sort", Value::kAny},
    {"branch", "autosetupmerge", Value::kWord},
    {"branch", "autosetuprebase", Value::kWord},
    {"pull", "rebase", Value::kWord},
    {"pull", "ff", Value::kWord},
    {"push", "default", Value::kWord},
    {"push", "autosetupremote", Value::kWord},
    {"push", "followtags", Value::kWord},
    {"push", "recursesubmodules", Value::kWord},
    {"push", "useforceifincludes", Value::kWord},
    {"push", "gpgsign", Value::kWord},
    {"fetch", "all", Value::kWord},
    {"fetch", "fsckobjects", Value::kWord},
    {"fetch", "negotiationalgorithm", Value::kWord},
    {"fetch", "output", Value::kWord},
    {"fetch", "parallel", Value::kWord},
    {"fetch", "prune", Value::kWord},
    {"fetch", "recursesubmodules", Value::kWord},
    {"fetch", "showforcedupdates", Value::kWord},
    {"fetch", "prunetags", Value::kWord},
    {"fetch", "writecommitgraph", Value::kWord},
    {"merge", "ff", Value::kWord},
    {"merge", "conflictstyle", Value::kWord},
    {"merge", "autostash", Value::kWord},
    {"merge", "branchdesc", Value::kWord},
    {"merge", "directoryrenames", Value::kWord},
    {"merge", "log", Value::kWord},
    {"merge", "renamelimit", Value::kWord},
    {"merge", "renames", Value::kWord},
    {"merge", "stat", Value::kWord},
    {"merge", "verbosity", Value::kWord},
    {"rebase", "autosquash", Value::kWord},
    {"rebase", "autostash", Value::kWord},
    {"rebase", "updaterefs", Value::kWord},
    {"rebase", "abbreviatecommands", Value::kWord},
    {"rebase", "missingcommitscheck", Value::kWord},
    {"rebase", "rebasemerges", Value::kWord},
    {"rebase", "forkpoint", Value::kWord},
    {"rebase", "stat", Value::kWord},
    {"repack", "writebitmaps", Value::kWord},
    {"diff", "algorithm", Value::kWord},
    {"diff", "context", Value::kWord},
    {"diff", "indentheuristic", Value::kWord},
    {"diff", "interhunkcontext", Value::kWord},
    {"diff", "relative", Value::kWord},
    {"diff", "renamelimit", Value::kWord},
    {"diff", "renames", Value::kWord},
    {"diff", "ignoresubmodules", Value::kWord},
    {"diff", "wserrorhighlight", Value::kAny},
    {"diff", "noprefix", Value::kWord},
    {"diff", "mnemonicprefix", Value::kWord},
    {"diff", "colormoved", Value::kWord},
    {"diff", "statgraphwidth", Value::kWord},
    {"diff", "submodule", Value::kWord},
    {"log", "date", Value::kAny},
    {"log", "abbrevcommit", Value::kWord},
    {"log", "decorate", Value::kWord},
    {"log", "follow", Value::kWord},
    {"log", "showroot", Value::kWord},
    {"notes", "rewriteref", Value::kAny},
    {"notes", "displayref", Value::kAny},
    {"stash", "showincludeuntracked", Value::kWord},
    {"stash", "showpatch", Value::kWord},
    {"status", "aheadbehind", Value::kWord},
    {"status", "relativepaths", Value::kWord},
    {"status", "renames", Value::kWord},
    {"status", "short", Value::kWord},
    {"status", "showstash", Value::kWord},
    {"status", "branch", Value::kWord},
    {"status", "showuntrackedfiles", Value::kWord},
    {"status", "submodulesummary", Value::kWord},
    {"index", "version", Value::kWord},
    {"index", "sparse", Value::kWord},
    {"feature", "manyfiles", Value::kWord},
    {"gc", "auto", Value::kWord},
    {"gc", "autodetach", Value::kWord},
    {"gc", "autopacklimit", Value::kWord},
    {"gc", "reflogexpire", Value::kAny},
    {"gc", "reflogexpire", Value::kAny, true},
    {"gc", "reflogexpireunreachable", Value::kAny},
    {"gc", "reflogexpireunreachable", Value::kAny, true},
    {"gc", "writecommitgraph", Value::kWord},
    {"gitflow", "develop", Value::kBranch, true},
    {"gitflow", "master", Value::kBranch, true},
    {"gitflow", "bugfix", Value::kBranch, true},
    {"gitflow", "feature", Value::kBranch, true},
    {"gitflow", "hotfix", Value::kBranch, true},
    {"gitflow", "release", Value::kBranch, true},
    {"gitflow", "support", Value::kBranch, true},
    {"gitflow", "versiontag", Value::kBranch, true},
    {"grep", "linenumber", Value::kWord},
    {"grep", "patterntype", Value::kWord},
    {"format", "pretty", Value::kAny},
    {"http", "lowspeedlimit", Value::kWord},
    {"http", "lowspeedtime", Value::kWord},
    {"http", "maxrequests", Value::kWord},
    {"http", "postbuffer", Value::kWord},
    {"http", "version", Value::kAny},
    {"i18n", "commitencoding", Value::kWord},
    {"i18n", "logoutputencoding", Value::kWord},
    {"lfs", "repositoryformatversion", Value::kWord},
    {"pack", "threads", Value::kWord},
    {"pack", "deltacachesize", Value::kWord},
    {"pack", "packsizelimit", Value::kWord},
    {"pack", "window", Value::kWord},
    {"pack", "windowmemory", Value::kWord},
    {"pack", "writebitmaps", Value::kWord},
    {"pretty", "*", Value::kAny},
    {"protocol", "version", Value::kWord},
    {"receive", "denycurrentbranch", Value::kWord},
    {"receive", "denydeletes", Value::kWord},
    {"receive", "fsckobjects", Value::kWord},
    {"reset", "quiet", Value::kWord},
    {"transfer", "fsckobjects", Value::kWord},
    {"transfer", "hiderefs", Value::kAny},
    {"uploadpack", "allowanysha1inwant", Value::kWord},
    {"uploadpack", "allowfilter", Value::kWord},
    {"versionsort", "suffix", Value::kAny},
    {"worktree", "guessremote", Value::kWord},
    {"receive", "denynonfastforwards", Value::kWord},
    {"maintenance", "auto", Value::kWord},
    {"maintenance", "strategy", Value::kWord},
    {"maintenance", "enabled", Value::kWord, true},
    {"submodule", "active", Value::kAny},
    {"submodule", "recurse", Value::kWord},
    {"submodule", "fetchjobs", Value::kWord},
    {"advice", "*", Value::kWord},
    {"color", "*", Value::kAny},
    {"color", "current", Value::kAny, true},
    {"color", "local", Value::kAny, true},
    {"color", "plain", Value::kAny, true},
    {"color", "remote", Value::kAny, true},
    {"color", "upstream", Value::kAny, true},
    {"remote", "pushdefault", Value::kRemote},
    {"remote", "url", Value::kRemote, true},
    {"remote", "pushurl", Value::kRemote, true},
    {"remote", "fetch", Value::kAny, true},
    {"remote", "push", Value::kAny, true},
    {"remote", "tagopt", Value::kAny, true},
    {"remote", "prune", Value::kWord, true},
    {"remote", "mirror", Value::kWord, true},
    {"remote", "promisor", Value::kWord, true},
    {"remote", "partialclonefilter", Value::kAny, true},
    {"remote", "skipdefaultupdate", Value::kWord, true},
    {"remote", "skipfetchall", Value::kWord, true},
    {"remote", "gh-resolved", Value::kAny, true},
    {"branch", "remote", Value::kRemote, true},
    {"branch", "pushremote", Value::kRemote, true},
    {"branch", "merge", Value::kAny, true},
    {"branch", "rebase", Value::kWord, true},
    {"branch", "description", Value::kAny, true},
    {"branch", "vscode-merge-base", Value::kAny, true},
    {"branch", "gh-merge-base", Value::kAny, true},
    {"submodule", "url", Value::kRemote, true},
    {"submodule", "active", Value::kWord, true},
    {"submodule", "branch", Value::kAny, true},
    {"submodule", "ignore", Value::kWord, true},
    {"submodule", "shallow", Value::kWord, true},
    {"submodule", "fetchrecursesubmodules", Value::kWord, true},
    // "!program" is no word.
    {"submodule", "update", Value::kWord, true},
});

bool is_word(std::string_view value) {
    return std::all_of(value.begin(), value.end(), [](char c) {
        const bool letter = (c | 32) >= 'a' && (c | 32) <= 'z';
        return letter || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
    });
}

bool is_branch(std::string_view value) {
    if (value.starts_with('-')) return false;
    while (value.find('/') != value.npos) {
        if (!is_word(value.substr(0, value.find('/')))) return false;
        value.remove_prefix(value.find('/') + 1);
    }
    return is_word(value);
}

bool is_shared_with_group_at_most(std::string_view value) {
    constexpr std::array<std::string_view, 6> kKnown = {"0",    "1",     "false",
                                                        "true", "umask", "group"};
    return std::find(kKnown.begin(), kKnown.end(), value) != kKnown.end();
}

// "helper::address" has git run git-remote-helper; what begins with a dash would be an option;
// "%2e" hides a path.
bool is_plain_remote(std::string_view value) {
    const bool is_encoded = value.starts_with("file:") && value.find('%') != value.npos;
    return !value.starts_with('-') && value.find("::") == value.npos && !is_encoded;
}

// The path of a repository on this host, as git tells it from "host:path"; nothing in another
// address. The name of a remote is one too, as long as the remote has no address.
std::optional<std::string_view> local_path(std::string_view address) {
    constexpr std::string_view kFile = "file://";
    if (!address.starts_with(kFile)) {
        return address.find(':') < address.find('/') ? std::nullopt : std::optional(address);
    }
    // A host may follow, which git ignores.
    address.remove_prefix(std::min(address.find('/', kFile.size()), address.size()));
    return address;
}

// Git takes "[...]", at the beginning or after an "@", for a host even in a path, and "~" for a
// home.
bool is_remote_inside(std::string_view path, const LeadsInside& leads_inside) {
    return !path.starts_with('[') && path.find("@[") == path.npos && !path.starts_with('~') &&
           leads_inside(path, PathFrom::kWorktree);
}

bool is_harmless_remote(std::string_view value, const LeadsInside& leads_inside) {
    if (!is_plain_remote(value)) return false;
    const auto path = local_path(value);
    return !path || is_remote_inside(*path, leads_inside);
}

bool is_harmless(std::string_view value, Value kind, const LeadsInside& leads_inside) {
    switch (kind) {
        case Value::kAny: return true;
        case Value::kWord: return is_word(value);
        case Value::kFalse: return value == "false";
        case Value::kBranch: return is_branch(value);
        case Value::kFormat: return value == "0" || value == "1";
        case Value::kShared: return is_shared_with_group_at_most(value);
        case Value::kRemote: return is_harmless_remote(value, leads_inside);
        case Value::kWorktree: return leads_inside(value, PathFrom::kGitDirectory);
    }
    return false;
}

// A subsection may hold anything, sentences too.
std::string shown_key(const std::string& key) {
    constexpr std::size_t kEndBytes = 40;
    const bool is_long = key.size() > 2 * kEndBytes;
    const std::string shown =
        is_long ? key.substr(0, kEndBytes) + "..." + key.substr(key.size() - kEndBytes) : key;
    return text::quote_in_sentence(shown, " ,;");
}

// The parts of a key: "remote.Origin.url" has a subsection.
struct Key {
    std::string_view section;
    std::string_view subsection;
    std::string_view name;
    bool has_subsection = false;
};

std::optional<Key> parts_of(std::string_view key) {
    const std::size_t first = key.find('.');
    const std::size_t last = key.rfind('.');
    if (first == key.npos) return std::nullopt;
    if (first == last) return Key{key.substr(0, first), {}, key.substr(last + 1), false};
    return Key{key.substr(0, first), key.substr(first + 1, last - first - 1), key.substr(last + 1),
               true};
}

bool is_about(const Benign& known, const Key& key) {
    return known.section == key.section && known.with_subsection == key.has_subsection &&
           (known.name == key.name || known.name == "*");
}

// The remotes that have an address: a name of another is the path of a repository.
std::set<std::string_view> remotes_with_address(const std::vector<GitSetting>& settings) {
    std::set<std::string_view> all;
    std::set<std::string_view> emptied;  // since git 2.46, by an empty address
    for (const GitSetting& setting : settings) {
        const auto key = parts_of(setting.key);
        if (!key || key->section != "remote" || key->name != "url" || !key->has_subsection) {
            continue;
        }
        (setting.value.value_or("").empty() ? emptied : all).insert(key->subsection);
    }
    for (const std::string_view each : emptied) all.erase(each);
    return all;
}

bool is_repository_here(const GitSetting& setting, const std::set<std::string_view>& remotes) {
    const auto key = parts_of(setting.key);
    const bool is_remote =
        key && std::any_of(kBenign.begin(), kBenign.end(), [&](const Benign& known) {
            return known.value == Value::kRemote && is_about(known, *key);
        });
    if (!is_remote) return false;
    const bool is_address = key->name == "url" || key->name == "pushurl";
    const auto leads_here = [&](std::string_view value) {
        // The repository itself, for a branch that tracks another.
        const bool is_name = !is_address && (value == "." || remotes.contains(value));
        return !is_name && local_path(value).has_value();
    };
    return leads_here(setting.value.value_or("")) ||
           (setting.verbatim && leads_here(*setting.verbatim));
}

}  // namespace

bool is_benign(const GitSetting& setting, const LeadsInside& leads_inside) {
    const auto key = parts_of(setting.key);
    return key && std::any_of(kBenign.begin(), kBenign.end(), [&](const Benign& known) {
               return is_about(known, *key) &&
                      is_harmless(setting.value.value_or("true"), known.value, leads_inside) &&
                      (!setting.verbatim ||
                       is_harmless(*setting.verbatim, known.value, leads_inside));
           });
}

std::vector<GitSetting> repositories_here(const std::vector<GitSetting>& settings) {
    const auto remotes = remotes_with_address(settings);
    std::vector<GitSetting> found;
    std::copy_if(settings.begin(), settings.end(), std::back_inserter(found),
                 [&](const GitSetting& each) { return is_repository_here(each, remotes); });
    return found;
}

std::string GitVerdict::summary() const {
    constexpr std::size_t kBytesMax = 1000;
    if (unreadable) return "it could not be read";
    std::string text;
    for (std::size_t i = 0; i < refused.size(); ++i) {
        if (!text.empty()) text += ", ";
        if (text.size() > kBytesMax) return text + std::to_string(refused.size() - i) + " more";
        text += shown_key(refused[i]);
    }
    return text;
}

GitVerdict judge_git_config(std::string_view text, const std::vector<GitSetting>& trusted,
                            const LeadsInside& leads_inside) {
    GitVerdict verdict;
    const auto settings = parse_git_config(text);
    if (!settings) {
        verdict.unreadable = true;
        return verdict;
    }
    const SettingSet before(trusted);
    std::set<std::string_view> refused;
    for (const GitSetting& setting : *settings) {
        if (before.holds(setting) || is_benign(setting, leads_inside)) continue;
        if (refused.insert(setting.key).second) verdict.refused.push_back(setting.key);
    }
    return verdict;
}

}  // namespace paddock::git
