// edit_file changes the span it was asked to change, and no other byte of the file: whatever the
// encoding, the line endings, the byte order mark and the end of the file are.
#include <gtest/gtest.h>

#include <paddock/tools.h>

#include "base/utf8.h"
#include "escape/in_memory.h"
#include "json/write.h"
#include "reference/drafts.h"

namespace paddock::reference {
namespace {

using Text = std::u32string;

enum class Form { kUtf8, kUtf8Marked, kUtf16Little, kUtf16Big, kLatin1 };

void put_utf16(std::string& bytes, char32_t unit, bool little) {
    const char low = static_cast<char>(unit & 0xFFU);
    const char high = static_cast<char>(unit >> 8U);
    bytes += little ? low : high;
    bytes += little ? high : low;
}

std::string encoded(const Text& text, Form form) {
    std::string bytes;
    for (const char32_t c : text) {
        if (form == Form::kLatin1) {
            bytes += static_cast<char>(c);
        } else if (form == Form::kUtf8 || form == Form::kUtf8Marked) {
            append_utf8(bytes, c);
        } else if (c < 0x10000) {
            put_utf16(bytes, c, form == Form::kUtf16Little);
        } else {
            put_utf16(bytes, 0xD800 + ((c - 0x10000) >> 10U), form == Form::kUtf16Little);
            put_utf16(bytes, 0xDC00 + ((c - 0x10000) & 0x3FFU), form == Form::kUtf16Little);
        }
    }
    return bytes;
}

std::string mark_of(Form form) {
    switch (form) {
        case Form::kUtf8Marked: return "\xEF\xBB\xBF";
        case Form::kUtf16Little: return "\xFF\xFE";
        case Form::kUtf16Big: return "\xFE\xFF";
        default: return {};
    }
}

// What an edit compares: endings count as one.
Text without_carriage_returns(const Text& text) {
    Text plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == U'\r' && i + 1 < text.size() && text[i + 1] == U'\n') continue;
        plain += text[i];
    }
    return plain;
}

std::size_t count(const Text& text, const Text& part) {
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++found;
    return found;
}

// Characters and line endings, none of them cut in two by taking some of the units.
std::vector<Text> random_units(Random& random, Form form, std::size_t most) {
    static const Text kLatin = U"ab c\t{}();\\\"\u00E9\u00FF\u00A0";
    static const Text kAny = kLatin + U"\u03B1\u20AC\U0001F600\u2028";
    const Text& letters = form == Form::kLatin1 ? kLatin : kAny;
    const auto style = random() % 4;  // LF, CRLF, mixed, with a lone CR now and then
    std::vector<Text> units;
    for (std::size_t left = random() % (most + 1); left > 0; --left) {
        if (random() % 6 == 0) {
            units.push_back(style == 0 || (style > 1 && random() % 2 == 0) ? U"\n" : U"\r\n");
        } else if (style == 3 && random() % 12 == 0) {
            units.push_back(U"\r.");
        } else {
            units.emplace_back(1, letters[random() % letters.size()]);
        }
    }
    return units;
}

Text joined(const std::vector<Text>& units, std::size_t begin, std::size_t end) {
    Text text;
    for (std::size_t i = begin; i < end; ++i) text += units[i];
    return text;
}

class EditReference : public testing::InMemory {
protected:
    Workspace open_workspace() const {
        WorkspaceOptions options;
        options.root = ws();
        options.paths.resolver = testing::resolver_under_test();
        options.track_reads = false;
        options.limits.calls_per_second.reset();
        return Workspace::open(options).value();
    }
};

TEST_F(EditReference, keeps_every_other_byte) {
    Random random = random_cases(41);
    const Workspace workspace = open_workspace();
    long edits = 0;
    while (edits < times(3000)) {
        const Form form = static_cast<Form>(random() % 5);
        std::vector<Text> units = random_units(random, form, 60);
        // Bytes that are not UTF-8, or it would be taken for that.
        if (form == Form::kLatin1) units.insert(units.begin(), U"\u00E9 ");
        if (units.empty()) continue;
        const std::size_t begin = random() % units.size();
        const std::size_t end =
            begin + 1 + random() % std::min<std::size_t>(units.size() - begin, 9);
        const Text head = joined(units, 0, begin);
        const Text old = joined(units, begin, end);
        const Text tail = joined(units, end, units.size());
        const Text plain = without_carriage_returns(old);
        Text fresh;
        for (const Text& unit : random_units(random, form, 8)) {
            if (unit.size() == 1 && unit != U"\n") fresh += unit;
        }
        if (fresh == plain || count(without_carriage_returns(head + old + tail), plain) != 1)
            continue;
        // What is left must still be taken for what it was.
        if (form == Form::kLatin1 && begin == 0) continue;
        const Text& written = random() % 2 == 0 ? old : plain;
        os_write(ws("f"), mark_of(form) + encoded(head + old + tail, form));
        const json::Object arguments{{"path", "f"},
                                     {"old_string", encoded(written, Form::kUtf8)},
                                     {"new_string", encoded(fresh, Form::kUtf8)}};
        const tools::Answer answer = tools::call(workspace, "edit_file", json::to_text(arguments));
        ASSERT_FALSE(answer.error) << answer.text();
        ASSERT_EQ(os_read(ws("f")), mark_of(form) + encoded(head + fresh + tail, form))
            << "form " << static_cast<int>(form) << ", old " << ::testing::PrintToString(old);
        ++edits;
    }
}

}  // namespace
}  // namespace paddock::reference
