#include "config/words.h"

#include <algorithm>
#include <array>
#include <charconv>

#include <paddock/limits.h>

#include "base/display.h"
#include "base/reason.h"
#include "base/utf8.h"
#include "text/edit.h"
#include "text/names.h"

namespace paddock::config {
namespace {

using Words = std::vector<std::string>;

tl::unexpected<std::string> wrong(std::string why) {
    return tl::unexpected<std::string>(std::move(why));
}

std::string quoted(std::string_view text) { return "'" + displayable(text.substr(0, 100)) + "'"; }

// "100", "64K". Nothing if it is no such number.
std::optional<std::uint64_t> number_of(std::string_view text, bool with_unit) {
    std::uint64_t value = 0;
    const char* last = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data(), last, value);
    if (error != std::errc()) return std::nullopt;
    const std::string_view unit(end, static_cast<std::size_t>(last - end));
    if (unit.empty()) return value;
    constexpr std::string_view kUnits = "KMGT";
    const std::size_t place = kUnits.find(unit[0]);
    if (!with_unit || unit.size() > 1 || place == kUnits.npos) return std::nullopt;
    const unsigned shift = 10 * (static_cast<unsigned>(place) + 1);
    if (value > std::numeric_limits<std::uint64_t>::max() >> shift) return std::nullopt;
    return value << shift;
}

Decoded in_range(const Setting& setting, std::optional<std::uint64_t> number) {
    if (number && *number >= setting.least && *number <= setting.most) return Value(*number);
    std::string text = "is not a whole number";
    if (setting.kind == Kind::kBytes) text = "is not a size such as 1000000 or \"64M\"";
    if (number) text = "is out of range";
    text += "; it takes " + std::to_string(setting.least) + " or more";
    const bool bounded = setting.most < std::numeric_limits<std::uint32_t>::max();
    return wrong(text + (bounded ? ", " + std::to_string(setting.most) + " at most" : ""));
}

Decoded one_of(const Setting& setting, std::string_view word) {
    const Words& valid = setting.choices;
    if (std::find(valid.begin(), valid.end(), word) != valid.end()) return Value(std::string(word));
    std::string text = quoted(word) + " is not one of";
    for (const std::string& each : valid) text += (&each == &valid.front() ? " " : ", ") + each;
    return wrong(text + meant(word, valid));
}

// "NAME=value".
bool is_assignment(const std::string& text) { return text.find('=', 1) != text.npos; }

Decoded list_of(const Setting& setting, Words items) {
    if (items.size() > limits::kConfigItemsMax) {
        return wrong("has more than " + std::to_string(limits::kConfigItemsMax) + " items");
    }
    for (const std::string& item : items) {
        if (item.empty()) return wrong("has an empty item");
        if (item.find('\0') != item.npos) return wrong("contains a NUL character");
        if (setting.kind != Kind::kTable || is_assignment(item)) continue;
        // It is not repeated: it may be a secret.
        return wrong("takes items of the form NAME=value");
    }
    return Value(std::move(items));
}

// A list as TOML writes it, or separated by commas.
Decoded list_in(const Setting& setting, std::string_view text) {
    if (text.starts_with('[')) {
        const TomlDocument document = parse_toml("list = " + std::string(text));
        const auto* items = document.leaves.size() == 1
                                ? std::get_if<Words>(&document.leaves.front().content)
                                : nullptr;
        if (items == nullptr) return wrong("is not a list such as [\"one\", \"two\"]");
        return list_of(setting, *items);
    }
    Words items;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(','), text.size());
        items.emplace_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return list_of(setting, std::move(items));
}

std::string list_text(const Words& items) {
    std::string text = "[";
    for (const std::string& item : items) {
        text += (text.size() == 1 ? "" : ", ") + toml_string(item);
    }
    return text + "]";
}

std::string table_text(const Setting& setting, const Words& items) {
    std::string text = "{";
    for (const std::string& item : items) {
        const std::size_t equals = item.find('=', 1);
        const std::string value = setting.is_secret ? "..." : item.substr(equals + 1);
        text += (text.size() == 1 ? " " : ", ") + toml_string(item.substr(0, equals)) + " = " +
                toml_string(value);
    }
    return text + (text.size() == 1 ? "}" : " }");
}

}  // namespace

std::string meant(std::string_view typed, const std::vector<std::string>& valid) {
    const std::string near = text::nearest_word(typed.substr(0, 100), valid);
    return near.empty() ? "" : "; did you mean '" + near + "'?";
}

Decoded from_text(const Setting& setting, std::string_view text) {
    if (!is_utf8(text) || text.find('\0') != text.npos) return wrong("is not text in UTF-8");
    switch (setting.kind) {
        case Kind::kSwitch: {
            const auto on = switch_of(text);
            if (!on) return wrong(quoted(text) + " is neither true nor false");
            return Value(*on);
        }
        case Kind::kNumber: return in_range(setting, number_of(text, false));
        case Kind::kBytes: return in_range(setting, number_of(text, true));
        case Kind::kText:
        case Kind::kFile: return Value(std::string(text));
        case Kind::kChoice: return one_of(setting, text);
        case Kind::kTexts:
        case Kind::kTable: return list_in(setting, text);
    }
    return wrong("has no kind");
}

Decoded from_item(const Setting& setting, std::string_view text) {
    if (!is_utf8(text)) return wrong("is not text in UTF-8");
    return list_of(setting, {std::string(text)});
}

Decoded from_toml(const Setting& setting, const TomlValue& value) {
    if (const auto* unfit = std::get_if<Unfit>(&value)) {
        return wrong("does not take " + std::string(unfit->what));
    }
    if (const auto* text = std::get_if<std::string>(&value)) {
        if (text->find('\0') != text->npos) return wrong("contains a NUL character");
    }
    switch (setting.kind) {
        case Kind::kSwitch:
            if (const auto* on = std::get_if<bool>(&value)) return Value(*on);
            return wrong("takes true or false");
        case Kind::kNumber:
        case Kind::kBytes:
            if (const auto* number = std::get_if<std::int64_t>(&value)) {
                if (*number < 0) return in_range(setting, std::nullopt);
                return in_range(setting, static_cast<std::uint64_t>(*number));
            }
            if (const auto* text = std::get_if<std::string>(&value)) {
                if (setting.kind == Kind::kBytes) return in_range(setting, number_of(*text, true));
            }
            return in_range(setting, std::nullopt);
        case Kind::kText:
        case Kind::kFile:
        case Kind::kChoice:
            if (const auto* text = std::get_if<std::string>(&value)) {
                return setting.kind == Kind::kChoice ? one_of(setting, *text) : Value(*text);
            }
            return wrong("takes a string");
        case Kind::kTexts:
            if (const auto* items = std::get_if<Words>(&value)) return list_of(setting, *items);
            return wrong("takes a list of strings");
        case Kind::kTable: break;
    }
    return wrong("takes a table: names, each with a string");
}

std::string to_toml(const Setting& setting, const Value& value) {
    if (const auto* on = std::get_if<bool>(&value)) return *on ? "true" : "false";
    if (const auto* number = std::get_if<std::uint64_t>(&value)) return std::to_string(*number);
    if (const auto* text = std::get_if<std::string>(&value)) return toml_string(*text);
    const Words& items = std::get<Words>(value);
    return setting.kind == Kind::kTable ? table_text(setting, items) : list_text(items);
}

}  // namespace paddock::config
