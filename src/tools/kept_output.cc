#include "tools/kept_output.h"

#include <algorithm>

#include <paddock/limits.h>

#include "base/utf8.h"

namespace paddock::tools {
namespace {

constexpr std::size_t kHeadBytesMax = limits::kCommandOutputBytesMax / 2;
constexpr std::size_t kTailBytesMax = limits::kCommandOutputBytesMax - kHeadBytesMax;
// What is dropped at once, so that it is not moved for every line.
constexpr std::size_t kTailSlackBytes = kTailBytesMax / 8;

// The beginning of `text`, at most `bytes_max`, to the end of a character, and of a line if one
// ends shortly before.
std::string_view head_of(std::string_view text, std::size_t bytes_max) {
    const std::string_view head = cut_utf8(text, bytes_max);
    if (head.size() == text.size()) return head;
    const std::size_t newline = head.rfind('\n');
    const bool is_near = newline != head.npos && head.size() - newline <= bytes_max / 8;
    return is_near ? head.substr(0, newline + 1) : head;
}

// Without a character at its end of which the rest may follow.
std::size_t size_in_characters(std::string_view text) {
    for (std::size_t back = 1; back <= std::min<std::size_t>(3, text.size()); ++back) {
        const Character last = first_character(text.substr(text.size() - back));
        if (last.cut) return text.size() - back;
        if (last.valid) break;
    }
    return text.size();
}

bool continues_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80; }

// The end of `text`, at most `bytes_max`, from the start of a character, and of a line if one
// starts soon.
std::string_view tail_of(std::string_view text, std::size_t bytes_max) {
    std::size_t begin = text.size() - std::min(text.size(), bytes_max);
    while (begin < text.size() && continues_character(text[begin])) ++begin;
    const std::size_t newline = text.find('\n', begin);
    if (newline != text.npos && newline - begin < bytes_max / 8) begin = newline + 1;
    return text.substr(begin);
}

}  // namespace

KeptOutput::KeptOutput(std::optional<search::SecretScanner> filter, text::Screen screen)
    : screen_(std::move(screen)) {
    if (filter) filter_.emplace(std::move(*filter));
}

std::string KeptOutput::keep(std::string text) {
    std::string_view rest = text;
    if (tail_.empty()) {
        const std::string_view fits = cut_utf8(rest, kHeadBytesMax - head_.size());
        head_ += fits;
        rest.remove_prefix(fits.size());
    }
    tail_ += rest;
    if (tail_.size() > kTailBytesMax) {
        const std::size_t before = tail_.size();
        tail_ = tail_of(tail_, kTailBytesMax - kTailSlackBytes);
        dropped_ += before - tail_.size();
    }
    return text;
}

std::string KeptOutput::add(std::string_view piece) {
    const std::lock_guard lock(mutex_);
    std::string lines;
    screen_.feed(piece, lines);
    if (!filter_) return keep(std::move(lines));
    std::string certain;
    filter_->feed(lines, certain);
    return keep(std::move(certain));
}

std::string KeptOutput::finish() {
    const std::lock_guard lock(mutex_);
    over_ = true;
    std::string lines;
    screen_.finish(lines);
    if (!filter_) return keep(std::move(lines));
    std::string held_back;
    filter_->feed(lines, held_back);
    filter_->finish(held_back);
    return keep(std::move(held_back));
}

void KeptOutput::settle() {
    const std::lock_guard lock(mutex_);
    settled_ = true;
}

std::string KeptOutput::rest() const {
    const std::lock_guard lock(mutex_);
    return uncertain();
}

std::string KeptOutput::uncertain() const {
    const std::string shown = screen_.shown();
    if (!filter_) return shown;
    return settled_ ? filter_->rest(shown) : filter_->settled_rest(shown);
}

bool KeptOutput::has_application_keys() const {
    const std::lock_guard lock(mutex_);
    return screen_.has_application_keys();
}

