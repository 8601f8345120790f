#include "json/value.h"

#include <algorithm>
#include <array>
#include <limits>

namespace paddock::json {

Object::Object() = default;
Object::Object(std::initializer_list<Member> members) : members_(members) {}
Object::Object(const Object& other) = default;
Object::Object(Object&& other) noexcept = default;
Object& Object::operator=(const Object& other) = default;
Object& Object::operator=(Object&& other) noexcept = default;
Object::~Object() = default;

bool Object::empty() const noexcept { return members_.empty(); }
const Member* Object::begin() const noexcept { return members_.data(); }
const Member* Object::end() const noexcept { return members_.data() + members_.size(); }

const Value* Object::find(std::string_view name) const noexcept {
    const auto it = std::find_if(members_.begin(), members_.end(),
                                 [&](const Member& member) { return member.name == name; });
    return it == members_.end() ? nullptr : &it->value;
}

Value* Object::find(std::string_view name) noexcept {
    return const_cast<Value*>(std::as_const(*this).find(name));
}

Value& Object::operator[](std::string_view name) {
    const auto it = std::find_if(members_.begin(), members_.end(),
                                 [&](const Member& member) { return member.name == name; });
    if (it != members_.end()) return it->value;
    return members_.emplace_back(Member{std::string(name), Value()}).value;
}

void Object::append(std::string name, Value value) {
    members_.push_back({std::move(name), std::move(value)});
}

void Object::reserve(std::size_t members) { members_.reserve(members); }

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
