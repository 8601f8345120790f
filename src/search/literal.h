// One string, found by its two rarest bytes: places where both stand at the right distance are
// found many at a time, and only those are compared.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text/scan.h"

namespace paddock::search {

enum class Case : bool { kSensitive, kAsciiInsensitive };

// Bytes to compare with, letters possibly without their case.
class FoldedBytes {
public:
    FoldedBytes(std::string_view bytes, Case letters);

    std::size_t size() const noexcept { return bytes_.size(); }
    bool stands_at(const char* text) const noexcept;  // size() bytes must be readable
    unsigned char byte(std::size_t i) const noexcept {
        return static_cast<unsigned char>(bytes_[i]);
    }
    // 0x20 where byte(i) is a letter whose case does not matter, else 0.
    unsigned char mask(std::size_t i) const noexcept {
        return static_cast<unsigned char>(masks_.empty() ? 0 : masks_[i]);
    }
    // Either case counted, if it does not matter.
    double frequency(std::size_t i) const noexcept;

private:
    std::string bytes_;
    std::string masks_;  // empty: all 0
};

class Literal {
public:
    // `needle` must not be empty.
    explicit Literal(std::string_view needle, Case letters = Case::kSensitive);

    // Where it begins, at or after `from`; npos if nowhere.
    std::size_t find(std::string_view text, std::size_t from = 0) const noexcept;

private:
    FoldedBytes needle_;
    scan::BytePair pair_;
    std::size_t first_at_ = 0;  // index in the needle of the pair's first byte
};

// Pieces of a regular expression as far as literals go: small sets of strings that are known
// exactly, or at least sets of which one must be in every match; and how pieces combine.
using Strings = std::vector<std::string>;

// More are not told apart well by one search for fingerprints.
inline constexpr std::size_t kStringsMax = 64;

struct Part {
    std::optional<Strings> exact;  // it matches these and nothing else
    bool asserts = false;          // and needs more: "^", "\b"

    // If not exact: one of these is in every match of it, or a byte above 0x7f.
    Strings needed;
    bool non_ascii = false;

    static Part unknown() { return {}; }
    static Part text(std::string_view bytes);
    static Part assertion();

    // Forgets what is exact about it, but not what a match must contain.
    void loosen();
};

// One or the other.
Part either(Part left, Part right);

// Parts one after the other. Exact ones are multiplied out into ever longer strings until an
// inexact one ends the run; of the runs the rarest is kept.
class Sequence {
public:
    explicit Sequence(Case letters) : letters_(letters) {}

    void add(Part part);
    Part finish();

private:
    void end_run();
    void offer(Strings strings, bool non_ascii);

    Case letters_;
    Strings run_{""};
    bool exact_ = true;
    bool asserts_ = false;
    bool known_ = false;
    double hits_ = 0;
    Strings best_;
    bool non_ascii_ = false;
};

// How often one of the strings is expected in a byte of ordinary text.
double expected_hits(const Strings& literals, Case letters);

// Several strings searched for at once. A few bytes of each, at the same offset in all, make
// fingerprints in eight buckets; where one shows, the strings of its bucket are compared.
class LiteralSet {
public:
    // At least one string, none of them empty.
    LiteralSet(const std::vector<std::string>& needles, Case letters);

    // Where the first occurrence of any of them begins, at or after `from`; npos if nowhere.
    std::size_t find(std::string_view text, std::size_t from = 0) const noexcept;

private:
    static constexpr std::size_t kBuckets = 8;

    void choose_offset();
    void add_to_fingerprint(const FoldedBytes& needle, std::size_t bucket);
    bool any_at(const char* at, const char* end, unsigned buckets) const noexcept;

    std::vector<FoldedBytes> needles_;                // sorted, so that a bucket holds like ones
    std::array<std::size_t, kBuckets + 1> bounds_{};  // of the buckets in needles_
    std::size_t shortest_ = 0;
    std::size_t offset_ = 0;  // of the fingerprint in each needle
    scan::Fingerprint prints_;
};

// What every match of a regular expression must contain: the reason why most of a file need not be
// looked at by the regex engine.
//
// Reads RE2's syntax itself, as far as literals go. The answer may always be "nothing is known"; it
// is that for whatever is not understood, so an odd pattern costs time and never a match.
struct Required {
    // One of these is in every match; if empty, nothing is known unless non_ascii says something.
    std::vector<std::string> literals;
    Case letters = Case::kSensitive;

    bool exact = false;      // containing one of the literals is all that a match needs
    bool non_ascii = false;  // a byte above 0x7f is in every match; literals are then empty
    bool newline = false;    // a line feed is spelled out somewhere in the pattern

    bool useful() const noexcept { return non_ascii || !literals.empty(); }
};

// `pattern` must be one that RE2 accepts.
Required required_by(std::string_view pattern, Case letters);

}  // namespace paddock::search
