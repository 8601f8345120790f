// A text as if every line ended with LF, with the way back to its real bytes. Only CRLF is changed;
// a lone CR is an ordinary byte. Where there is no CRLF nothing is copied.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace paddock::text {

class LfView {
public:
    // `raw` must outlive the view; at most 4 GiB.
    explicit LfView(std::string_view raw);

    std::string_view text() const noexcept { return has_crlf() ? std::string_view(copy_) : raw_; }
    std::string_view raw() const noexcept { return raw_; }
    bool has_crlf() const noexcept { return !crlf_.empty(); }

    // Where the byte of text() at `offset` lies in raw(). For the LF of a CRLF that is its CR, so
    // a span of text() never maps to half of one.
    std::size_t raw_offset(std::size_t offset) const noexcept;

private:
    std::string_view raw_;
    std::string copy_;
    std::vector<std::uint32_t> crlf_;  // where in copy_ each LF stands that was a CRLF, ascending
};

}  // namespace paddock::text
