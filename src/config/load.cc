// Gathers what file, environment and overrides say into a draft, then makes options of it.
#include "config/load.h"

#include <algorithm>
#include <map>

#include <paddock/limits.h>

#include "base/display.h"
#include "config/finish.h"
#include "config/setting.h"
#include "config/words.h"
#include "text/similar.h"

namespace paddock::config {
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
        return ": address space has no limit any more; 'bash.limits.memory_bytes' limits memory";
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
            complain(at(leaf.key), table.key + ": '" + displayable(name) + "' is no name");
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
            if (!home) return tl::unexpected(std::string("begins with ~, and there is no $HOME"));
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
                 "is no setting; did you mean '" + std::string(kPrefix) + near + "'?");
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
