#include "text/fold.h"

#include <algorithm>
#include <array>

#include "base/ascii.h"

namespace paddock::text {
namespace {

constexpr std::string_view kBlanks = " \t\r\v\f";

struct Folded {
    std::string_view from;
    std::string_view to;
};

constexpr std::array<Folded, 39> kPunctuation{{
    {"\xC2\xA0", " "},      {"\xE2\x80\x82", " "},  {"\xE2\x80\x83", " "},  {"\xE2\x80\x84", " "},
    {"\xE2\x80\x85", " "},  {"\xE2\x80\x86", " "},  {"\xE2\x80\x87", " "},  {"\xE2\x80\x88", " "},
    {"\xE2\x80\x89", " "},  {"\xE2\x80\x8A", " "},  {"\xE2\x80\x8B", ""},   {"\xE2\x80\x8C", ""},
    {"\xE2\x80\x8D", ""},   {"\xE2\x80\x90", "-"},  {"\xE2\x80\x91", "-"},  {"\xE2\x80\x92", "-"},
    {"\xE2\x80\x93", "-"},  {"\xE2\x80\x94", "-"},  {"\xE2\x80\x95", "-"},  {"\xE2\x80\x98", "'"},
    {"\xE2\x80\x99", "'"},  {"\xE2\x80\x9A", "'"},  {"\xE2\x80\x9B", "'"},  {"\xE2\x80\x9C", "\""},
    {"\xE2\x80\x9D", "\""}, {"\xE2\x80\x9E", "\""}, {"\xE2\x80\x9F", "\""}, {"\xE2\x80\xA6", "..."},
    {"\xE2\x80\xAF", " "},  {"\xE2\x80\xB2", "'"},  {"\xE2\x80\xB3", "\""}, {"\xE2\x81\x9F", " "},
    {"\xE2\x81\xA0", ""},   {"\xE2\x88\x92", "-"},  {"\xE3\x80\x80", " "},  {"\xEF\xBB\xBF", ""},
    {"\xEF\xBC\x8C", ","},  {"\xEF\xBC\x9A", ":"},  {"\xEF\xBC\x9B", ";"},
}};

const Folded* folded_at(std::string_view rest) noexcept {
    const auto* found = std::find_if(kPunctuation.begin(), kPunctuation.end(),
                                     [&](const Folded& f) { return rest.starts_with(f.from); });
    return found == kPunctuation.end() ? nullptr : found;
}

bool may_fold(char c) noexcept { return c == '\xC2' || c == '\xE2' || c == '\xE3' || c == '\xEF'; }

}  // namespace

std::string_view trim_end(std::string_view line) noexcept {
    return line.substr(0, line.find_last_not_of(kBlanks) + 1);
}

std::string_view trim(std::string_view line) noexcept {
    line = trim_end(line);
    line.remove_prefix(std::min(line.find_first_not_of(kBlanks), line.size()));
    return line;
}

std::string fold_punctuation(std::string_view text) {
    std::string folded;
    folded.reserve(text.size());
    for (std::size_t i = 0; i < text.size();) {
        const Folded* found = may_fold(text[i]) ? folded_at(text.substr(i)) : nullptr;
        if (found == nullptr) {
            folded += text[i++];
            continue;
        }
        folded += found->to;
        i += found->from.size();
    }
    return folded;
}

std::string fold_blanks(std::string_view text) {
    std::string folded;
    folded.reserve(text.size());
    bool blank = false;
    for (const char c : text) {
        if (c == ' ' || c == '\t') {
            blank = true;
            continue;
        }
        const bool line_start = folded.empty() || folded.back() == '\n';
        if (blank && c != '\n' && !line_start) folded += ' ';
        blank = false;
        folded += c;
    }
    return folded;
}

std::string fold_line_ends(std::string_view text) {
    std::string folded;
    folded.reserve(text.size());
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        folded += trim_end(text.substr(0, end));
        if (end < text.size()) folded += '\n';
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return folded;
}

std::string fold_case(std::string_view text) {
    std::string folded(text);
    for (char& c : folded) c = lowered(c);
    return folded;
}

}  // namespace paddock::text
