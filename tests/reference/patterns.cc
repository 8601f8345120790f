#include "reference/patterns.h"

#include <iterator>
#include <string_view>

namespace paddock::reference {
namespace {

struct Border {
    std::string_view ours;
    std::string_view theirs;
};
constexpr Border kBorders[] = {{"^", "^"}, {"\\b", "(?-u:\\b)"}};

void add_atom(Random& random, Pattern& pattern, const Words& words, int depth) {
    switch (random() % (depth > 0 ? 12 : 10)) {
        case 0: return pattern.add(".");
        case 1: return pattern.add("\\w", "(?-u:\\w)");
        case 2: return pattern.add("\\d", "(?-u:\\d)");
        case 3: return pattern.add("\\s", "(?-u:\\s)");
        case 4:
            return pattern.add(
                pick(random, {"[a-m]", "[^a-z ]", "[_A-Z]", "[0-9x]", "[\xce\xb1-\xcf\x89]",
                              "[[:alpha:]]", "\\p{Greek}", "[sk]"}));
        case 5: return pattern.add(pick(random, {"\\.", "\\(", "=", "_", " "}));
        case 10:
        case 11: {
            pattern.add(pick(random, {"(", "(?:"}));
            const auto branches = 1 + random() % 3;
            for (std::size_t i = 0; i < branches; ++i) {
                if (i > 0) pattern.add("|");
                add_atom(random, pattern, words, depth - 1);
                if (random() % 2 == 0) add_atom(random, pattern, words, depth - 1);
            }
            return pattern.add(")");
        }
        default: {
            std::string word = pick(random, words);
            if (word.find_first_of(".()") != word.npos) word = "foo";
            const bool plain = static_cast<unsigned char>(word[0]) < 0x80;
            if (plain && random() % 3 == 0) word = word.substr(0, 1 + random() % word.size());
            while (static_cast<unsigned char>(word.back()) >= 0xc0) word.pop_back();
            return pattern.add(word.empty() ? "a" : word);
        }
    }
}

}  // namespace

void Pattern::leave_border_out() {
    for (const Border& border : kBorders) {
        if (!ours.starts_with(border.ours)) continue;
        ours.erase(0, border.ours.size());
        theirs.erase(0, border.theirs.size());
    }
}

const std::string& pick(Random& random, const Words& from) { return from[random() % from.size()]; }

const Words& made_up_words() {
    static const Words words = {
        "alpha",        "beta",   "Gamma", "static", "int",    "foo_bar",
        "sk",           "KELVIN", "x1",    "42",     "return", "\xce\xb1\xce\xb2",
        "na\xc3\xafve", "(a)",    "a.b",   "\t",     "==",     "__init"};
    return words;
}

const Words& header_words() {
    static const Words words = {"struct", "define",   "__",        "size_t", "inline",  "0x",
                                "return", "unsigned", "std",       "const",  "include", "ifdef",
                                "void",   "endif",    "Copyright", "->",     "::",      "namespace",
                                "_MAX",   "template", "u32",       "the",    "SPDX"};
    return words;
}

Pattern random_pattern(Random& random, const Words& words) {
    Pattern pattern;
    if (random() % 8 == 0) {
        const Border& border = kBorders[random() % std::size(kBorders)];
        pattern.add(std::string(border.ours), std::string(border.theirs));
    }
    const auto atoms = 1 + random() % 4;
    for (std::size_t i = 0; i < atoms; ++i) {
        add_atom(random, pattern, words, 2);
        // A word before a repetition repeats its last letter only, in both.
        if (random() % 4 == 0)
            pattern.add(pick(random, {"*", "+", "?", "{2}", "{1,3}", "{2,}", "*?"}));
    }
    if (random() % 8 == 0) pattern.add("$");
    if (random() % 10 == 0) pattern.add("|" + pick(random, {"alpha", "Gamma", "zzz"}));
    return pattern;
}

std::string random_text(Random& random) {
    std::string text;
    const std::string feed = random() % 5 == 0 ? "\r\n" : "\n";
    for (auto lines = random() % 40; lines > 0; --lines) {
        for (auto words = random() % 7; words > 0; --words) {
            text += pick(random, made_up_words());
            if (random() % 3 != 0) text += ' ';
        }
        if (random() % 40 == 0) text += "\xff\xfe";
        text += feed;
    }
    if (random() % 4 == 0 && !text.empty()) text.pop_back();
    return text;
}

}  // namespace paddock::reference
