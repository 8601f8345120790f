#include "config/load.h"

#include <algorithm>
#include <map>
#include <span>

#include <paddock/limits.h>

#include "base/display.h"
#include "base/text.h"
#include "config/settings.h"
#include "config/words.h"
#include "fs/make_directories.h"
#include "sys/files.h"
#include "text/glob.h"
#include "text/names.h"

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
            return complain(
                "workspace.root",
                "[workspace] has no root, and without $HOME there is no default for it");
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
                             "' would match nothing, because it is outside the workspace; start "
                             "the pattern at the workspace's own directory");
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
                                 "is in the workspace '" + displayable(draft_.root) +
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
                                 "is in '" + displayable(root) +
                                     "', which is open to an agent; keep it elsewhere, or leave "
                                     "that directory out of workspace.also and workspace.see"});
        }
        for (const auto& [key, path] : files_) {
            const bool is_inside = std::any_of(
                roots.begin(), roots.end(), [&](const auto& root) { return is_below(path, root); });
            if (!is_inside) continue;
            complain(key,
                     "'" + displayable(path) +
                         "' is in the workspace, where an agent could read it; keep it elsewhere");
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

// Gathers what file, environment and overrides say into a draft, then makes options of it.
namespace {

using Texts = std::vector<std::string>;

bool begins_with(const Texts& path, const Texts& prefix) {
    return path.size() >= prefix.size() && std::equal(prefix.begin(), prefix.end(), path.begin());
}

// A quoted name may hold a dot, and is then no part of any key.
bool has_plain_names(const Texts& path) {
    return std::all_of(path.begin(), path.end(), [](const std::string& name) {
        return !name.empty() && name.find('.') == name.npos;
    });
}

// The tables that settings stand in, those that are settings themselves included.
bool is_table(const std::string& key) {
    const auto settings = all_settings();
    return std::any_of(settings.begin(), settings.end(), [&](const Setting& setting) {
        return setting.key.starts_with(key + ".") ||
               (setting.kind == Kind::kTable && setting.key == key);
    });
}

Texts all_keys() {
    Texts keys;
    for (const Setting& setting : all_settings()) keys.push_back(setting.key);
    return keys;
}

// The key that was meant: also one that was written in the wrong table, or in none.
std::string meant_key(const std::string& key) {
    if (key == "bash.limits.address_bytes") {
        return ": address space is no longer limited; use 'bash.limits.memory_bytes' to limit "
               "memory";
    }
    std::string near = meant(key, all_keys());
    if (!near.empty()) return near;
    const std::string name = key.substr(key.rfind('.') + 1);
    for (const Setting& setting : all_settings()) {
        if (setting.key.ends_with("." + name)) return "; did you mean '" + setting.key + "'?";
    }
    return {};
}

std::string meant_table(const std::string& key) {
    Texts tables;
    for (const Setting& setting : all_settings()) {
        tables.push_back(setting.kind == Kind::kTable
                             ? setting.key
                             : setting.key.substr(0, setting.key.rfind('.')));
    }
    return meant(key, tables);
}

class Loader {
public:
    explicit Loader(const Source& source) : source_(source), variables_(source.environment) {}

    tl::expected<Configuration, std::vector<Problem>> run(const std::optional<ConfigFile>& file) {
        if (file) take_file(*file);
        take_environment();
        take_overrides();
        Configuration configuration;
        if (problems_.empty()) {
            problems_ = finish({source_, variables_, file_, has_workspace_, origins_}, draft_,
                               configuration);
        }
        if (!problems_.empty()) return tl::unexpected(std::move(problems_));
        list_items(configuration);
        return configuration;
    }

private:
    void complain(std::string where, std::string text) {
        problems_.push_back({std::move(where), std::move(text)});
    }

    void give(const Setting& setting, Decoded value, const std::string& where) {
        std::string problem =
            value ? setting.apply(std::move(*value), draft_) : std::move(value.error());
        if (!problem.empty()) return complain(where, setting.key + " " + problem);
        origins_[setting.key] = where;
    }

    std::string at(Place place) const {
        return displayable(file_) + ":" + std::to_string(place.line) + ":" +
               std::to_string(place.column);
    }

    void take_file(const ConfigFile& file) {
        file_ = file.path;
        const TomlDocument document = parse_toml(file.text);
        if (document.wrong) return complain(at(*document.wrong), document.problem);
        const std::vector<Texts> unknown = take_tables(document.tables);
        std::map<std::string, std::pair<Texts, Place>> tables;
        for (const Leaf& leaf : document.leaves) {
            const bool is_told =
                std::any_of(unknown.begin(), unknown.end(),
                            [&](const Texts& prefix) { return begins_with(leaf.path, prefix); });
            if (!is_told) take_leaf(leaf, tables);
        }
        for (auto& [key, items] : tables) {
            give(*find_setting(key), Value(std::move(items.first)), at(items.second));
        }
    }

    // The unknown ones.
    std::vector<Texts> take_tables(const std::vector<TableHead>& tables) {
        std::vector<Texts> unknown;
        for (const TableHead& table : tables) {
            const std::string key = dotted(table.path);
            if (key == "workspace") has_workspace_ = true;
            if (has_plain_names(table.path) && is_table(key)) continue;
            const bool is_told =
                std::any_of(unknown.begin(), unknown.end(),
                            [&](const Texts& prefix) { return begins_with(table.path, prefix); });
            if (is_told) continue;
            unknown.push_back(table.path);
            complain(at(table.place),
                     "there is no table '" + displayable(key) + "'" + meant_table(key));
        }
        return unknown;
    }

    void take_leaf(const Leaf& leaf, std::map<std::string, std::pair<Texts, Place>>& tables) {
        const std::string key = dotted(leaf.path);
        const Texts above(leaf.path.begin(), leaf.path.end() - 1);
        const Setting* setting = has_plain_names(leaf.path) ? find_setting(key) : nullptr;
        const Setting* table = has_plain_names(above) ? find_setting(dotted(above)) : nullptr;
        if (setting != nullptr) {
            give(*setting, from_file(*setting, leaf.content), at(leaf.value));
        } else if (table == nullptr || table->kind != Kind::kTable) {
            complain(at(leaf.key),
                     "there is no setting '" + displayable(key) + "'" + meant_key(key));
        } else {
            auto& [items, place] = tables.try_emplace(table->key, Texts(), leaf.key).first->second;
            take_entry(*table, leaf, items);
        }
    }

    // One name of a table of texts.
    void take_entry(const Setting& table, const Leaf& leaf, Texts& items) {
        const std::string& name = leaf.path.back();
        const auto* text = std::get_if<std::string>(&leaf.content);
        if (name.empty() || name.find('=') != name.npos || name.find('\0') != name.npos) {
            complain(at(leaf.key), table.key + ": '" + displayable(name) + "' is not a name");
        } else if (text == nullptr || text->find('\0') != text->npos) {
            complain(at(leaf.value), table.key + "." + displayable(name) + " takes a string");
        } else if (items.size() == limits::kConfigItemsMax) {
            complain(at(leaf.key), table.key + " has too many names");
        } else {
            items.push_back(name + "=" + *text);
        }
    }

    // Paths in the file begin at the file, wherever paddock is started.
    Decoded from_file(const Setting& setting, const TomlValue& content) const {
        Decoded value = from_toml(setting, content);
        if (!value || setting.kind != Kind::kFile) return value;
        std::string& path = std::get<std::string>(*value);
        if (path.empty() || path.starts_with('/')) return value;
        const auto home = variables_.find("HOME");
        if (path == "~" || path.starts_with("~/")) {
            if (!home) return tl::unexpected(std::string("begins with ~, but $HOME is not set"));
            path.replace(0, 1, *home);
            return value;
        }
        const std::size_t slash = file_.rfind('/');
        if (slash != file_.npos) path.insert(0, file_.substr(0, slash + 1));
        return value;
    }

    void take_environment() {
        Texts known{"CONFIG", "TOKEN"};
        for (const Setting& setting : all_settings()) {
            bool found = false;
            for (const std::string& name : setting.variables) {
                if (name.starts_with(kPrefix)) known.push_back(name.substr(kPrefix.size()));
                const auto text = found ? std::nullopt : variables_.find(name);
                if (!text) continue;
                give(setting, from_text(setting, *text), "$" + name);
                found = true;
            }
        }
        for (const std::string& name : variables_.names()) refuse_misspelled(name, known);
    }

    // A variable that nobody reads would leave the workspace wider than its author thinks.
    void refuse_misspelled(const std::string& name, const Texts& known) {
        if (!name.starts_with(kPrefix)) return;
        const std::string rest = name.substr(kPrefix.size());
        if (std::find(known.begin(), known.end(), rest) != known.end()) return;
        const std::string near = text::nearest_word(rest.substr(0, 100), known);
        if (near.empty()) return;
        complain("$" + displayable(name.substr(0, 100)),
                 "is not a setting; did you mean '" + std::string(kPrefix) + near + "'?");
    }

    void take_overrides() {
        std::map<std::string, Texts> lists;
        std::vector<const Override*> firsts;
        for (const Override& each : source_.overrides) {
            const Setting* setting = find_setting(each.key);
            if (setting == nullptr) {
                complain(each.from, "there is no setting '" + each.key + "'" + meant_key(each.key));
                continue;
            }
            if (setting->kind != Kind::kTexts && setting->kind != Kind::kTable) {
                give(*setting, from_text(*setting, each.value), each.from);
                continue;
            }
            auto item = from_item(*setting, each.value);
            if (!item) {
                complain(each.from, setting->key + " " + item.error());
                continue;
            }
            Texts& items = lists[each.key];
            if (items.empty()) firsts.push_back(&each);
            items.push_back(std::get<Texts>(*item).front());
        }
        for (const Override* first : firsts) {
            give(*find_setting(first->key), Value(lists[first->key]), first->from);
        }
    }

    void list_items(Configuration& configuration) const {
        configuration.file = file_;
        for (const Setting& setting : all_settings()) {
            const auto origin = origins_.find(setting.key);
            const bool is_default = origin == origins_.end();
            configuration.items.push_back({setting.key, to_toml(setting, setting.read(draft_)),
                                           is_default ? "default" : origin->second, is_default});
        }
    }

    static constexpr std::string_view kPrefix = "PADDOCK_";

    const Source& source_;
    Variables variables_;
    std::string file_;
    bool has_workspace_ = false;
    Draft draft_;
    Origins origins_;
    std::vector<Problem> problems_;
};

}  // namespace

tl::expected<Configuration, std::vector<Problem>> load_from(const Source& source,
                                                            const std::optional<ConfigFile>& file) {
    return Loader(source).run(file);
}

tl::expected<Configuration, std::vector<Problem>> load(const Source& source) {
    const auto file = read_config_file(source.file, Variables(source.environment));
    if (file) return load_from(source, *file);
    // What else is wrong is told too.
    std::vector<Problem> problems{file.error()};
    if (auto rest = load_from(source, std::nullopt); !rest) {
        problems.insert(problems.end(), rest.error().begin(), rest.error().end());
    }
    return tl::unexpected(std::move(problems));
}

}  // namespace paddock::config
