#include "text/patch_apply.h"

#include <algorithm>
#include <utility>

#include <paddock/limits.h>

#include "base/outcome.h"
#include "text/encoding.h"
#include "text/hunk_place.h"
#include "text/indentation.h"

namespace paddock::text {
namespace {

bool ends_in_cr(const HunkLine& line) { return line.text.ends_with('\r'); }

class Writer {
public:
    explicit Writer(const Lines& file) : file_(file) {}

    // False, and half done, if it is not known how deep to indent a line that comes.
    bool apply(const Hunk& hunk, const Place& place) {
        Indentation indentation;
        if (place.tolerance >= Tolerance::kOuterSpace && !learn(hunk, place.line, indentation)) {
            return false;
        }
        copy_until(place.line);
        replaced_ = done_;
        for (const HunkLine& line : hunk.lines) {
            if (line.mark == ' ') {
                copy_until(done_ + 1);
                replaced_ = done_;
            }
            if (line.mark == '-') ++done_;
            if (line.mark != '+') continue;
            const auto text = indentation.translated(line.text);
            if (!text) return false;
            add({line.mark, *text, line.ends}, place.tolerance);
        }
        if (place.tolerance != Tolerance::kExact) keep_missing_newline(hunk);
        return true;
    }

    std::size_t size() const { return out_.size(); }

    std::string take() && {
        copy_until(file_.size());
        return std::move(out_);
    }

    // The ending of the nearest line before this one, else after it.
    std::string_view ending_near(std::size_t line) const {
        const std::string_view before = line > 0 ? ending_of(file_[line - 1]) : std::string_view();
        const std::string_view after = ending_of(file_[line]);
        if (!before.empty()) return before;
        if (!after.empty()) return after;
        return line > 1 ? ending_of(file_[line - 2]) : std::string_view("\n");
    }

private:
    bool learn(const Hunk& hunk, std::size_t at, Indentation& indentation) const {
        return std::all_of(hunk.lines.begin(), hunk.lines.end(), [&](const HunkLine& line) {
            return line.mark == '+' || indentation.learn(line.text, file_[at++]);
        });
    }

    // One copy for all of them: a file is mostly lines that stay.
    void copy_until(std::size_t line) {
        if (done_ >= line) return;
        end_last_line();
        out_ += file_.text().substr(file_.offset(done_), file_.offset(line) - file_.offset(done_));
        done_ = line;
    }

    void add(const HunkLine& line, Tolerance tolerance) {
        end_last_line();
        const bool as_written = tolerance == Tolerance::kExact;
        out_ += line.text.substr(0, line.text.size() - (!as_written && ends_in_cr(line) ? 1 : 0));
        const std::string_view ending = as_written ? "\n" : next_ending();
        if (line.ends) out_ += ending;
    }

    // Of the line whose place is taken, one by one, else of the nearest.
    std::string_view next_ending() {
        const std::string_view ending =
            replaced_ < done_ ? ending_of(file_[replaced_++]) : std::string_view();
        return ending.empty() ? ending_near(done_) : ending;
    }

    // Something follows a line that was the file's last and had no newline.
    void end_last_line() {
        if (!out_.empty() && !out_.ends_with('\n')) out_ += ending_near(done_);
    }

    // A patch that does not speak of the newline at the end of the file does not bring one.
    void keep_missing_newline(const Hunk& hunk) {
        const bool missing = file_.size() > 0 && !file_.text().ends_with('\n');
        const bool told = std::any_of(hunk.lines.begin(), hunk.lines.end(),
                                      [](const HunkLine& line) { return !line.ends; });
        if (!missing || told || done_ != file_.size() || hunk.lines.back().mark == ' ') return;
        out_.resize(out_.size() - ending_of(out_).size());
    }

