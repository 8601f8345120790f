#include "config/toml_splice.h"

#include <algorithm>

#include "base/blanks.h"
#include "config/toml.h"

namespace paddock::config {
namespace {

using Names = std::vector<std::string>;

bool is_below(const Names& path, const Names& table) {
    return path.size() >= table.size() && std::equal(table.begin(), table.end(), path.begin());
}

std::string problem_of(const TomlDocument& document) {
    return "line " + std::to_string(document.wrong->line) + ", column " +
           std::to_string(document.wrong->column) + ": " + document.problem;
}

const Leaf* find(const TomlDocument& document, const Names& table, const std::string& name) {
    Names path = table;
    path.push_back(name);
    for (const Leaf& leaf : document.leaves) {
        if (leaf.path == path) return &leaf;
    }
    return nullptr;
}

TomlValue value_of(const std::string& written) {
    return parse_toml("x = " + written).leaves.at(0).content;
}

bool has_any(const TomlDocument& document, const Names& table) {
    const auto is_ours = [&](const auto& each) { return is_below(each.path, table); };
    return std::any_of(document.leaves.begin(), document.leaves.end(), is_ours) ||
           std::any_of(document.tables.begin(), document.tables.end(), is_ours);
}

// Everything but the table is as it was.
bool is_kept(const TomlDocument& before, const TomlDocument& after, const Names& table) {
    const auto others = [&](const TomlDocument& document) {
        std::vector<std::pair<Names, TomlValue>> all;
        for (const Leaf& leaf : document.leaves) {
            if (!is_below(leaf.path, table)) all.emplace_back(leaf.path, leaf.content);
        }
        return all;
    };
    return others(before) == others(after);
}

std::size_t line_begin(std::string_view text, std::uint32_t line) {
    std::size_t at = 0;
    for (std::uint32_t i = 1; i < line; ++i)
        at = std::min(text.find('\n', at), text.size() - 1) + 1;
    return at;
}

std::size_t offset_of(std::string_view text, Place place) {
    std::size_t at = line_begin(text, place.line);
    for (std::uint32_t column = 1; column < place.column && at < text.size(); ++column) {
        ++at;
        while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U) ++at;
    }
    return at;
}

std::string lines_of(const std::vector<TomlEntry>& entries) {
    std::string lines;
    for (const auto& [name, value] : entries) {
        lines.append(name).append(" = ").append(value).append("\n");
    }
    return lines;
}

// The lines of a text, each with its end.
std::vector<std::string_view> lines_in(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const std::size_t size = std::min(text.find('\n'), text.size() - 1) + 1;
        lines.push_back(text.substr(0, size));
        text.remove_prefix(size);
    }
    return lines;
}

// Does the line open this table, or one below it?
bool opens(std::string_view line, const Names& table) {
    const TomlDocument head = parse_toml(trimmed(line));
    return std::any_of(head.tables.begin(), head.tables.end(),
                       [&](const TableHead& each) { return is_below(each.path, table); });
}

std::string joined(const std::vector<std::string_view>& lines) {
    std::string text;
    for (const std::string_view line : lines) text += line;
    return text;
}

// Puts entries that the table does not have yet behind its head.
std::string added(std::string text, const TomlDocument& document, const Names& table,
                  const std::vector<TomlEntry>& missing) {
    for (const TableHead& head : document.tables) {
        if (head.path != table) continue;
        const std::size_t begin = line_begin(text, head.place.line);
        if (!trimmed(std::string_view(text).substr(begin)).starts_with('[')) break;
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        if (end == text.size()) text += '\n';
        return text.insert(end + 1, lines_of(missing));
    }
    if (!text.empty() && !text.ends_with('\n')) text += '\n';
    if (!text.empty()) text += '\n';
    return text + "[" + dotted(table) + "]\n" + lines_of(missing);
}

}  // namespace

Spliced set_entries(std::string_view text, const std::vector<std::string>& table,
                    const std::vector<TomlEntry>& entries) {
    const TomlDocument before = parse_toml(text);
    if (before.wrong) return tl::unexpected(problem_of(before));
    std::string changed(text);
    std::vector<TomlEntry> missing;
    std::vector<std::pair<const Leaf*, const TomlEntry*>> present;
    for (const TomlEntry& entry : entries) {
        const Leaf* leaf = find(before, table, entry.name);
        if (leaf == nullptr) missing.push_back(entry);
        if (leaf != nullptr) present.emplace_back(leaf, &entry);
    }
    // From behind, so that the places before stay what they are.
    std::sort(present.begin(), present.end(),
              [](const auto& a, const auto& b) { return b.first->value < a.first->value; });
    for (const auto& [leaf, entry] : present) {
        if (leaf->content == value_of(entry->value)) continue;
        const std::size_t begin = offset_of(changed, leaf->value);
        changed.replace(begin, offset_of(changed, leaf->end) - begin, entry->value);
    }
    if (!missing.empty()) changed = added(std::move(changed), before, table, missing);
    const TomlDocument after = parse_toml(changed);
    const bool is_set = std::all_of(entries.begin(), entries.end(), [&](const TomlEntry& entry) {
        const Leaf* leaf = find(after, table, entry.name);
        return leaf != nullptr && leaf->content == value_of(entry.value);
    });
    if (after.wrong || !is_set || !is_kept(before, after, table)) {
        return tl::unexpected("'" + dotted(table) + "' is written in an unusual way");
    }
    return changed;
}

Spliced remove_table(std::string_view text, const std::vector<std::string>& table) {
    const TomlDocument before = parse_toml(text);
    if (before.wrong) return tl::unexpected(problem_of(before));
    if (!has_any(before, table)) return std::string(text);
    std::vector<std::string_view> kept;
    std::vector<std::string_view> trailing;  // blank lines and comments that may be another's
    bool inside = false;
    for (const std::string_view line : lines_in(text)) {
        const std::string_view content = trimmed(line);
        if (content.starts_with('[')) {
            const bool was_inside = inside;
            inside = opens(content, table);
            if (!inside) kept.insert(kept.end(), trailing.begin(), trailing.end());
            trailing.clear();
            // The empty line before it came with it.
            if (inside && !was_inside && !kept.empty() && trimmed(kept.back()).empty()) {
                kept.pop_back();
            }
        }
        if (!inside) {
            kept.push_back(line);
        } else if (content.empty() || content.starts_with('#')) {
            trailing.push_back(line);
        } else {
            trailing.clear();
        }
    }
    kept.insert(kept.end(), trailing.begin(), trailing.end());
    std::string changed = joined(kept);
    const TomlDocument after = parse_toml(changed);
    if (after.wrong || has_any(after, table) || !is_kept(before, after, table)) {
        return tl::unexpected("'" + dotted(table) + "' is written in an unusual way");
    }
    return changed;
}

}  // namespace paddock::config
