// Boost.JSON's incremental parser does the grammar, the numbers and UTF-8; the handler builds our
// values and refuses what that parser lets pass: duplicate names, numbers beyond a double, too many
// values.
#include "json/parse.h"

#include <algorithm>
#include <boost/json/basic_parser_impl.hpp>
#include <cmath>
#include <new>

namespace paddock::json {
namespace {

namespace bj = boost::json;

enum class Refusal { kNone, kDuplicate, kNumber, kValues };

class Builder {
public:
    // NOLINTBEGIN(readability-identifier-naming): basic_parser asks for these names.
    constexpr static std::size_t max_array_size = std::size_t(-1);
    constexpr static std::size_t max_object_size = std::size_t(-1);
    constexpr static std::size_t max_string_size = std::size_t(-1);
    constexpr static std::size_t max_key_size = std::size_t(-1);
    // NOLINTEND(readability-identifier-naming)
    using error_code = bj::error_code;

    explicit Builder(std::size_t values_max) : values_left_(values_max) {}

    bool on_document_begin(error_code&) { return true; }
    bool on_document_end(error_code&) { return true; }
    bool on_array_begin(error_code& error) { return open(false, error); }
    bool on_object_begin(error_code& error) { return open(true, error); }
    bool on_array_end(std::size_t, error_code& error) {
        Array array = std::move(levels_.back().items);
        levels_.pop_back();
        return add(Value(std::move(array)), error);
    }
    bool on_object_end(std::size_t, error_code& error) {
        if (has_duplicate(levels_.back().members)) return refuse(Refusal::kDuplicate, error);
        Object object = std::move(levels_.back().members);
        levels_.pop_back();
        return add(Value(std::move(object)), error);
    }
    bool on_key_part(bj::string_view part, std::size_t, error_code&) {
        text_.append(part.data(), part.size());
        return true;
    }
    bool on_key(bj::string_view part, std::size_t, error_code&) {
        text_.append(part.data(), part.size());
        levels_.back().name = std::exchange(text_, {});
        return true;
    }
    bool on_string_part(bj::string_view part, std::size_t, error_code&) {
        text_.append(part.data(), part.size());
        return true;
    }
    bool on_string(bj::string_view part, std::size_t, error_code& error) {
        text_.append(part.data(), part.size());
        return count(error) && add(Value(std::exchange(text_, {})), error);
    }
    bool on_number_part(bj::string_view, error_code&) { return true; }
    bool on_int64(std::int64_t number, bj::string_view, error_code& error) {
        return count(error) && add(Value(number), error);
    }
    bool on_uint64(std::uint64_t number, bj::string_view, error_code& error) {
        return count(error) && add(Value(number), error);
    }
    bool on_double(double number, bj::string_view, error_code& error) {
        if (!std::isfinite(number)) return refuse(Refusal::kNumber, error);
        return count(error) && add(Value(number), error);
    }
    bool on_bool(bool value, error_code& error) { return count(error) && add(Value(value), error); }
    bool on_null(error_code& error) { return count(error) && add(Value(), error); }
    bool on_comment_part(bj::string_view, error_code&) { return true; }
    bool on_comment(bj::string_view, error_code&) { return true; }

    Refusal refusal() const { return refusal_; }
    Value take() { return std::move(result_); }

private:
    struct Level {
        bool is_object = false;
        Object members;
        std::string name;  // of the next member
        Array items;
    };

    static bool has_duplicate(const Object& members) {
        std::vector<std::string_view> sorted;
        for (const Member& member : members) sorted.emplace_back(member.name);
        std::sort(sorted.begin(), sorted.end());
        return std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end();
    }

    bool open(bool is_object, error_code& error) {
        if (!count(error)) return false;
        levels_.emplace_back().is_object = is_object;
        return true;
    }

    bool count(error_code& error) {
        if (values_left_ == 0) return refuse(Refusal::kValues, error);
        --values_left_;
        return true;
    }

    bool add(Value value, error_code&) {
        if (levels_.empty()) {
            result_ = std::move(value);
        } else if (Level& level = levels_.back(); level.is_object) {
            level.members.append(std::move(level.name), std::move(value));
        } else {
            level.items.push_back(std::move(value));
        }
        return true;
    }

    bool refuse(Refusal why, error_code& error) {
        refusal_ = why;
        error = bj::error::syntax;
        return false;
    }

    std::size_t values_left_;
    std::vector<Level> levels_;
    std::string text_;
    Value result_;
    Refusal refusal_ = Refusal::kNone;
};

// Ends with the first half of a pair, as an emoji has one: "\\ud83d".
bool ends_in_half_character(std::string_view text) {
    constexpr std::size_t kEscapeBytes = 6;
    if (text.size() < kEscapeBytes) return false;
    const std::string_view escape = text.substr(text.size() - kEscapeBytes);
    return escape.starts_with("\\u") && (escape[2] == 'd' || escape[2] == 'D') &&
           std::string_view("89abAB").find(escape[3]) != std::string_view::npos;
}

// `read` is the text before the error.
std::string explain(Refusal refusal, const bj::error_code& error, std::string_view read) {
    switch (refusal) {
        case Refusal::kDuplicate: return "an object has the same name twice";
        case Refusal::kNumber: return "a number is out of range";
        case Refusal::kValues: return "there are too many values";
        case Refusal::kNone: break;
    }
    if (error == bj::error::incomplete) return "the text ends too early";
    if (error == bj::error::too_deep) return "it is nested too deeply";
    if (error == bj::error::extra_data) return "there is something after the document";
    if (error == bj::error::illegal_leading_surrogate ||
        error == bj::error::illegal_trailing_surrogate || ends_in_half_character(read)) {
        return "a string contains half of a surrogate pair, such as \\ud83d";
    }
    return error.message();
}

}  // namespace

Parsed parse(std::string_view text, const ParseLimits& limits) try {
    if (text.size() > limits.bytes_max) return {{}, "the text is too long"};
    bj::parse_options options;
    options.max_depth = limits.depth_max;
    bj::basic_parser<Builder> parser(options, limits.values_max);
    bj::error_code error;
    const std::size_t used = parser.write_some(false, text.data(), text.size(), error);
    if (!error && text.substr(used).find_first_not_of(" \t\r\n") != std::string_view::npos) {
        error = bj::error::extra_data;
    }
    if (!error) return {parser.handler().take(), {}};
    return {{},
            explain(parser.handler().refusal(), error, text.substr(0, used)) + " (byte " +
                std::to_string(used) + ")"};
} catch (const std::bad_alloc&) {
    return {{}, "there is no memory for it"};
}

}  // namespace paddock::json
