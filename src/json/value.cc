#include "json/value.h"

#include <algorithm>
#include <array>
#include <limits>

namespace paddock::json {

Object::Object(std::initializer_list<Member> members) : members_(members) {}

const Value* Object::find(std::string_view name) const noexcept {
    const auto it = std::find_if(members_.begin(), members_.end(),
                                 [&](const Member& member) { return member.first == name; });
    return it == members_.end() ? nullptr : &it->second;
}

Value& Object::operator[](std::string_view name) {
    const auto it = std::find_if(members_.begin(), members_.end(),
                                 [&](const Member& member) { return member.first == name; });
    if (it != members_.end()) return it->second;
    return members_.emplace_back(std::string(name), Value()).second;
}

void Object::append(std::string name, Value value) {
    members_.emplace_back(std::move(name), std::move(value));
}

Value::Value(std::uint64_t value) {
    if (value <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
        data_ = static_cast<std::int64_t>(value);
    } else {
        data_ = static_cast<double>(value);
    }
}

std::string_view Value::kind() const noexcept {
    constexpr std::array<std::string_view, 7> kKinds{
        "null", "a boolean", "an integer", "a number", "a string", "an array", "an object"};
    return kKinds[data_.index()];
}

}  // namespace paddock::json
