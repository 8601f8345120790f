#include "config/toml.h"

#include <algorithm>

#include <paddock/config.h>
#include <paddock/limits.h>

#include "base/display.h"
#include "base/text.h"
#include "config/settings.h"
#include "config/words.h"

#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#define TOML_MAX_NESTED_VALUES 16
#include <toml++/toml.h>

namespace paddock::config {
namespace {

struct Objection {
    Place place;
    std::string why;
};

// toml++ 3.3 has undefined behaviour when it asks whether a character beyond ASCII is white space.
// It asks everywhere but in comments and in strings of one line, and wherever it meets an error. So
// a text has to pass two checks before the parser sees such a character: Scan finds it in a
// well-formed text, and the parse of ascii_twin() proves that the text is well-formed.

// Finds keys with too many dots, and characters beyond ASCII that stand in a wrong place. Up to the
// first error of a text it agrees with the parser about where strings begin and end.
class Scan {
public:
    explicit Scan(std::string_view text) : text_(text) {}

    std::optional<Objection> objection() {
        while (at_ < text_.size() && !strange_) {
            const char c = text_[at_];
            if (c == '"' || c == '\'') {
                skip_string(c);
                continue;
            }
            if (c == '#') {
                at_ = std::min(text_.find('\n', at_), text_.size());
                continue;
            }
            if (c == '.' && ++dots_ > limits::kConfigDepthMax) {
                return Objection{place(), "a key has more than " +
                                              std::to_string(limits::kConfigDepthMax + 1) +
                                              " parts"};
            }
            if (is_beyond_ascii(c)) strange_ = place();
            if (c == '\n' || c == ',' || c == '=' || c == '{' || c == '[') dots_ = 0;
            if (c == '\n') line_begin(at_ + 1);
            ++at_;
        }
        if (!strange_) return std::nullopt;
        return Objection{
            *strange_,
            "a character outside ASCII; only comments and single-line strings may contain one"};
    }

private:
    static bool is_beyond_ascii(char c) { return static_cast<unsigned char>(c) > 0x7f; }

    void line_begin(std::size_t at) {
        ++line_;
        begin_ = at;
    }

    Place place() const { return {line_, static_cast<std::uint32_t>(at_ - begin_ + 1)}; }

    // A string that is not closed ends with its line, or with the text if it may have several: the
    // parser stops there too.
    void skip_string(char quote) {
        const std::string three(3, quote);
        const bool is_long = text_.substr(at_, 3) == three;
        at_ += is_long ? 3 : 1;
        for (; at_ < text_.size(); ++at_) {
            const char c = text_[at_];
            if (is_long && is_beyond_ascii(c) && !strange_) strange_ = place();
            if (c == '\n') {
                if (!is_long) return;
                line_begin(at_ + 1);
            } else if (c == '\\' && quote == '"') {
                if (at_ + 1 < text_.size() && text_[at_ + 1] != '\n') ++at_;
            } else if (is_long ? text_.substr(at_, 3) == three : c == quote) {
                at_ += is_long ? 3 : 1;
                return;
            }
        }
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::size_t begin_ = 0;
    std::uint32_t line_ = 1;
    std::size_t dots_ = 0;
    std::optional<Place> strange_;
};

// The text with each byte beyond ASCII as "~" and two digits: TOML allows both in the same places,
// and two names that differ still do.
std::string ascii_twin(std::string_view text) {
    constexpr char kHex[] = "0123456789abcdef";
    std::string twin;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x80 && c != '~') {
            twin += c;
        } else {
            twin += {'~', kHex[byte >> 4], kHex[byte & 15]};
        }
    }
    return twin;
}

// Where a place of the twin is in the text.
Place untwinned(Place place, std::string_view twin) {
    for (std::uint32_t line = 1; line < place.line; ++line) {
        twin.remove_prefix(std::min(twin.find('\n'), twin.size() - 1) + 1);
    }
    const std::string_view before = twin.substr(0, place.column - 1);
    for (std::size_t at = before.find('~'); at != before.npos; at = before.find('~', at + 1)) {
        const bool is_character = before.substr(at + 1, 1).find_first_of("7cdef") == 0;
        place.column -= is_character ? 2 : 3;
    }
    return place;
}

Place place_of(const toml::source_region& region) {
    return {region.begin.line, region.begin.column};
}

TomlValue texts_of(const toml::array& array) {
    std::vector<std::string> texts;
    for (const toml::node& item : array) {
        const auto* text = item.as_string();
        if (text == nullptr) return Unfit{"a list that contains anything but strings"};
        texts.push_back(text->get());
    }
    return texts;
}

TomlValue value_of(const toml::node& node) {
    switch (node.type()) {
        case toml::node_type::boolean: return node.as_boolean()->get();
        case toml::node_type::integer: return node.as_integer()->get();
        case toml::node_type::string: return node.as_string()->get();
        case toml::node_type::array: return texts_of(*node.as_array());
        case toml::node_type::floating_point: return Unfit{"a number with a fraction"};
        default: return Unfit{"a date or a time"};
    }
}

// Depth is bounded by the scan before and by the parser.
void collect(const toml::table& table, std::vector<std::string>& path, TomlDocument& document) {
    for (const auto& [key, node] : table) {
        path.emplace_back(key.str());
        if (const auto* inner = node.as_table()) {
            document.tables.push_back({path, place_of(key.source())});
            collect(*inner, path, document);
        } else {
            document.leaves.push_back({path,
                                       place_of(key.source()),
                                       place_of(node.source()),
                                       {node.source().end.line, node.source().end.column},
                                       value_of(node)});
        }
        path.pop_back();
    }
}

TomlDocument refused(Place place, std::string problem) {
    TomlDocument document;
    document.wrong = place;
    document.problem = std::move(problem);
    return document;
}

}  // namespace