    const Lines& file_;
    std::string out_;
    std::size_t done_ = 0;      // lines of the file that are copied or dropped
    std::size_t replaced_ = 0;  // the first that was dropped and has no line in its place yet
};

bool knows_carriage_returns(const FileChange& change) {
    return std::any_of(change.hunks.begin(), change.hunks.end(), [](const Hunk& hunk) {
        return std::any_of(hunk.lines.begin(), hunk.lines.end(), ends_in_cr);
    });
}

PatchFailure too_large_to_patch(std::string_view what) {
    return {.code = Code::kTooLarge,
            .detail = std::string(what) + " larger than " + std::to_string(limits::kTextBytesMax) +
                      " bytes, the most a patch takes. Leave it out of the patch."};
}

PatchOutcome<Applied> apply_hunks(std::string_view content, const FileChange& change) {
    const Lines file(content);
    HunkPlacer placer(file);
    Writer writer(file);
    Applied applied;
    const bool carriage_returns = knows_carriage_returns(change);
    for (std::size_t i = 0; i < change.hunks.size(); ++i) {
        const Hunk& hunk = change.hunks[i];
        PADDOCK_ASSIGN(place, placer.place(hunk));
        // Lines without any beside them cannot show which endings they mean.
        const bool alone = std::all_of(hunk.lines.begin(), hunk.lines.end(),
                                       [](const HunkLine& line) { return line.mark == '+'; });
        const bool at_open_end = place.line == file.size() && !content.ends_with('\n');
        if (alone && !content.empty() && !carriage_returns &&
            (writer.ending_near(place.line) == "\r\n" || at_open_end)) {
            place.tolerance = Tolerance::kEndings;
            place.notes.emplace_back("adds lines with the endings of the file");
        }
        applied.as_stated = applied.as_stated && place.as_stated;
        if (!writer.apply(hunk, place)) {
            return PatchFailure{.code = Code::kPatchFailed,
                                .patch_line = hunk.patch_line,
                                .hunk = i + 1,
                                .detail = "hunk " + std::to_string(i + 1) +
                                          " matches the file at line " +
                                          std::to_string(place.line + 1) +
                                          " only without its indentation, which differs unevenly. "
                                          "Give its lines as they stand in the file."};
        }
        if (writer.size() > limits::kTextBytesMax)
            return too_large_to_patch("the patched text would be");
        for (const std::string& note : place.notes) {
            applied.notes.push_back("hunk " + std::to_string(i + 1) + " " + note);
        }
    }
    applied.content = std::move(writer).take();
    return applied;
}

PatchFailure failed(Code code, std::string_view detail) {
    return {.code = code, .detail = std::string(detail)};
}

// Lines of a patch that were copied from what read_file shows have no mark; those of git have it.
bool knows_mark(const FileChange& change, std::string_view mark) {
    return std::any_of(change.hunks.begin(), change.hunks.end(), [&](const Hunk& hunk) {
        return std::any_of(hunk.lines.begin(), hunk.lines.end(),
                           [&](const HunkLine& line) { return line.text.starts_with(mark); });
    });
}

PatchOutcome<Applied> apply_to(std::string_view content, const FileChange& change) {
    if (content.size() > limits::kTextBytesMax) return too_large_to_patch("the file is");
    if (change.kind == ChangeKind::kCreate && !content.empty()) {
        return failed(Code::kAlreadyExists,
                      "the patch creates the file, but it is there already. Read it and patch what "
                      "is there.");
    }
    if (change.expects_empty && !content.empty()) {
        return failed(Code::kPatchFailed,
                      "the hunk takes the file for a new or empty one, but it has lines. Give it "
                      "context lines.");
    }
    if (change.any_content) return Applied{};
    std::string_view mark = byte_order_mark({Encoding::kUtf8, true});
    if (!content.starts_with(mark) || knows_mark(change, mark)) mark = {};
    PADDOCK_ASSIGN(applied, apply_hunks(content.substr(mark.size()), change));
    const bool is_emptied = change.kind == ChangeKind::kDelete && applied.content.empty();
    if (!is_emptied) applied.content.insert(0, mark);
    if (applied.content.size() > limits::kTextBytesMax)
        return too_large_to_patch("the patched text would be");
    if (change.kind == ChangeKind::kDelete && !applied.content.empty()) {
        return failed(Code::kPatchFailed,
                      "the patch deletes the file, but the file has lines that the patch does not "
                      "remove. Read it again.");
    }
    return std::move(applied);
}

}  // namespace

PatchOutcome<Applied> apply_change(std::string_view content, const FileChange& change) {
    auto applied = apply_to(content, change);
    if (!applied) applied.error().path = change.path;
    return applied;
}

}  // namespace paddock::text