std::string KeptOutput::from(std::uint64_t& begin) const {
    if (dropped_ > 0 && begin < head_.size()) return head_.substr(begin);
    const std::uint64_t tail = head_.size() + dropped_;
    if (dropped_ > 0) begin = std::max(begin, tail);
    const std::string rest = uncertain();
    begin = std::min(begin, certain() + rest.size());
    std::string text = begin < head_.size() ? head_.substr(begin) : std::string();
    std::uint64_t skipped = begin - std::min<std::uint64_t>(begin, tail);
    for (const std::string_view piece : {std::string_view(tail_), std::string_view(rest)}) {
        text += piece.substr(std::min<std::uint64_t>(skipped, piece.size()));
        skipped -= std::min<std::uint64_t>(skipped, piece.size());
    }
    return text;
}

KeptOutput::Part KeptOutput::part(std::uint64_t begin, std::size_t bytes_max) const {
    const std::lock_guard lock(mutex_);
    std::string text = from(begin);
    std::uint64_t end = certain();
    std::uint64_t total = end + uncertain().size();
    const bool ends_at_gap = dropped_ > 0 && begin < head_.size();
    if (!over_ && !ends_at_gap) {
        total -= text.size() - size_in_characters(text);
        text.resize(size_in_characters(text));
        // Nor is a character certain of which only the beginning is.
        const std::string& last = tail_.empty() ? head_ : tail_;
        end -= last.size() - size_in_characters(last);
    }
    const std::string_view shown = head_of(text, bytes_max);
    return {std::string(shown), begin, std::min<std::uint64_t>(begin + shown.size(), end), total};
}

std::string KeptOutput::excerpt(std::size_t bytes_max, std::string_view id) const {
    const std::lock_guard lock(mutex_);
    std::uint64_t begin = 0;
    const std::string first = from(begin);
    if (dropped_ == 0 && first.size() <= bytes_max) return first;
    begin = head_.size() + dropped_;
    const std::string last = dropped_ > 0 ? from(begin) : std::string();
    const std::uint64_t total = certain() + uncertain().size();
    const std::string_view head = head_of(first, bytes_max / 3);
    const std::string_view tail = tail_of(dropped_ > 0 ? last : first, bytes_max - head.size());
    std::string text(head);
    if (!text.ends_with('\n')) text += '\n';
    text += "[bytes " + std::to_string(head.size()) + " to " + std::to_string(total - tail.size()) +
            " of " + std::to_string(total) + " left out";
    if (dropped_ > 0) {
        text += ", " + std::to_string(dropped_) + " bytes from " + std::to_string(head_.size()) +
                " on not kept";
    }
    if (!id.empty()) {
        text += "; read " + std::string(dropped_ > 0 ? "the others" : "them") +
                " with bash_output, id '" + std::string(id) +
                "', offset=" + std::to_string(head.size());
    }
    return text.append("]\n").append(tail);
}

std::string KeptOutput::end(std::size_t bytes_max) const {
    const std::lock_guard lock(mutex_);
    const std::uint64_t kept = certain();
    std::uint64_t begin = kept - std::min<std::uint64_t>(kept, bytes_max);
    const bool is_all = begin == 0;
    std::string last = from(begin);
    if (begin < head_.size() && dropped_ > 0) {
        begin = head_.size();
        last += from(begin);
    }
    return is_all && last.size() <= bytes_max ? last : std::string(tail_of(last, bytes_max));
}

std::size_t KeptOutput::secrets() const {
    const std::lock_guard lock(mutex_);
    return filter_ ? filter_->count() : 0;
}

std::string_view beyond(std::string_view seen, std::string_view all) {
    if (all.starts_with(seen)) return all.substr(seen.size());
    const auto differs = std::mismatch(seen.begin(), seen.end(), all.begin(), all.end());
    const auto same = all.substr(0, static_cast<std::size_t>(differs.second - all.begin()));
    return all.substr(same.rfind('\n') + 1);
}

}  // namespace paddock::tools
