// A workspace with a bit of everything, what can be done in it, and how to see what was done.
#pragma once

#include <functional>
#include <map>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "testing/jail.h"

namespace paddock::testing {

// Every object below the scratch directory by its path: kind, permissions, owner, content, link
// text, extended attributes, and a modification time if somebody set it to the distant past.
using Snapshot = std::map<std::string, std::string>;

// One call of the public interface. The text says what it found, the same for every faultless run.
struct Operation {
    std::string name;
    std::function<Result<std::string>(const Root&)> run;
    bool changes = false;   // what is in the workspace
    bool in_place = false;  // promises no more than that a file has the beginning of its content
};

void PrintTo(const Operation& operation, std::ostream* out);

// Each method of Root, most of them in several situations.
const std::vector<Operation>& operations();

// The text, or the code of the refusal.
std::string told(const Result<std::string>& result);

class Scene : public Jail {
protected:
    Scene();

    // Makes the workspace anew, below the same root directory; the outside stays.
    void restore();

    Snapshot snapshot() const;

    // Takes the names of temporary files out of a snapshot and says how many there were.
    static std::size_t take_temporaries(Snapshot& snapshot);
};

inline constexpr std::string_view kOld = "the old content\n";
inline constexpr std::string_view kNew = "the new content, which is longer\n";

}  // namespace paddock::testing
