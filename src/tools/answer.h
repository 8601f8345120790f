// What a tool gives back: blocks for the model, or a problem that it can do something about.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <paddock/error.h>
#include <paddock/tools.h>
#include <tl/expected.hpp>

namespace paddock::tools {

struct Problem {
    Code code = Code::kInternal;
    std::string text;  // a sentence or more, ended by what to do next

    Problem(Code what, std::string why) : code(what), text(std::move(why)) {}
    Problem(
        const Error& error);  // what paddock was doing is left out unless everybody knows the word
};

template <class T>
class [[nodiscard]] Attempt : public tl::expected<T, Problem> {
public:
    using tl::expected<T, Problem>::expected;
    Attempt(Problem problem) : tl::expected<T, Problem>(tl::unexpect, std::move(problem)) {}
    Attempt(const Error& error) : tl::expected<T, Problem>(tl::unexpect, Problem(error)) {}
};

// What a call answers that its caller has ended early.
inline Problem call_cancelled() {
    return Problem(Code::kCancelled,
                   "The call was cancelled; its result is not complete. Start it again if it is "
                   "still wanted.");
}

}  // namespace paddock::tools
