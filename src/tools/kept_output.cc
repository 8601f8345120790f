#include "tools/kept_output.h"

#include <algorithm>

#include <paddock/limits.h>

#include "base/utf8.h"

namespace paddock::tools {
namespace {

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

KeptOutput::KeptOutput(std::optional<search::SecretScanner> filter) {
    if (filter) filter_.emplace(std::move(*filter));
}

std::string KeptOutput::keep(std::string text) {
    const std::size_t room = limits::kCommandOutputBytesMax - kept_.size();
    full_ = full_ || text.size() > room;
    text.resize(std::min(text.size(), room));
    kept_ += text;
    return text;
}

std::string KeptOutput::add(std::string_view piece) {
    const std::lock_guard lock(mutex_);
    if (full_) return {};
    if (!filter_) return keep(std::string(piece));
    std::string certain;
    filter_->feed(piece, certain);
    return keep(std::move(certain));
}

std::string KeptOutput::finish() {
    const std::lock_guard lock(mutex_);
    over_ = true;
    if (!filter_ || full_) return {};
    std::string held_back;
    filter_->finish(held_back);
    return keep(std::move(held_back));
}

void KeptOutput::settle() {
    const std::lock_guard lock(mutex_);
    settled_ = true;
}

bool KeptOutput::is_full() const {
    const std::lock_guard lock(mutex_);
    return full_;
}

std::string KeptOutput::rest() const {
    const std::lock_guard lock(mutex_);
    return uncertain();
}

std::string KeptOutput::uncertain() const {
    if (!filter_ || full_) return {};
    return settled_ ? filter_->rest() : filter_->settled_rest();
}

std::string KeptOutput::all() const { return kept_ + uncertain(); }

KeptOutput::Part KeptOutput::part(std::uint64_t begin, std::size_t bytes_max) const {
    const std::lock_guard lock(mutex_);
    std::string text = all();
    std::size_t certain = kept_.size();
    if (!over_ && !full_) {
        text.resize(size_in_characters(text));
        certain = size_in_characters(kept_);
    }
    const std::size_t from = static_cast<std::size_t>(std::min<std::uint64_t>(begin, text.size()));
    const std::string_view shown = head_of(std::string_view(text).substr(from), bytes_max);
    return {std::string(shown), std::min(from + shown.size(), certain), text.size()};
}

std::string KeptOutput::excerpt(std::size_t bytes_max, std::string_view id) const {
    const std::lock_guard lock(mutex_);
    std::string whole = all();
    if (whole.size() <= bytes_max) return whole;
    const std::string_view head = head_of(whole, bytes_max / 3);
    const std::string_view tail = tail_of(whole, bytes_max - head.size());
    std::string text(head);
    if (!text.ends_with('\n')) text += '\n';
    text += "[bytes " + std::to_string(head.size()) + " to " +
            std::to_string(whole.size() - tail.size()) + " of " + std::to_string(whole.size()) +
            " left out";
    if (!id.empty()) {
        text += "; read them with bash_output, id '" + std::string(id) +
                "', offset=" + std::to_string(head.size());
    }
    return text.append("]\n").append(tail);
}

std::string KeptOutput::end(std::size_t bytes_max) const {
    const std::lock_guard lock(mutex_);
    const std::size_t cut = kept_.size() - std::min(kept_.size(), bytes_max);
    std::string last = kept_.substr(cut) + uncertain();
    return cut == 0 && last.size() <= bytes_max ? last : std::string(tail_of(last, bytes_max));
}

std::size_t KeptOutput::secrets() const {
    const std::lock_guard lock(mutex_);
    return filter_ ? filter_->count() : 0;
}

}  // namespace paddock::tools
