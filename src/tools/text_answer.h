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

}  // namespace paddock::tools
