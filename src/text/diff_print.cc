#include <algorithm>

#include "text/diff.h"

namespace paddock::text {
namespace {

// "12,3", "12" for one line, "11,0" for no line after line 11.
std::string range(std::size_t first, std::size_t count) {
    const std::size_t line = count == 0 ? first : first + 1;
    std::string text = std::to_string(line);
    if (count != 1) text += "," + std::to_string(count);
    return text;
}

class Printer {
public:
    Printer(const Lines& before, const Lines& after, const DiffOptions& options)
        : before_(before), after_(after), options_(options) {}

    void hunk(std::span<const Change> changes) {
        const Change& first = changes.front();
        const Change& last = changes.back();
        const std::size_t lead = std::min(options_.context, first.before);
        const std::size_t last_end = last.before + last.removed;
        const std::size_t trail = std::min(options_.context, before_.size() - last_end);
        const std::size_t from = first.before - lead;
        const std::size_t new_from = first.after - lead;
        const std::size_t new_end = last.after + last.added + trail;
        add("@@ -" + range(from, last_end + trail - from) + " +" +
            range(new_from, new_end - new_from) + " @@\n");
        std::size_t shown = from;
        for (const Change& change : changes) {
            lines(' ', before_, shown, change.before);
            lines('-', before_, change.before, change.before + change.removed);
            lines('+', after_, change.after, change.after + change.added);
            shown = change.before + change.removed;
        }
        lines(' ', before_, shown, last_end + trail);
    }

    DiffText take(std::span<const Change> changes) && {
        for (const Change& change : changes) {
            out_.removed += change.removed;
            out_.added += change.added;
        }
        if (full_) {
            out_.text += "[diff cut here: -" + std::to_string(out_.removed) + " +" +
                         std::to_string(out_.added) + " lines in all]\n";
        }
        return std::move(out_);
    }

private:
    void lines(char mark, const Lines& source, std::size_t from, std::size_t to) {
        for (std::size_t i = from; i < to && !full_; ++i) line(mark, source[i]);
    }

    void line(char mark, std::string_view line) {
        std::string_view body = line.substr(0, line.size() - (line.ends_with('\n') ? 1 : 0));
        std::string text(1, mark);
        if (body.size() > options_.line_bytes_max) {
            out_.cut = true;
            body = body.substr(0, options_.line_bytes_max);
            while (!body.empty() && (line[body.size()] & '\xC0') == '\x80') body.remove_suffix(1);
            text.append(body).append("[...]");
        } else if (body.size() <= options_.bytes_max) {
            text += body;
        } else {
            return stop();
        }
        text += '\n';
        if (!line.ends_with('\n')) text += "\\ No newline at end of file\n";
        add(text);
    }

    void add(std::string_view text) {
        if (full_) return;
        if (out_.text.size() + text.size() > options_.bytes_max) return stop();
        out_.text += text;
    }

    void stop() { full_ = out_.cut = true; }

    const Lines& before_;
    const Lines& after_;
    const DiffOptions& options_;
    DiffText out_;
    bool full_ = false;
};

// git and GNU diff end a name that holds a blank with a tab, so that `patch` sees where it ends.
std::string header(std::string_view mark, std::string_view label) {
    std::string line = std::string(mark) + std::string(label);
    if (label.find(' ') != std::string_view::npos) line += '\t';
    return line + "\n";
}

}  // namespace

DiffText print_hunks(const Lines& before, const Lines& after, std::span<const Change> changes,
                     const DiffOptions& options) {
    Printer printer(before, after, options);
    for (std::size_t first = 0; first < changes.size();) {
        std::size_t next = first + 1;
        while (next < changes.size() &&
               changes[next].before - (changes[next - 1].before + changes[next - 1].removed) <=
                   2 * options.context) {
            ++next;
        }
        printer.hunk(changes.subspan(first, next - first));
        first = next;
    }
    return std::move(printer).take(changes);
}

DiffText unified_diff(std::string_view before, std::string_view after,
                      std::string_view label_before, std::string_view label_after,
                      const DiffOptions& options) {
    const Lines before_lines(before);
    const Lines after_lines(after);
    DiffText diff =
        print_hunks(before_lines, after_lines, diff_lines(before_lines, after_lines), options);
    if (diff.text.empty()) return diff;
    diff.text = header("--- ", label_before) + header("+++ ", label_after) + diff.text;
    return diff;
}

}  // namespace paddock::text
