// Outcome<T>: a value or a Failure, the currency below Root. Root adds operation and path and
// hands out Result<T>.
#pragma once

#include <tl/expected.hpp>

#include <paddock/error.h>

namespace paddock {

template <class T>
class [[nodiscard]] Outcome : public tl::expected<T, Failure> {
public:
    using tl::expected<T, Failure>::expected;
    Outcome(Failure failure) : tl::expected<T, Failure>(tl::unexpect, failure) {}
};

using Done = Outcome<void>;

inline Failure refuse(Code code, std::string_view reason = {}, int os_error = 0) noexcept {
    return Failure{code, os_error, reason};
}

// The same, with what the caller asked for.
inline Error as_error(const Failure& failure, std::string_view operation, std::string_view path) {
    Error error;
    static_cast<Failure&>(error) = failure;
    error.operation = operation;
    error.path = path;
    return error;
}

}  // namespace paddock

// Evaluates an expression that yields an Outcome and returns its failure, if any.
#define PADDOCK_TRY(expression)                                                           \
    do {                                                                                  \
        if (auto paddock_try_ = (expression); !paddock_try_) return paddock_try_.error(); \
    } while (false)

// Declares `name` from the value of an Outcome, or returns its failure.
#define PADDOCK_ASSIGN(name, expression)                  \
    auto name##_outcome_ = (expression);                  \
    if (!name##_outcome_) return name##_outcome_.error(); \
    auto& name = *name##_outcome_  // NOLINT(bugprone-macro-parentheses)
