// A recursive descent over the pattern, as deep as its groups are nested.
#include "search/required.h"

#include <re2/re2.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "search/literal_parts.h"

namespace paddock::search {
namespace {

constexpr int kDepthMax = 100;
constexpr int kClassesMax = 4;  // that RE2 is asked about
constexpr std::size_t kClassCharsMax = 4;
constexpr int kCopiesMax = 8;  // of "x{8}" that are written out

class Reader {
public:
    Reader(std::string_view pattern, Case letters) : rest_(pattern), letters_(letters) {
        // Only here may the case be switched for all that follows.
        if (rest_.starts_with("(?i)")) {
            letters_ = Case::kAsciiInsensitive;
            rest_.remove_prefix(4);
        }
    }

    Required read() {
        Part whole = alternation();
        Required required;
        required.letters = letters_;
        required.newline = newline_;
        if (lost_ || !rest_.empty()) return required;
        const bool is_exact = whole.exact && !whole.asserts;
        whole.loosen();
        std::sort(whole.needed.begin(), whole.needed.end());
        whole.needed.erase(std::unique(whole.needed.begin(), whole.needed.end()),
                           whole.needed.end());
        required.literals = std::move(whole.needed);
        required.exact = is_exact && !required.literals.empty();
        required.non_ascii = whole.non_ascii;
        return required;
    }

private:
    bool at(char c) const { return !rest_.empty() && rest_.front() == c; }
    bool take(std::string_view expected) {
        if (!rest_.starts_with(expected)) return false;
        rest_.remove_prefix(expected.size());
        return true;
    }
    char next() {
        if (rest_.empty()) {
            lost_ = true;
            return '\0';
        }
        const char c = rest_.front();
        rest_.remove_prefix(1);
        return c;
    }
    Part lose() {
        lost_ = true;
        rest_ = {};
        return Part::unknown();
    }

    Part alternation();
    Part sequence();
    Part repeated(Part part);
    Part atom();
    Part group();
    Part escape();
    Part bracket();
    Part character(std::string_view bytes);
    Part char_class(std::string_view spelling);
    bool counts(int& least, int& most);

