// Pieces of a regular expression as far as literals go: small sets of strings that are known
// exactly, or at least sets of which one must be in every match; and how pieces combine.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "search/literal.h"

namespace paddock::search {

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

}  // namespace paddock::search
