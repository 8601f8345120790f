#include "search/literal_parts.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace paddock::search {
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

}  // namespace paddock::search
