#include "search/searcher.h"

#include <algorithm>
#include <string>
#include <utility>

#include <paddock/limits.h>

#include "search/memory_budget.h"
#include "sys/io.h"
#include "text/encoding.h"

namespace paddock::search {
namespace {

constexpr std::string_view kUtf8Mark = "\xef\xbb\xbf";

std::string decoded(std::string_view content, text::TextFormat format) {
    std::string utf8;
    text::Decoder decoder(format);
    decoder.decode(content, utf8);
    decoder.finish(utf8);
    return utf8;
}

// For a file of this size, as fstat says. In UTF-16 it is held beside the text that it becomes.
std::size_t memory_for(std::uint64_t size) {
    const std::size_t bytes = size == 0 ? limits::kSearchWholeBytesMax : size;
    return 5 * bytes / 2;
}

}  // namespace

std::optional<text::TextFormat> utf16_format(std::string_view text) noexcept {
    for (const text::Encoding encoding : {text::Encoding::kUtf16Le, text::Encoding::kUtf16Be}) {
        const text::TextFormat format{encoding, true};
        if (text.starts_with(text::byte_order_mark(format))) return format;
    }
    return std::nullopt;
}

Searcher::Searcher(const Matcher& matcher, const SearchOptions& options, Interruption& interruption)
    : matcher_(matcher),
      line_numbers_(options.line_numbers),
      interruption_(interruption),
      pusher_(options) {}

Outcome<FileReport> Searcher::search(int fd, const Extent& extent, Sink& sink) {
    report_ = {};
    is_part_ = extent.begin > 0 || extent.end != UINT64_MAX;
    searched_ = 0;
    pusher_.start(sink);
    if (matcher_.multiline()) {
        PADDOCK_TRY(search_whole(fd, extent));
    } else {
        PADDOCK_TRY(search_lines(fd, extent));
    }
    return report_;
}

bool Searcher::interrupted() noexcept {
    if (!interruption_.requested()) return false;
    report_.end = FileReport::End::kInterrupted;
    return true;
}

bool Searcher::done() const noexcept {
    return report_.end != FileReport::End::kComplete || report_.binary;
}

Done Searcher::search_lines(int fd, const Extent& extent) {
    buffer_.start(fd, extent.size, extent.begin == 0 ? 0 : extent.begin - 1);
    for (bool first = true;; first = false) {
        if (interrupted()) return {};
        PADDOCK_ASSIGN(filled, buffer_.fill());
        if (filled == LineBuffer::Filled::kLineTooLong) {
            report_.end = FileReport::End::kLineTooLong;
            return {};
        }
        if (first) drop_beginning(extent);
        if (first && extent.begin == 0 && utf16_format(buffer_.lines())) {
            return search_whole(fd, extent);
        }
        offset_ = buffer_.offset();
        const std::string_view text = lines_beginning_before(extent.end);
        const bool last = filled == LineBuffer::Filled::kEnd ||
                          text.size() < buffer_.lines().size() ||
                          offset_ + text.size() >= extent.end;
        report_.bytes += text.size() - searched_;
        search_text(text, last);
        if (last && line_numbers_ && is_part_) {
            report_.newlines = pusher_.newlines_until(text, text.size());
        }
        if (last || done()) return {};
        const std::size_t unneeded = pusher_.droppable(text);
        pusher_.drop(text, unneeded);
        searched_ = text.size() - unneeded;
        buffer_.drop(unneeded);
    }
}

// The line that the part before ends with, or a byte order mark.
void Searcher::drop_beginning(const Extent& extent) {
    const std::string_view text = buffer_.lines();
    if (extent.begin == 0) {
        buffer_.drop(text.starts_with(kUtf8Mark) ? kUtf8Mark.size() : 0);
    } else {
        const std::size_t feed = text.find('\n');
        buffer_.drop(feed == text.npos ? text.size() : feed + 1);
    }
}

std::string_view Searcher::lines_beginning_before(std::uint64_t end) const {
    const std::string_view text = buffer_.lines();
    if (end >= offset_ + text.size()) return text;
    if (end <= offset_) return {};
    const std::size_t feed = text.find('\n', end - offset_ - 1);
    return feed == text.npos ? text : text.substr(0, feed + 1);
}

std::optional<Searcher::Found> Searcher::next_line(std::string_view text, std::size_t from) {
    if (text.size() > from + matcher_.bytes_at_once()) return next_line_in_parts(text, from);
    const auto line = matcher_.next_line(text, from);
    if (!line) return std::nullopt;
    return Found{*line};
}

std::optional<Searcher::Found> Searcher::next_line_in_parts(std::string_view text,
                                                            std::size_t from) {
    while (from < text.size() && !interrupted()) {
        const std::string_view part = text.substr(0, from + matcher_.bytes_at_once());
        const std::size_t feed = part.substr(from).rfind('\n');
        if (feed != part.npos || part.size() == text.size()) {
            const std::size_t end = feed == part.npos ? text.size() : from + feed + 1;
            if (const auto line = matcher_.next_line(text.substr(0, end), from)) {
                return Found{*line};
            }
            from = end;
            continue;
        }
        const std::size_t end = std::min(text.find('\n', from), text.size());
        const bool was_in_pieces = report_.in_pieces;
        if (const auto match = next_match(text.substr(0, end), from)) {
            report_.in_pieces = was_in_pieces;  // a longer match would tell no more
            return Found{{from, end}, match->begin - from};
        }
        from = end + 1;
    }
    return std::nullopt;
}

// A match is taken if half a piece stands behind its beginning, or all of the text.
std::optional<Span> Searcher::next_match(std::string_view text, std::size_t from) {
    const std::size_t piece = matcher_.bytes_at_once();
    if (text.size() <= from + piece) return matcher_.next_match(text, from);
    while (!interrupted()) {
        const std::size_t end = std::min(from + piece, text.size());
        const bool is_last = end == text.size();
        std::size_t next = end - piece / 2;
        if (matcher_.may_match(text, from, end)) {
            if (matcher_.match_bytes() == 0) report_.in_pieces = true;
            const auto match = matcher_.next_match(text, from, end);
            if (match && (is_last || match->begin <= next)) return match;
            if (match) next = match->begin;
        }
        if (is_last) break;
        from = next;
    }
    return std::nullopt;
}

void Searcher::search_text(std::string_view text, bool last) {
    auto found = next_line(text, searched_);
    // A file without a match may well be binary; only if it is read on must that be known.
    if (found || !last || is_part_ || report_.matched) {
        if (const std::size_t nul = text.find('\0', searched_); nul != text.npos) {
            report_.binary = true;
            text = text.substr(0, nul);
            if (found) found = next_line(text, searched_);
        }
    }
    for (; found; found = next_line(text, found->line.end + 1)) {
        report_.matched = true;
        if (pusher_.match(text, offset_, found->line, found->match) == Next::kStop) {
            report_.end = FileReport::End::kStopped;
            return;
        }
    }
    if (pusher_.finish(text, offset_) == Next::kStop) report_.end = FileReport::End::kStopped;
}

Done Searcher::search_whole(int fd, const Extent& extent) {
    std::optional<MemoryBudget::Part> memory;  // given back after the content
    std::string content;
    for (std::size_t filled = 0;;) {
        if (std::max<std::uint64_t>(extent.size, filled) > limits::kSearchWholeBytesMax) {
            report_.end = FileReport::End::kTooLarge;
            return {};
        }
        const std::size_t wanted = std::max(2 * filled, extent.size + limits::kSearchBufferBytes);
        if (wanted > limits::kSearchWholeSmallBytesMax && !memory) {
            auto taken = whole_file_memory().take(memory_for(extent.size), interruption_);
            if (!taken) {
                report_.end = FileReport::End::kInterrupted;
                return {};
            }
            memory.emplace(std::move(*taken));
        }
        content.resize(wanted);
        PADDOCK_ASSIGN(got,
                       sys::read_at(fd, content.data() + filled, content.size() - filled, filled));
        filled += got;
        if (got != 0 && (extent.size == 0 || filled < extent.size)) continue;
        content.resize(filled);
        break;
    }
    report_.bytes = content.size();
    if (const auto format = utf16_format(content)) content = decoded(content, *format);
    std::string_view text = content;
    if (text.starts_with(kUtf8Mark)) text.remove_prefix(kUtf8Mark.size());
    offset_ = 0;
    if (!matcher_.multiline()) {
        search_text(text, true);
        return {};
    }
    if (!next_match(text, 0)) return {};
    if (const std::size_t nul = text.find('\0'); nul != text.npos) {
        report_.binary = true;
        text = text.substr(0, nul);
    }
    search_spans(text);
    return {};
}

// Every line that a match touches is a matching line.
void Searcher::search_spans(std::string_view text) {
    std::size_t unpushed = 0;  // the first line not yet pushed as a match begins here
    std::size_t from = 0;
    while (from <= text.size() && !interrupted()) {
        const auto match = next_match(text, from);
        const bool behind_last = match && match->begin == text.size() && text.ends_with('\n');
        if (!match || text.empty() || behind_last) break;
        report_.matched = true;
        const std::size_t last = match->end > match->begin ? match->end - 1 : match->begin;
        std::size_t begin = unpushed;
        if (match->begin > unpushed) {
            const std::string_view between = text.substr(unpushed, match->begin - unpushed);
            begin += between.rfind('\n') + 1;
        }
        for (; begin <= last; begin = unpushed) {
            const Span line{begin, std::min(text.find('\n', begin), text.size())};
            unpushed = line.end + 1;
            const std::size_t at = match->begin - std::min(match->begin, begin);
            if (pusher_.match(text, offset_, line, at) == Next::kGoOn) continue;
            report_.end = FileReport::End::kStopped;
            return;
        }
        from = match->end > match->begin ? match->end : match->end + 1;
    }
    if (pusher_.finish(text, offset_) == Next::kStop) report_.end = FileReport::End::kStopped;
}

}  // namespace paddock::search
