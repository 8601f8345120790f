// A tool's arguments after decoding: every name is the declared one, every value has the declared
// type and lies in its bounds, defaults are filled in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/value.h"
#include "tools/answer.h"
#include "tools/declaration.h"

namespace paddock::tools {

class Arguments {
public:
    // The first `given` values came with the call, the others are defaults.
    explicit Arguments(json::Object values, std::size_t given = 0)
        : values_(std::move(values)), given_(given) {}

    bool has(std::string_view name) const noexcept { return values_.find(name) != nullptr; }
    bool was_given(std::string_view name) const noexcept;

    // Each must be present: required, with a default, or asked for with has().
    const std::string& text(std::string_view name) const;
    std::int64_t integer(std::string_view name) const;
    bool flag(std::string_view name) const;

    // Absent: empty.
    std::vector<std::string> texts(std::string_view name) const;
    std::vector<Arguments> objects(std::string_view name) const;

private:
    const json::Value& at(std::string_view name) const;

    json::Object values_;
    std::size_t given_;
};

// All that is wrong is told at once: unknown names with the nearest known one, values with what was
// expected and what was given. A null stands for an argument that was left out. Taken besides what
// the schema says: an integer or a flag in a string ("2", "true"), and one string as a list of one.
Attempt<Arguments> decode(const Declaration& tool, const json::Value& given);

}  // namespace paddock::tools
