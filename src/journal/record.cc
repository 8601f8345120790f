#include "journal/record.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <span>
#include <utility>

#include "text/names.h"

namespace paddock::journal {
namespace {

constexpr std::array<std::string_view, 14> kVerbs{
    "call",  "make",  "made",   "link",  "rename", "exchange", "replace",
    "write", "chmod", "remove", "state", "done",   "reverts",  "failed"};
constexpr std::string_view kTypes = "?fdlpscb";  // by FileType
constexpr std::string_view kKeepings = "-icoe";  // by Keeping
constexpr std::size_t kFields = 17;              // with the final ";"

bool needs_escape(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte <= ' ' || byte == '\\' || byte == 0x7F;
}

void append_escape(std::string& text, char c) {
    const auto byte = static_cast<unsigned char>(c);
    const auto digit = [byte](int shift) { return static_cast<char>('0' + ((byte >> shift) & 7)); };
    text += {'\\', digit(6), digit(3), digit(0)};
}

void append_name(std::string& text, std::string_view name) {
    if (name.empty()) {
        text += '-';
    } else if (name == "-") {
        append_escape(text, '-');
    } else if (std::none_of(name.begin(), name.end(), needs_escape)) {
        text += name;
    } else {
        for (const char c : name) needs_escape(c) ? append_escape(text, c) : text.push_back(c);
    }
    text += ' ';
}

template <class Number>
void append_number(std::string& text, Number number) {
    std::array<char, 24> digits;
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
    text.append(digits.data(), end);
    text += ' ';
}

template <class Number>
bool parse_number(std::string_view field, Number& number) {
    const char* end = field.data() + field.size();
    const auto [rest, error] = std::from_chars(field.data(), end, number);
    return error == std::errc() && rest == end;
}

template <class Letters, class Enum>
bool parse_letter(std::string_view field, const Letters& letters, Enum& value) {
    const std::size_t index = field.size() == 1 ? letters.find(field[0]) : letters.npos;
    if (index == letters.npos) return false;
    value = static_cast<Enum>(index);
    return true;
}

bool parse_object(std::span<const std::string_view> fields, Object& object) {
    return parse_number(fields[0], object.inode) && parse_number(fields[1], object.birth);
}

}  // namespace

void append_line(std::string& text, const Record& record) {
    append_number(text, record.time);
    text += {record.writer, ' '};
    append_number(text, record.call);
    text += kVerbs[static_cast<std::size_t>(record.verb)];
    text += ' ';
    append_name(text, record.path);
    append_name(text, record.other);
    for (const Object& object : {record.object, record.second}) {
        append_number(text, object.inode);
        append_number(text, object.birth);
    }
    text += {kTypes[static_cast<std::size_t>(record.type)], ' '};
    append_number(text, record.mode);
    append_number(text, record.size);
    append_number(text, record.changed);
    text += {kKeepings[static_cast<std::size_t>(record.keeping)], ' '};
    append_name(text, record.kept);
    text += ";\n";
}

Log::Log(std::string text) : text_(std::move(text)) {
    const std::string_view whole = text_;
    for (std::size_t begin = 0; begin < whole.size();) {
        const std::size_t end = std::min(whole.find('\n', begin), whole.size());
        if (auto record = parse(whole.substr(begin, end - begin))) {
            record->position = begin;
            records_.push_back(*record);
        }
        begin = end + 1;
    }
}

std::optional<std::string_view> Log::parse_name(std::string_view field) {
    if (field == "-") return std::string_view();
    if (field.find('\\') == field.npos) return field;
    auto name = text::unescape(field);
    if (!name) return std::nullopt;
    return unescaped_.emplace_back(std::move(*name));
}

std::optional<Record> Log::parse(std::string_view line) {
    std::array<std::string_view, kFields> fields;
    for (std::size_t i = 0; i < kFields; ++i) {
        const std::size_t end = std::min(line.find(' '), line.size());
        fields[i] = line.substr(0, end);
        if (fields[i].empty()) return std::nullopt;
        line.remove_prefix(std::min(end + 1, line.size()));
    }
    if (!line.empty() || fields.back() != ";") return std::nullopt;

    Record record;
    const auto* const verb = std::find(kVerbs.begin(), kVerbs.end(), fields[3]);
    if (verb == kVerbs.end() || fields[1].size() != 1) return std::nullopt;
    record.verb = static_cast<Verb>(verb - kVerbs.begin());
    record.writer = fields[1][0];
    const std::span<const std::string_view> all = fields;
    const auto path = parse_name(fields[4]);
    const auto other = parse_name(fields[5]);
    const auto kept = parse_name(fields[15]);
    const bool good =
        path && other && kept && parse_number(fields[0], record.time) &&
        parse_number(fields[2], record.call) && parse_object(all.subspan(6), record.object) &&
        parse_object(all.subspan(8), record.second) &&
        parse_letter(fields[10], kTypes, record.type) && parse_number(fields[11], record.mode) &&
        parse_number(fields[12], record.size) && parse_number(fields[13], record.changed) &&
        parse_letter(fields[14], kKeepings, record.keeping);
    if (!good) return std::nullopt;
    record.path = *path;
    record.other = *other;
    record.kept = *kept;
    return record;
}

}  // namespace paddock::journal
