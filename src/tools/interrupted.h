// What a change answers that was interrupted before anything was written.
#pragma once

#include <string>

#include "search/interruption.h"
#include "tools/answer.h"

namespace paddock::tools {

// `what` took too long: "The edits".
inline Problem interrupted(const search::Interruption& by, const std::string& what) {
    if (by.cause() == search::Interruption::Cause::kCancelled) return call_cancelled();
    return Problem(Code::kLimitReached, what +
                                            " took longer than a call may. Nothing was changed. "
                                            "Make them in several calls.");
}

}  // namespace paddock::tools
