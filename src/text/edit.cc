#include "text/edit.h"

#include <algorithm>
#include <utility>

#include <paddock/limits.h>

#include "text/find.h"
#include "text/lf_view.h"
#include "text/miss.h"

namespace paddock::text {
namespace {

constexpr std::size_t kNone = std::string_view::npos;

// The part of an edit that really changes something: what old and new have in common at both ends
// is left alone, whatever endings it has in the file.
struct Core {
    std::size_t skip = 0;  // bytes of the match before it
    std::string_view before;
    std::string_view after;
};

Core core_of(std::string_view before, std::string_view after) {
    const auto differ = std::mismatch(before.begin(), before.end(), after.begin(), after.end());
    const auto skip = static_cast<std::size_t>(differ.first - before.begin());
    before.remove_prefix(skip);
    after.remove_prefix(skip);
    const auto tail = std::mismatch(before.rbegin(), before.rend(), after.rbegin(), after.rend());
    const auto kept = static_cast<std::size_t>(tail.first - before.rbegin());
    before.remove_suffix(kept);
    after.remove_suffix(kept);
    return {skip, before, after};
}

std::string_view ending_at(std::string_view raw, std::size_t newline) {
    return newline > 0 && raw[newline - 1] == '\r' ? "\r\n" : "\n";
}

// Chooses the ending of newlines that come in. Called for matches from left to right, so that what
// was found for one serves the next and a file is never scanned twice.
class Endings {
public:
    explicit Endings(std::string_view raw) : raw_(raw) {}

    // For an insertion at `at` in a match that starts at `match`: the ending before it in the
    // match, else the one after it, else the last of the file.
    std::string_view near(std::size_t match, std::size_t at) {
        const std::string_view inside = raw_.substr(match, at - match);
        if (const std::size_t before = inside.rfind('\n'); before != kNone) {
            return ending_at(raw_, match + before);
        }
        if (next_ == kUnknown || (next_ != kNone && next_ < at)) next_ = raw_.find('\n', at);
        if (next_ != kNone) return ending_at(raw_, next_);
        if (last_ == kUnknown) last_ = raw_.rfind('\n');
        return last_ == kNone ? "\n" : ending_at(raw_, last_);
    }

private:
    static constexpr std::size_t kUnknown = kNone - 1;
    std::string_view raw_;
    std::size_t next_ = kUnknown;
    std::size_t last_ = kUnknown;
};

// Appends `lf` with the endings of the newlines in `replaced`, one by one; when there are no more,
// with the last of them, or with `otherwise` if there was none.
void append_with_endings(std::string& out, std::string_view lf, std::string_view replaced,
                         std::string_view otherwise) {
    std::size_t newline = 0;
    for (std::size_t i = 0; i < lf.size();) {
        const std::size_t end = std::min(lf.find('\n', i), lf.size());
        out += lf.substr(i, end - i);
        if (end == lf.size()) return;
        newline = replaced.find('\n', newline);
        if (newline != kNone)
            otherwise = ending_at(replaced, newline++);
        else
            newline = replaced.size();
        out += otherwise;
        i = end + 1;
    }
}

// One edit on one content.
class Replacer {
public:
    Replacer(const LfView& content, std::string_view before, std::string_view after)
        : content_(content),
          before_(before),
          core_(core_of(before, after)),
          endings_(content.raw()),
          newlines_(core_.after.find('\n') != kNone) {}

    // Replaces the match at `at`, an offset of the LF text; later ones must lie to the right.
    void replace(std::size_t at) {
        const std::string_view raw = content_.raw();
        const std::size_t begin = content_.raw_offset(at + core_.skip);
        const std::size_t end = content_.raw_offset(at + core_.skip + core_.before.size());
        out_ += raw.substr(done_, begin - done_);
        if (newlines_ && content_.has_crlf()) {
            const std::string_view near = endings_.near(content_.raw_offset(at), begin);
            append_with_endings(out_, core_.after, raw.substr(begin, end - begin), near);
        } else {
            out_ += core_.after;
        }
        done_ = end;
    }

    bool fits() const {
        return out_.size() + (content_.raw().size() - done_) <= limits::kTextBytesMax;
    }

    std::size_t next(std::size_t from) const { return find(content_.text(), before_, from); }

    std::string take() && {
        out_ += content_.raw().substr(done_);
        return std::move(out_);
    }

private:
    const LfView& content_;
    std::string_view before_;
    Core core_;
    Endings endings_;
    bool newlines_;
    std::string out_;
    std::size_t done_ = 0;  // raw bytes that are in out_ or replaced
};

// Counts matches and the lines of the first ones.
class Tally {
public:
    explicit Tally(std::string_view text) : text_(text) {}

