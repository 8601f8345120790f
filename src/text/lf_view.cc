#include "text/lf_view.h"

#include <algorithm>
#include <limits>

#include "base/check.h"

namespace paddock::text {

LfView::LfView(std::string_view raw) : raw_(raw) {
    PADDOCK_CHECK(raw.size() <= std::numeric_limits<std::uint32_t>::max());
    std::size_t copied = 0;
    for (std::size_t cr = raw.find('\r'); cr != std::string_view::npos;
         cr = raw.find('\r', cr + 1)) {
        if (!raw.substr(cr + 1).starts_with('\n')) continue;
        if (crlf_.empty()) copy_.reserve(raw.size());
        copy_ += raw.substr(copied, cr - copied);
        crlf_.push_back(static_cast<std::uint32_t>(copy_.size()));
        copied = cr + 1;
    }
    if (has_crlf()) copy_ += raw.substr(copied);
}

std::size_t LfView::raw_offset(std::size_t offset) const noexcept {
    const auto before = std::lower_bound(crlf_.begin(), crlf_.end(), offset);
    return offset + static_cast<std::size_t>(before - crlf_.begin());
}

}  // namespace paddock::text
