#include "search/literal.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstring>
#include <utility>

#include <re2/re2.h>

#include "base/check.h"
#include "base/text.h"
#include "text/byte_set.h"

namespace paddock::search {
namespace {

constexpr unsigned char kCaseBit = 0x20;

// The rarest byte but for the one at `taken`.
std::size_t rarest(const FoldedBytes& needle, std::size_t taken) {
    std::size_t best = taken == 0 ? 1 : 0;
    for (std::size_t i = best + 1; i < needle.size(); ++i) {
        if (i != taken && needle.frequency(i) < needle.frequency(best)) best = i;
    }
    return best;
}

}  // namespace

FoldedBytes::FoldedBytes(std::string_view bytes, Case letters) : bytes_(bytes) {
    if (letters == Case::kSensitive) return;
    masks_.assign(bytes.size(), '\0');
    for (std::size_t i = 0; i < bytes_.size(); ++i) {
        if (!is_letter(bytes_[i])) continue;
        bytes_[i] = static_cast<char>(bytes_[i] | kCaseBit);
        masks_[i] = kCaseBit;
    }
}

bool FoldedBytes::stands_at(const char* text) const noexcept {
    if (masks_.empty()) return std::memcmp(text, bytes_.data(), bytes_.size()) == 0;
    for (std::size_t i = 0; i < bytes_.size(); ++i) {
        if (static_cast<char>(text[i] | masks_[i]) != bytes_[i]) return false;
    }
    return true;
}

double FoldedBytes::frequency(std::size_t i) const noexcept {
    const double here = text::frequency(byte(i));
    if (mask(i) == 0) return here;
    return here + text::frequency(static_cast<unsigned char>(byte(i) ^ kCaseBit));
}

Literal::Literal(std::string_view needle, Case letters) : needle_(needle, letters) {
    PADDOCK_CHECK(!needle.empty());
    std::size_t first = 0;
    std::size_t second = 0;
    if (needle.size() > 1) {
        first = rarest(needle_, needle.size());
        second = rarest(needle_, first);
        if (second < first) std::swap(first, second);
    }
    first_at_ = first;
    pair_ = {needle_.byte(first), needle_.byte(second), needle_.mask(first), needle_.mask(second),
             second - first};
}

std::size_t Literal::find(std::string_view text, std::size_t from) const noexcept {
    if (text.size() < needle_.size() || from > text.size() - needle_.size()) {
        return std::string_view::npos;
    }
    const char* const base = text.data();
    const char* at = base + from + first_at_;
    const char* const end = base + text.size() - (needle_.size() - 1 - first_at_ - pair_.distance);
    while ((at = scan::functions().find_pair(at, end, pair_)) != nullptr) {
        if (needle_.stands_at(at - first_at_))
            return static_cast<std::size_t>(at - base) - first_at_;
        ++at;
    }
    return std::string_view::npos;
}

namespace {

constexpr std::size_t kStringBytesMax = 256;  // more bytes make nothing rarer

// A byte above 0x7f is this rare in source code; text in other scripts is for the engine anyway.
constexpr double kNonAsciiHits = 0.001;

bool usable(const Strings& strings) {
    return !strings.empty() &&
           std::none_of(strings.begin(), strings.end(), [](const auto& s) { return s.empty(); });
}

std::optional<Strings> product(const Strings& left, const Strings& right) {
    if (left.size() * right.size() > kStringsMax) return std::nullopt;
    Strings joined;
    for (const std::string& a : left) {
        for (const std::string& b : right) {
            if (a.size() + b.size() > kStringBytesMax) return std::nullopt;
            joined.push_back(a + b);
        }
    }
    return joined;
}

// Nothing if there would be too many.
Strings joined(Strings left, const Strings& right) {
    if (left.empty() || right.empty() || left.size() + right.size() > kStringsMax) return {};
    left.insert(left.end(), right.begin(), right.end());
    return left;
}

}  // namespace

Part Part::text(std::string_view bytes) {
    Part part;
    part.exact = Strings{std::string(bytes)};
    return part;
}

Part Part::assertion() {
    Part part = text("");
    part.asserts = true;
    return part;
}

void Part::loosen() {
    if (!exact) return;
    needed = usable(*exact) ? std::move(*exact) : Strings();
    exact.reset();
}

Part either(Part left, Part right) {
    Part both;
    both.asserts = left.asserts || right.asserts;
    if (left.exact && right.exact) {
        both.exact = joined(*left.exact, *right.exact);
        if (!both.exact->empty()) return both;
        both.exact.reset();
    }
    left.loosen();
    right.loosen();
    both.non_ascii = left.non_ascii && right.non_ascii;
    if (!both.non_ascii) both.needed = joined(std::move(left.needed), right.needed);
    return both;
}

void Sequence::add(Part part) {
    asserts_ = asserts_ || part.asserts;
    if (!part.exact) {
        end_run();
        exact_ = false;
        offer(std::move(part.needed), part.non_ascii);
        return;
    }
    if (auto longer = product(run_, *part.exact)) {
        run_ = std::move(*longer);
        return;
    }
    end_run();
    exact_ = false;
    run_ = std::move(*part.exact);
}

Part Sequence::finish() {
    Part whole;
    whole.asserts = asserts_;
    if (exact_) {
        whole.exact = std::move(run_);
        return whole;
    }
    end_run();
    whole.needed = std::move(best_);
    whole.non_ascii = non_ascii_;
    return whole;
}

void Sequence::end_run() { offer(std::exchange(run_, Strings{""}), false); }

void Sequence::offer(Strings strings, bool non_ascii) {
    if (!non_ascii && !usable(strings)) return;
    const double hits = non_ascii ? kNonAsciiHits : expected_hits(strings, letters_);
    if (known_ && hits >= hits_) return;
    known_ = true;
    hits_ = hits;
    best_ = std::move(strings);
    non_ascii_ = non_ascii;
}

double expected_hits(const Strings& literals, Case letters) {
    // Neighbouring bytes of real text depend on each other: each tells less than its own rarity.
    constexpr double kDependence = 0.6;
    double hits = 0;
    for (const std::string& literal : literals) {
        const FoldedBytes bytes(literal, letters);
        double rarity = 0;
        for (std::size_t i = 0; i < bytes.size(); ++i) {
            rarity += std::log2(bytes.frequency(i)) * (i == 0 ? 1 : kDependence);
        }
        hits += std::exp2(rarity);
    }
    return hits;
}

LiteralSet::LiteralSet(const std::vector<std::string>& needles, Case letters) {
    PADDOCK_CHECK(!needles.empty());
    std::vector<std::string> sorted = needles;
    std::sort(sorted.begin(), sorted.end());
    shortest_ = sorted.front().size();
    for (const std::string& needle : sorted) {
        PADDOCK_CHECK(!needle.empty());
        shortest_ = std::min(shortest_, needle.size());
        needles_.emplace_back(needle, letters);
    }
    choose_offset();
    for (std::size_t bucket = 0; bucket < kBuckets; ++bucket) {
        bounds_[bucket + 1] = (bucket + 1) * needles_.size() / kBuckets;
        for (std::size_t i = bounds_[bucket]; i < bounds_[bucket + 1]; ++i) {
            add_to_fingerprint(needles_[i], bucket);
        }
    }
}

// Where the strings, taken together, have the rarest bytes: "CONFIG_" in front of all tells little.
void LiteralSet::choose_offset() {
    prints_.bytes = std::min(shortest_, scan::Fingerprint::kBytesMax);
    double least = 0;
    for (std::size_t offset = 0; offset + prints_.bytes <= shortest_; ++offset) {
        double hits = 0;
        for (const FoldedBytes& needle : needles_) {
            double chance = 1;
            for (std::size_t i = 0; i < prints_.bytes; ++i) chance *= needle.frequency(offset + i);
            hits += chance;
        }
        if (offset > 0 && hits >= least) continue;
        least = hits;
        offset_ = offset;
    }
}

void LiteralSet::add_to_fingerprint(const FoldedBytes& needle, std::size_t bucket) {
    const auto bit = static_cast<std::uint8_t>(1U << bucket);
    for (std::size_t i = 0; i < prints_.bytes; ++i) {
        const unsigned byte = needle.byte(offset_ + i);
        const unsigned other_case = byte ^ needle.mask(offset_ + i);
        for (const unsigned spelling : {byte, other_case}) {
            prints_.low[i][spelling & 15U] |= bit;
            prints_.high[i][spelling >> 4U] |= bit;
        }
    }
}

bool LiteralSet::any_at(const char* at, const char* end, unsigned buckets) const noexcept {
    const auto room = static_cast<std::size_t>(end - at);
    for (std::size_t bucket = 0; bucket < kBuckets; ++bucket) {
        if ((buckets & (1U << bucket)) == 0) continue;
        for (std::size_t i = bounds_[bucket]; i < bounds_[bucket + 1]; ++i) {
            if (needles_[i].size() <= room && needles_[i].stands_at(at)) return true;
        }
    }
    return false;
}

std::size_t LiteralSet::find(std::string_view text, std::size_t from) const noexcept {
    if (text.size() < shortest_ || from > text.size() - shortest_) return std::string_view::npos;
    const char* const base = text.data();
    const char* const end = base + text.size();
    const char* at = base + from + offset_;
    const char* const last = end - (shortest_ - offset_ - prints_.bytes);
    for (;;) {
        const auto candidate = scan::functions().find_fingerprint(at, last, prints_);
        if (candidate.at == nullptr) return std::string_view::npos;
        const char* const start = candidate.at - offset_;
        if (any_at(start, end, candidate.buckets)) return static_cast<std::size_t>(start - base);
        at = candidate.at + 1;
    }
}

// A recursive descent over the pattern, as deep as its groups are nested.
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
