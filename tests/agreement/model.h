// What each call must answer, from where the reference says that its path leads.
//
// Answers are strings, so that they can be compared and printed: an error code's name, or "ok" with
// what was found.
#pragma once

#include <string>
#include <string_view>

#include "agreement/reference.h"

namespace paddock::agreement {

enum class Look { kStat, kLstat, kOpenFile, kOpenDirectory, kResolve, kReadlink };
inline constexpr Look kLooks[] = {Look::kStat,          Look::kLstat,   Look::kOpenFile,
                                  Look::kOpenDirectory, Look::kResolve, Look::kReadlink};
std::string_view look_name(Look look);

struct Answer {
    std::string text;
    bool as_plain_os = false;  // the plain OS, asked for the normalised path, answers the same
};

Answer expected(Look look, std::string_view path, const Node& root, const Rules& rules);

// The spelling of answers, for the model and for those who are compared with it.
std::string refused(Code code);
std::string found(const Identity& identity);

}  // namespace paddock::agreement