TomlDocument parse_toml(std::string_view text) {
    if (text.size() > limits::kConfigBytesMax) {
        return refused({1, 1},
                       "is larger than " + std::to_string(limits::kConfigBytesMax / 1024) + " kB");
    }
    constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
    const std::string_view body = text.starts_with(kByteOrderMark) ? text.substr(3) : text;
    if (const auto objection = Scan(body).objection()) {
        return refused(objection->place, objection->why);
    }
    const std::string twin = ascii_twin(body);
    if (const toml::parse_result result = toml::parse(twin); !result) {
        const toml::parse_error& error = result.error();
        return refused(untwinned(place_of(error.source()), twin), displayable(error.description()));
    }
    const toml::parse_result result = toml::parse(body);
    if (!result) {
        const toml::parse_error& error = result.error();
        return refused(place_of(error.source()), displayable(error.description()));
    }
    TomlDocument document;
    std::vector<std::string> path;
    collect(result.table(), path, document);
    std::stable_sort(document.leaves.begin(), document.leaves.end(),
                     [](const Leaf& a, const Leaf& b) { return a.key < b.key; });
    return document;
}

std::string dotted(const std::vector<std::string>& path) {
    std::string text;
    for (const std::string& name : path) text += (text.empty() ? "" : ".") + name;
    return text;
}

std::string toml_string(std::string_view text) {
    std::string quoted = "\"";
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            quoted += '\\';
            quoted += c;
        } else if (byte < 0x20 || byte == 0x7f) {
            constexpr char kHex[] = "0123456789abcdef";
            quoted += "\\u00";
            quoted += kHex[byte >> 4];
            quoted += kHex[byte & 15];
        } else {
            quoted += c;
        }
    }
    return quoted + "\"";
}

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
        return tl::unexpected("'" + dotted(table) + "' has an unusual form");
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
        return tl::unexpected("'" + dotted(table) + "' has an unusual form");
    }
    return changed;
}

namespace {

constexpr std::size_t kWidth = 96;

std::string comment(const std::string& text) {
    std::string lines;
    std::string line = "#";
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find(' ', begin), text.size());
        const std::string word = text.substr(begin, end - begin);
        begin = end + 1;
        if (line.size() + 1 + word.size() > kWidth) {
            lines += line + "\n";
            line = "#";
        }
        line += " " + word;
    }
    return lines + line + "\n";
}

std::string table_of(const Setting& setting) {
    return setting.key.substr(0, setting.key.rfind('.'));
}

std::string explained(const Setting& setting) {
    std::string text = setting.help + ".";
    if (setting.kind == Kind::kChoice) {
        text += " One of";
        for (const std::string& word : setting.choices) {
            text += (&word == &setting.choices.front() ? " " : ", ") + word;
        }
        text += ".";
    }
    if (setting.weakens) text += " Any other value weakens security.";
    return comment(text);
}

}  // namespace

std::string commented_file() {
    std::string text = comment(
                           "The configuration of paddock. Every setting is listed with its default "
                           "or an example. To change a setting, remove the '#' before its line.") +
                       comment(
                           "'paddock config show' lists the effective values and their origins, "
                           "'paddock config check' reports errors.");
    std::string table;
    for (const Setting& setting : all_settings()) {
        if (table_of(setting) != table) {
            table = table_of(setting);
            text += "\n#[" + table + "]\n";
        }
        const std::string name = setting.key.substr(setting.key.rfind('.') + 1);
        const std::string value =
            setting.example.empty() ? to_toml(setting, setting.default_value()) : setting.example;
        text += explained(setting);
        text.append("#").append(name).append(" = ").append(value).append("\n");
    }
    return text;
}

}  // namespace paddock::config
