// The rows of an answer as the text that a model reads, and back: what the secrets filter replaced
// in the text is replaced in the rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include <paddock/tools.h>

#include "secrets/redaction.h"

namespace paddock::tools {

// A part of the text that the filter sees by itself. Printing is most of the work of a short read,
// so it is done in place.
class Section {
public:
    enum class Fields : bool { kForget, kKeep };
    explicit Section(Fields fields = Fields::kForget) : keeps_fields_(fields == Fields::kKeep) {}

    // Each adds to the text: words of paddock's own, a field of a row, a line of the only Lines.
    void add(std::string_view words) {
        std::memcpy(room(words.size()), words.data(), words.size());
        size_ += words.size();
    }
    void add(char c) {
        *room(1) = c;
        ++size_;
    }
    void field(std::string& value) {
        if (keeps_fields_) fields_.push_back({{size_, size_ + value.size()}, &value, nullptr});
        add(value);
    }
    void line(Lines& lines, Line& line) {
        if (keeps_fields_) fields_.push_back({{size_, size_ + line.size}, nullptr, &line});
        lines_ = &lines;
        add({lines.text.data() + line.begin, line.size});
    }
    // At the end of a column that is so wide, at most 8.
    void number(std::int64_t value, std::size_t width, char behind);

    // So many bytes are to come.
    void reserve(std::size_t bytes) { (void)room(bytes); }

    // Ends it.
    std::string take() {
        text_.resize(size_);
        return std::move(text_);
    }

    // `passes` made `redacted` of the text: so do the fields, which were kept. Of those that one
    // secret spans the first has the mark; the others are empty, or lines that are gone.
    void redact_fields(const std::vector<secrets::Replacements>& passes,
                       const std::string& redacted);

private:
    struct Field {
        secrets::TextPart part;
        std::string* value;  // or
        Line* line;
    };
    void carry_over(const secrets::Replacements& replaced);
    char* room(std::size_t bytes) {
        if (text_.size() - size_ < bytes) text_.resize(size_ + bytes + text_.size());
        return text_.data() + size_;
    }

    std::string text_;  // longer than what is printed
    std::size_t size_ = 0;
    const bool keeps_fields_;
    std::vector<Field> fields_;
    Lines* lines_ = nullptr;
};

// Of grep each file has a section: a key whose end is not shown would take in the next file.
std::size_t section_count(Answer& answer);
void print(Answer& answer, std::size_t number, Section& section);

// What is said behind a path.
inline constexpr std::string_view kBinaryRemark = "  (binary file matches)";

// What is said behind a line that was cut: " [line cut: 12 more bytes]".
std::string cut_remark(const Line& line);

// Neither a file, nor a directory, nor a link.
constexpr bool is_special(FileType type) noexcept {
    return type != FileType::kRegular && type != FileType::kDirectory && type != FileType::kSymlink;
}

// Rows that a secret of another row took in.
void drop_empty_rows(Found& found);

}  // namespace paddock::tools
