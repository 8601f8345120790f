#include "search/literal.h"

#include <cstring>
#include <utility>

#include "base/ascii.h"
#include "base/check.h"
#include "search/byte_frequency.h"

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
    const double here = search::frequency(byte(i));
    if (mask(i) == 0) return here;
    return here + search::frequency(static_cast<unsigned char>(byte(i) ^ kCaseBit));
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

}  // namespace paddock::search
