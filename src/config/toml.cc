#include "config/toml.h"

#include <algorithm>

#include <paddock/limits.h>

#include "base/display.h"

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
        return Objection{*strange_,
                         "a character beyond ASCII; comments and strings of one line may have it"};
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
        if (text == nullptr) return Unfit{"a list of something else than strings"};
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

}  // namespace paddock::config
