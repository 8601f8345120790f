#include "search/searcher.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include <paddock/limits.h>

#include "search/grep.h"
#include "sys/io.h"
#include "text/encoding.h"
#include "text/scan.h"

namespace paddock::search {

void LineBuffer::start(int fd, std::uint64_t size, std::uint64_t offset) {
    fd_ = fd;
    size_ = size;
    base_ = offset;
    begin_ = lines_ = filled_ = 0;
}

Outcome<LineBuffer::Filled> LineBuffer::fill() {
    move_to_front();
    for (;;) {
        if (filled_ == capacity_ && filled_ > 0 && holds_nul()) {
            lines_ = filled_;
            return Filled::kMore;
        }
        if (filled_ == capacity_ && !grow()) return Filled::kLineTooLong;
        PADDOCK_ASSIGN(
            got, sys::read_at(fd_, data_.get() + filled_, capacity_ - filled_, base_ + filled_));
        const char* const fresh = data_.get() + filled_;
        filled_ += got;
        if (got == 0 || (size_ > 0 && base_ + filled_ >= size_)) {
            lines_ = filled_;
            return Filled::kEnd;
        }
        if (const void* const last = ::memrchr(fresh, '\n', got)) {
            lines_ = static_cast<std::size_t>(static_cast<const char*>(last) - data_.get()) + 1;
            return Filled::kMore;
        }
    }
}

bool LineBuffer::holds_nul() const noexcept {
    return std::memchr(data_.get(), '\0', filled_) != nullptr;
}

void LineBuffer::move_to_front() noexcept {
    if (begin_ == 0) return;
    filled_ -= begin_;
    std::memmove(data_.get(), data_.get() + begin_, filled_);
    base_ += begin_;
    begin_ = lines_ = 0;
}

bool LineBuffer::grow() {
    if (capacity_ >= limits::kSearchLineBytesMax) return false;
    const std::size_t capacity = std::max(kSearchBufferBytes, 2 * capacity_);
    auto data = std::make_unique_for_overwrite<char[]>(capacity);
    if (filled_ > 0) std::memcpy(data.get(), data_.get(), filled_);
    data_ = std::move(data);
    capacity_ = capacity;
    return true;
}

namespace {

// One past the line feed that ends the line at `at`, or the end of the text.
std::size_t next_line_begin(std::string_view text, std::size_t at) {
    const std::size_t end = text.find('\n', at);
    return end == text.npos ? text.size() : end + 1;
}

}  // namespace

void LinePusher::start(Sink& sink) {
    sink_ = &sink;
    pushed_ = due_ = counted_ = 0;
    newlines_ = 0;
}

void LinePusher::count_until(std::string_view text, std::size_t end) {
    newlines_ += scan::functions().count_newlines(text.data() + counted_, text.data() + end);
    counted_ = end;
}

Next LinePusher::push(Line::Kind kind, std::string_view text, std::uint64_t offset, Span line,
                      std::size_t match) {
    Line found;
    found.kind = kind;
    found.offset = offset + line.begin;
    found.text = text.substr(line.begin, line.end - line.begin);
    found.match = match;
    if (options_.line_numbers) {
        count_until(text, line.begin);
        found.number = newlines_ + 1;
    }
    pushed_ = std::min(line.end + 1, text.size());
    return sink_->line(found);
}

// The context after the last match, as far as `end`, which begins a line or ends the text.
Next LinePusher::push_due(std::string_view text, std::uint64_t offset, std::size_t end) {
    while (due_ > 0 && pushed_ < end) {
        --due_;
        const std::size_t next = next_line_begin(text, pushed_);
        const std::size_t feed = next > pushed_ && text[next - 1] == '\n' ? 1 : 0;
        if (push(Line::Kind::kContext, text, offset, {pushed_, next - feed}) == Next::kStop) {
            return Next::kStop;
        }
    }
    return Next::kGoOn;
}

// Where the lines of context before `end` begin.
std::size_t LinePusher::lines_before(std::string_view text, std::size_t end) const {
    std::size_t begin = end;
    for (std::size_t i = 0; i < options_.before && begin > pushed_; ++i) {
        const void* const feed = ::memrchr(text.data() + pushed_, '\n', begin - 1 - pushed_);
        begin = feed == nullptr
                    ? pushed_
                    : static_cast<std::size_t>(static_cast<const char*>(feed) - text.data()) + 1;
    }
    return begin;
}

Next LinePusher::match(std::string_view text, std::uint64_t offset, Span line, std::size_t at) {
    if (push_due(text, offset, line.begin) == Next::kStop) return Next::kStop;
    pushed_ = std::max(pushed_, lines_before(text, line.begin));
    while (pushed_ < line.begin) {
        const Span context{pushed_, next_line_begin(text, pushed_) - 1};
        if (push(Line::Kind::kContext, text, offset, context) == Next::kStop) return Next::kStop;
    }
    due_ = options_.after;
    return push(Line::Kind::kMatch, text, offset, line, at);
}

Next LinePusher::finish(std::string_view text, std::uint64_t offset) {
    return push_due(text, offset, text.size());
}

std::size_t LinePusher::droppable(std::string_view text) const {
    return lines_before(text, text.size());
}

void LinePusher::drop(std::string_view text, std::size_t bytes) {
    if (options_.line_numbers && counted_ < bytes) count_until(text, bytes);
    pushed_ -= std::min(pushed_, bytes);
    counted_ -= std::min(counted_, bytes);
}

std::uint64_t LinePusher::newlines_until(std::string_view text, std::size_t end) {
    if (counted_ < end) count_until(text, end);
    return newlines_;
}

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
        const std::size_t wanted = std::max(2 * filled, extent.size + kSearchBufferBytes);
        if (wanted > kSearchWholeSmallBytesMax && !memory) {
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
