#include "search/file_result.h"

#include <algorithm>
#include <utility>

#include <paddock/limits.h>

#include "base/outcome.h"
#include "base/utf8.h"
#include "search/secret_block.h"

namespace paddock::search {
namespace {

// A long private key with escaped line ends, in base64 once more.
constexpr std::size_t kKeyBytesMax = std::size_t{16} << 10;
constexpr std::size_t kLabelBytesMax = 64;  // "-----BEGIN RSA " with room to spare

// Where a private key begins that may reach to `end`: it is known by its beginning alone, which can
// be farther away than any margin. `end` if there is none.
std::size_t key_begin(std::string_view text, std::size_t end) {
    const std::size_t from = end - std::min(end, kKeyBytesMax);
    const std::string_view near = text.substr(from, end - from);
    if (const std::size_t at = near.rfind("PRIVATE KEY"); at != std::string_view::npos) {
        const std::size_t label = at - std::min(at, kLabelBytesMax);
        const bool begins = near.substr(label, at - label).find("BEGIN ") != std::string_view::npos;
        if (begins) return from + label;
    }
    const std::size_t encoded = near.rfind(kEncodedBegin);
    return encoded == std::string_view::npos ? end : from + encoded;
}

}  // namespace

FileResult::FileResult(FileResult&& other) noexcept
    : wanted_(other.wanted_),
      binary_(other.binary_),
      matches_(other.matches_),
      lines_before_(other.lines_before_),
      lines_(std::move(other.lines_)),
      text_(std::move(other.text_)) {}

FileResult& FileResult::operator=(FileResult&& other) noexcept {
    wanted_ = other.wanted_;
    binary_ = other.binary_;
    matches_ = other.matches_;
    lines_before_ = other.lines_before_;
    lines_ = std::move(other.lines_);
    text_ = std::move(other.text_);
    return *this;
}

bool FileResult::overflowed() const noexcept {
    return text_.size() + lines_.size() * sizeof(Kept) > limits::kGrepFileBytesMax;
}

Failure FileResult::overflow() noexcept {
    return refuse(Code::kLimitReached,
                  "has more matching lines than are held of one file; search it by itself");
}

bool FileResult::full() const noexcept {
    if (overflowed()) return true;
    if (wanted_->mode == GrepMode::kFilesWithMatches) return matched();
    return wanted_->mode == GrepMode::kContent && lines_.size() >= wanted_->lines_max;
}

// The beginning of a line, unless it is too long and would not show the match.
std::size_t FileResult::shown_from(const Line& line) const {
    const std::size_t room = wanted_->line_bytes_max;
    if (line.kind != Line::Kind::kMatch || line.text.size() <= room) return 0;
    const std::size_t end =
        line.match + std::min(line.text.size() - line.match, wanted_->matcher->bytes_at_once());
    const auto match = wanted_->matcher->next_match(line.text, line.match, end);
    if (!match || match->end <= room) return 0;
    const std::size_t from = match->begin - std::min(match->begin, room / 4);
    return cut_utf8(line.text, std::min(from, line.text.size() - room)).size();
}

Next FileResult::line(const Line& line) {
    if (line.kind == Line::Kind::kMatch) ++matches_;
    const bool is_wanted = wanted_->mode == GrepMode::kContent && !binary_;
    if (is_wanted && lines_before_ < wanted_->lines_before) {
        ++lines_before_;
    } else if (is_wanted) {
        const std::size_t skipped = shown_from(line);
        const std::string_view shown = cut_utf8(line.text.substr(skipped), wanted_->line_bytes_max);
        const std::size_t margin = std::min(skipped, wanted_->margin);
        const std::size_t before =
            margin == 0 ? 0 : skipped - key_begin(line.text, skipped - margin);
        const std::string_view around =
            line.text.substr(skipped - before, before + shown.size() + wanted_->margin);
        lines_.push_back({line.kind, line.number, line.text.size(), skipped, text_.size(), before,
                          shown.size(), around.size()});
        text_ += around;
    }
    return full() ? Next::kStop : Next::kGoOn;
}

void FileResult::set_binary() {
    binary_ = true;
    lines_before_ = 0;
    lines_.clear();
    text_.clear();
}

void FileResult::append(FileResult&& later, std::uint64_t newlines) {
    matches_ += later.matches_;
    if (later.binary_) set_binary();
    if (binary_) return;
    for (Kept kept : later.lines_) {
        if (full()) break;
        kept.begin += text_.size();
        if (kept.number > 0) kept.number += newlines;
        lines_.push_back(kept);
    }
    text_ += later.text_;
}

std::size_t FileResult::bytes() const noexcept {
    return sizeof(*this) + lines_.capacity() * sizeof(Kept) + text_.capacity();
}

GrepFile FileResult::view(std::string_view path) const {
    GrepFile file;
    file.path = path;
    file.binary = binary_;
    file.matches = matches_;
    file.lines.reserve(lines_.size());
    for (const Kept& kept : lines_) {
        const auto around = std::string_view(text_).substr(kept.begin, kept.length_around);
        file.lines.push_back({kept.kind, kept.number, kept.bytes, kept.skipped,
                              around.substr(kept.before, kept.length), around});
    }
    return file;
}

}  // namespace paddock::search
