// Remarks that close an answer: "\n[The first. The second.]", or nothing.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace paddock::tools {

class Notes {
public:
    void add(std::string_view note) { text_.append(text_.empty() ? "\n[" : " ").append(note); }
    std::string text() const { return text_.empty() ? "" : text_ + "]"; }

private:
    std::string text_;
};

inline std::string seconds_of(std::chrono::milliseconds time) {
    return std::to_string(std::chrono::duration_cast<std::chrono::seconds>(time).count());
}

// Of a file with several names that was replaced under one of them.
inline std::string note_of_other_names(std::uint64_t names) {
    return "had " + std::to_string(names) + " names; the other" +
           (names == 2 ? " keeps" : "s keep") + " the old content";
}

inline std::string closing_for_other_names(std::uint64_t names) {
    Notes notes;
    if (names > 1) notes.add("The file " + note_of_other_names(names) + ".");
    return notes.text();
}

}  // namespace paddock::tools
