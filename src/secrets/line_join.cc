#include "secrets/line_join.h"

#include <algorithm>

#include "text/byte_set.h"

namespace paddock::secrets {
namespace {

// What stands before a line in a listing or a diff; 0 if nothing does.
std::size_t margin_length(std::string_view line) noexcept {
    if (line.starts_with('+') || line.starts_with('-')) return 1;
    const std::size_t blanks = text::ByteSet(" ").run(line);
    const std::size_t digits = text::kDigits.run(line.substr(blanks));
    const std::string_view rest = line.substr(blanks + digits);
    if (digits == 0 || rest.empty()) return 0;
    const bool is_number =
        rest.front() == '\t' || (blanks == 0 && text::ByteSet(":-").has(rest.front()));
    return is_number ? blanks + digits + 1 : 0;
}

}  // namespace

std::size_t join_length(std::string_view text) noexcept {
    text = text.substr(0, kJoinBytesMax);
    for (const std::string_view join : {"\\\n", "\\\r\n"}) {
        if (text.starts_with(join)) return join.size() + margin_length(text.substr(join.size()));
    }
    return 0;
}

JoinedLines::JoinedLines(std::string_view text) noexcept {
    text = text.substr(0, bytes_.size());
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t length =
            text[at] == '\\' && joins_ < kJoinsMax ? join_length(text.substr(at)) : 0;
        if (length > 0) {
            made_[joins_++] = {size_, length};
            at += length;
        } else {
            bytes_[size_++] = text[at++];
        }
    }
}

std::size_t JoinedLines::begin_of(std::size_t place) const noexcept {
    std::size_t left_out = 0;
    for (std::size_t i = 0; i < joins_ && made_[i].place <= place; ++i) {
        left_out += made_[i].left_out;
    }
    return place + left_out;
}

std::size_t JoinedLines::end_of(std::size_t place) const noexcept {
    return place == 0 ? 0 : begin_of(place - 1) + 1;
}

}  // namespace paddock::secrets
