// Remarks that close an answer: "\n[The first. The second.]", or nothing.
#pragma once

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

}  // namespace paddock::tools