    void add(std::size_t at) {
        ++seen_.count;
        if (seen_.lines.size() >= limits::kLineNumbersMax) return;
        const std::string_view passed = text_.substr(counted_, at - counted_);
        line_ += static_cast<std::size_t>(std::count(passed.begin(), passed.end(), '\n'));
        counted_ = at;
        seen_.lines.push_back(line_);
    }

    Replaced take() && { return std::move(seen_); }

private:
    std::string_view text_;
    std::size_t counted_ = 0;
    std::size_t line_ = 1;
    Replaced seen_;
};

using Step = tl::expected<std::pair<std::string, Replaced>, EditFailure>;

tl::unexpected<EditFailure> refused(Code code, std::string detail) {
    return tl::unexpected(EditFailure{.code = code, .detail = std::move(detail)});
}

tl::unexpected<EditFailure> too_large(std::string_view what) {
    return refused(Code::kTooLarge,
                   std::string(what) + " larger than " + std::to_string(limits::kTextBytesMax) +
                       " bytes, the most an edit takes. Make smaller edits of a smaller file.");
}

tl::unexpected<EditFailure> ambiguous(std::string_view text, std::string_view wanted,
                                      std::size_t first, std::size_t second) {
    Tally tally(text);
    tally.add(first);
    for (std::size_t at = second, n = 1; at != kNone && n < limits::kMatchesCountedMax; ++n) {
        tally.add(at);
        at = find(text, wanted, at + wanted.size());
    }
    Replaced seen = std::move(tally).take();
    std::string detail = "old_string matches " + std::to_string(seen.count) +
                         (seen.count == limits::kMatchesCountedMax ? " or more" : "") +
                         " places, at lines";
    for (std::size_t i = 0; i < seen.lines.size(); ++i) {
        detail += (i == 0 ? " " : ", ") + std::to_string(seen.lines[i]);
    }
    if (seen.count > seen.lines.size()) detail += ", ...";
    detail += ". Add lines around it until it is unique, or set replace_all.";
    return tl::unexpected(EditFailure{.code = Code::kAmbiguousMatch,
                                      .matches = seen.count,
                                      .lines = std::move(seen.lines),
                                      .detail = std::move(detail)});
}

Step apply_edit(std::string_view content, const Edit& edit, std::string_view original) {
    if (edit.old_string.empty()) {
        return refused(Code::kInvalidArgument,
                       "old_string is empty. Give the text to replace, or write the whole file.");
    }
    if (edit.old_string.size() > limits::kTextBytesMax ||
        edit.new_string.size() > limits::kTextBytesMax) {
        return too_large("old_string or new_string is");
    }
    const LfView view(content);
    const LfView before(edit.old_string);
    const LfView after(edit.new_string);
    if (before.text() == after.text()) {
        return refused(Code::kInvalidArgument,
                       edit.old_string == edit.new_string
                           ? "old_string and new_string are equal, so nothing would change. Give "
                             "the text that is to take its place."
                           : "old_string and new_string differ in line endings only, which an "
                             "edit keeps. Write the whole file to change them.");
    }
    Replacer replacer(view, before.text(), after.text());
    std::size_t at = replacer.next(0);
    if (at == kNone) {
        return refused(Code::kNoMatch,
                       "old_string is not in the file. " +
                           explain_miss(view.text(), before.text(), LfView(original).text()));
    }
    if (!edit.replace_all) {
        const std::size_t second = replacer.next(at + 1);
        if (second != kNone) return ambiguous(view.text(), before.text(), at, second);
    }
    Tally tally(view.text());
    for (; at != kNone; at = edit.replace_all ? replacer.next(at + before.text().size()) : kNone) {
        tally.add(at);
        replacer.replace(at);
        if (!replacer.fits()) {
            return too_large("the edited text would be");
        }
    }
    return std::pair(std::move(replacer).take(), std::move(tally).take());
}

}  // namespace

tl::expected<Edited, EditFailure> apply_edits(std::string_view content, std::span<const Edit> edits,
                                              const std::function<bool()>& is_over) {
    if (edits.empty())
        return refused(Code::kInvalidArgument, "no edits were given. Give one at least.");
    if (edits.size() > limits::kEditsMax) {
        return refused(Code::kLimitReached, "more than " + std::to_string(limits::kEditsMax) +
                                                " edits. Make them in several calls.");
    }
    if (content.size() > limits::kTextBytesMax) {
        return too_large("the file is");
    }
    Edited edited;
    std::string_view current = content;
    for (const Edit& edit : edits) {
        if (is_over && is_over()) return refused(Code::kCancelled, "the edits were not finished.");
        Step step = apply_edit(current, edit, content);
        if (!step) {
            step.error().edit = edited.edits.size();
            return tl::unexpected(std::move(step.error()));
        }
        edited.content = std::move(step->first);
        edited.edits.push_back(std::move(step->second));
        current = edited.content;
    }
    return edited;
}

}  // namespace paddock::text
