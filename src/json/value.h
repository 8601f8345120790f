// A JSON value. Objects keep the order of their members, and have each name once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace paddock::json {

class Value;
struct Member;
using Array = std::vector<Value>;

class Object {
public:
    Object();
    Object(std::initializer_list<Member> members);
    Object(const Object& other);
    Object(Object&& other) noexcept;
    Object& operator=(const Object& other);
    Object& operator=(Object&& other) noexcept;
    ~Object();

    // nullptr if there is none of that name.
    const Value* find(std::string_view name) const noexcept;
    Value* find(std::string_view name) noexcept;
    Value& operator[](std::string_view name);  // made as null if absent

    // Without a look for another of that name.
    void append(std::string name, Value value);
    void reserve(std::size_t members);

    bool empty() const noexcept;
    const Member* begin() const noexcept;
    const Member* end() const noexcept;

private:
    std::vector<Member> members_;
};

class Value {
public:
    Value() = default;
    Value(std::nullptr_t) {}
    Value(bool value) : data_(value) {}
    Value(int value) : data_(std::int64_t{value}) {}
    Value(std::int64_t value) : data_(value) {}
    Value(std::uint64_t value);  // a double above the range of int64_t
    Value(double value) : data_(value) {}
    Value(const char* value) : data_(std::string(value)) {}
    Value(std::string_view value) : data_(std::string(value)) {}
    Value(std::string value) : data_(std::move(value)) {}
    Value(Array value) : data_(std::move(value)) {}
    Value(Object value) : data_(std::move(value)) {}

    // Each: nullptr if it is something else.
    const bool* as_bool() const noexcept { return std::get_if<bool>(&data_); }
    const std::int64_t* as_integer() const noexcept { return std::get_if<std::int64_t>(&data_); }
    const double* as_double() const noexcept { return std::get_if<double>(&data_); }
    const std::string* as_string() const noexcept { return std::get_if<std::string>(&data_); }
    const Array* as_array() const noexcept { return std::get_if<Array>(&data_); }
    const Object* as_object() const noexcept { return std::get_if<Object>(&data_); }
    // The same, to take it out.
    std::string* as_string() noexcept { return std::get_if<std::string>(&data_); }
    Object* as_object() noexcept { return std::get_if<Object>(&data_); }
    bool is_null() const noexcept { return std::holds_alternative<std::monostate>(data_); }

    // "null", "a boolean", "an integer", "a number", "a string", "an array", "an object".
    std::string_view kind() const noexcept;

private:
    std::variant<std::monostate, bool, std::int64_t, double, std::string, Array, Object> data_;
};

struct Member {
    std::string name;
    Value value;
};

}  // namespace paddock::json
