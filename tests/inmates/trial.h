// One attempt under a launcher, judged.
#pragma once

#include <string>
#include <vector>

#include "inmates/scene.h"

namespace inmates {

struct Outcome {
    Verdict verdict = Verdict::kBlocked;
    std::string note = {};  // why it could not be tried, or that it never started
    bool started = true;    // false: the launcher failed, and the verdict says nothing
};

// The launcher's words come before the inmate's own; "{ws}" and "{home}" stand for directories of
// the scene. No words: no sandbox.
Outcome try_attempt(const Attempt& attempt, const std::vector<std::string>& launcher,
                    const Place& place);

}  // namespace inmates
