// What can be done in a Scene: each method of Root, most of them in several situations.
#pragma once

#include <functional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <paddock/root.h>

namespace paddock::testing {

// One call of the public interface. The text says what it found, the same for every faultless run.
struct Operation {
    std::string name;
    std::function<Result<std::string>(const Root&)> run;
    bool changes = false;   // what is in the workspace
    bool in_place = false;  // promises no more than that a file has the beginning of its content
};

void PrintTo(const Operation& operation, std::ostream* out);

const std::vector<Operation>& operations();

// The text, or the code of the refusal.
std::string told(const Result<std::string>& result);

inline constexpr std::string_view kNew = "the new content, which is longer\n";

}  // namespace paddock::testing
