#include "search/line_pusher.h"

#include <algorithm>
#include <cstring>

#include "search/scan.h"

namespace paddock::search {
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

}  // namespace paddock::search
