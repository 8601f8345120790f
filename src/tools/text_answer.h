// An answer of one text block.
#pragma once

#include <string>
#include <utility>

#include "tools/answer.h"

namespace paddock::tools {

inline Answer text_answer(std::string text) {
    Answer answer;
    answer.blocks.push_back({BlockKind::kText, std::move(text), {}});
    return answer;
}

// Of a call that should be quick and will not be: to be made again elsewhere.
inline Answer deferred() {
    Answer later;
    later.is_deferred = true;
    return later;
}

}  // namespace paddock::tools