    std::string_view rest_;
    Case letters_;
    int depth_ = 0;
    int classes_ = 0;
    bool newline_ = false;
    bool lost_ = false;
};

Part Reader::alternation() {
    if (++depth_ > kDepthMax) return lose();
    Part all = sequence();
    while (take("|")) {
        Part other = sequence();
        all = either(std::move(all), std::move(other));
    }
    --depth_;
    return all;
}

Part Reader::sequence() {
    Sequence parts(letters_);
    while (!rest_.empty() && !at('|') && !at(')')) parts.add(repeated(atom()));
    return parts.finish();
}

// `{2}`, `{2,}` and `{2,5}`; anything else in braces is literal text.
bool Reader::counts(int& least, int& most) {
    std::string_view text = rest_.substr(1);
    const auto number = [&text](int& value) {
        const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
        if (digits == 0 || digits > 4) return false;
        value = 0;
        for (const char c : text.substr(0, digits)) value = value * 10 + (c - '0');
        text.remove_prefix(digits);
        return true;
    };
    if (!number(least)) return false;
    most = least;
    if (text.starts_with(',')) {
        text.remove_prefix(1);
        most = -1;
        if (!text.starts_with('}') && !number(most)) return false;
    }
    if (!text.starts_with('}')) return false;
    rest_ = text.substr(1);
    return true;
}

Part Reader::repeated(Part part) {
    for (;;) {
        int least = 1;
        int most = 1;
        if (take("*")) {
            least = 0;
            most = -1;
        } else if (take("+")) {
            most = -1;
        } else if (take("?")) {
            least = 0;
        } else if (!at('{') || !counts(least, most)) {
            return part;
        }
        take("?");
        if (least == 1 && most == 1) continue;
        const bool asserts = part.asserts;
        if (least == 0 && most == 1 && part.exact && part.exact->size() < kStringsMax) {
            part.exact->emplace_back();
        } else if (least == 0) {
            part = Part::unknown();
        } else if (least == most && part.exact && least <= kCopiesMax) {
            Sequence copies(letters_);
            for (int i = 0; i < least; ++i) copies.add(part);
            part = copies.finish();
        } else {
            part.loosen();
        }
        part.asserts = asserts;
    }
}

Part Reader::atom() {
    if (at('(')) return group();
    if (at('[')) return bracket();
    if (at('\\')) return escape();
    if (at('^') || at('$')) {
        next();
        return Part::assertion();
    }
    if (take(".")) return Part::unknown();
    const auto lead = static_cast<unsigned char>(rest_.front());
    const std::size_t bytes = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    if (bytes > rest_.size()) return lose();
    const std::string_view spelled = rest_.substr(0, bytes);
    rest_.remove_prefix(bytes);
    return character(spelled);
}

// Without regard to case, k and s have a third form outside ASCII, and other letters forms that
// only the engine knows.
Part Reader::character(std::string_view bytes) {
    newline_ = newline_ || bytes == "\n";
    if (letters_ == Case::kSensitive) return Part::text(bytes);
    const char c = bytes.front();
    if (bytes.size() > 1 || c == 'k' || c == 'K' || c == 's' || c == 'S') return Part::unknown();
    return Part::text(bytes);
}

Part Reader::group() {
    next();
    if (take("?P<")) {
        const std::size_t end = rest_.find('>');
        if (end == std::string_view::npos) return lose();
        rest_.remove_prefix(end + 1);
    } else if (take("?")) {
        // s, m and U change nothing that is read here.
        while (at('s') || at('m') || at('U') || at('-')) next();
        if (take(")")) {
            // Not a part of its own: a repetition here would be one of what came before.
            const bool repeated_here = at('*') || at('+') || at('?') || at('{');
            return repeated_here ? lose() : Part::text("");
        }
        if (!take(":")) return lose();
    }
    Part inner = alternation();
    if (!take(")")) return lose();
    return inner;
}

Part Reader::escape() {
    const std::string_view start = rest_;
    next();
    const char c = next();
    switch (c) {
        case 'd':
        case 'D':
        case 's':
        case 'S':
        case 'w':
        case 'W': return Part::unknown();
        case 'b':
        case 'B':
        case 'A':
        case 'z': return Part::assertion();
        case 'a': return character("\a");
        case 'f': return character("\f");
        case 'n': return character("\n");
        case 'r': return character("\r");
        case 't': return character("\t");
        case 'v': return character("\v");
        case 'p':
        case 'P': {
            if (next() == '{') {
                const std::size_t end = rest_.find('}');
                if (end == std::string_view::npos) return lose();
                rest_.remove_prefix(end + 1);
            }
            return char_class(start.substr(0, start.size() - rest_.size()));
        }
        default: break;
    }
    const bool punctuation =
        c > ' ' && c < 0x7f && std::isalnum(static_cast<unsigned char>(c)) == 0;
    if (!punctuation) return lose();
    return character(std::string_view(&start[1], 1));
}

Part Reader::bracket() {
    const std::string_view start = rest_;
    next();
    bool simple = !take("^");
    Strings members;
    bool first = true;
    while (!lost_ && (first || !at(']'))) {
        first = false;
        if (take("[:")) {
            const std::size_t end = rest_.find(":]");
            if (end == std::string_view::npos) return lose();
            rest_.remove_prefix(end + 2);
            simple = false;
            continue;
        }
        const char c = next();
        if (c == '\\') next();
        const auto byte = static_cast<unsigned char>(c);
        simple = simple && byte < 0x80 && c != '\\' && c != '-' && !at('-');
        members.emplace_back(1, c);
    }
    next();
    const std::string_view spelling = start.substr(0, start.size() - rest_.size());
    if (!simple || members.size() > kClassCharsMax) return char_class(spelling);
    Part part;
    part.exact = Strings();
    for (const std::string& member : members) {
        const Part one = character(member);
        if (!one.exact) return Part::unknown();
        part.exact->push_back(member);
    }
    return part;
}

// RE2 itself is asked whether an ASCII character can be in it.
Part Reader::char_class(std::string_view spelling) {
    const bool worth_asking =
        spelling.find("\\p") != spelling.npos || spelling.find("\\P") != spelling.npos ||
        spelling.find("\\x") != spelling.npos ||
        std::any_of(spelling.begin(), spelling.end(),
                    [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
    if (lost_ || !worth_asking || ++classes_ > kClassesMax) return Part::unknown();
    RE2::Options options(RE2::Quiet);
    options.set_case_sensitive(letters_ == Case::kSensitive);
    const RE2 one(re2::StringPiece(spelling.data(), spelling.size()), options);
    if (!one.ok()) return lose();
    for (int code = 0; code < 0x80; ++code) {
        const char c = static_cast<char>(code);
        if (RE2::FullMatch(re2::StringPiece(&c, 1), one)) return Part::unknown();
    }
    Part part;
    part.non_ascii = true;
    return part;
}

}  // namespace

Required required_by(std::string_view pattern, Case letters) {
    return Reader(pattern, letters).read();
}

}  // namespace paddock::search
