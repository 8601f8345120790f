#include "tools/declaration.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <paddock/limits.h>

#include "base/check.h"
#include "base/display.h"
#include "base/utf8.h"
#include "fs/rel_path.h"
#include "json/write.h"
#include "text/names.h"
#include "tools/answer.h"
#include "tools/session.h"

namespace paddock::tools {
namespace {

using Declared = std::vector<Argument>;

const Argument* find(const Declared& declared, std::string_view name) {
    for (const Argument& argument : declared) {
        const auto& aliases = argument.aliases;
        if (argument.name == name) return &argument;
        if (std::find(aliases.begin(), aliases.end(), name) != aliases.end()) return &argument;
    }
    return nullptr;
}

std::string kind_of(const Argument& argument) {
    switch (argument.type) {
        case Type::kText: return "a string";
        case Type::kInteger: return "an integer";
        case Type::kFlag: return "true or false";
        case Type::kTexts: return "an array of strings";
        case Type::kObjects: return "an array of objects";
    }
    return {};
}

std::string range_of(const Argument& argument, std::string_view unit) {
    const std::string least = argument.smallest ? std::to_string(*argument.smallest) : "";
    const std::string most = argument.largest ? std::to_string(*argument.largest) : "";
    if (least.empty()) return "at most " + most + std::string(unit);
    if (most.empty()) return "at least " + least + std::string(unit);
    return "from " + least + " to " + most + std::string(unit);
}

bool in_range(const Argument& argument, std::int64_t number) {
    return (!argument.smallest || number >= *argument.smallest) &&
           (!argument.largest || number <= *argument.largest);
}

// What was given, as far as it helps to recognise it.
std::string shown(const json::Value& value) {
    constexpr std::size_t kShownMax = 40;
    if (value.as_array() != nullptr || value.as_object() != nullptr) {
        return std::string(value.kind());
    }
    const std::string* text = value.as_string();
    if (text == nullptr) return json::to_text(value);
    const std::string_view part = cut_utf8(*text, kShownMax);
    return "the string '" + displayable(part) + (part.size() < text->size() ? "...'" : "'");
}

class Decoder {
public:
    explicit Decoder(const Declaration& tool) : passed_over_(tool.passed_over) {}

    // The values by declared name; what is wrong goes to problems.
    json::Object object(const Declared& declared, const json::Object& given,
                        const std::string& where) {
        json::Object decoded;
        decoded.reserve(declared.size());
        for (const auto& [name, value] : given) {
            if (const Argument* argument = find(declared, name)) {
                take(*argument, name, value, where, decoded);
            } else if (!where.empty() || !is_passed_over(name)) {
                unknown(declared, name, where);
            }
        }
        if (where.empty()) given_ = static_cast<std::size_t>(decoded.end() - decoded.begin());
        for (const Argument& argument : declared) {
            if (decoded.find(argument.name) != nullptr) continue;
            if (argument.required) {
                complain(where, argument.name, "is required");
                wrong_names_ = true;
            }
            if (!argument.default_value.is_null()) decoded[argument.name] = argument.default_value;
        }
        return decoded;
    }

    // Empty: all is well.
    std::string problems() const {
        if (complaints_ <= kComplaintsMax) return problems_;
        return problems_ + "; and " + std::to_string(complaints_ - kComplaintsMax) + " more";
    }
    // Of the arguments themselves: those that are no defaults.
    std::size_t given() const { return given_; }
    // The names themselves were wrong, not only their values.
    bool wrong_names() const { return wrong_names_; }

private:
    bool is_passed_over(const std::string& name) const {
        return std::find(passed_over_.begin(), passed_over_.end(), name) != passed_over_.end();
    }

    void take(const Argument& argument, const std::string& name, const json::Value& value,
              const std::string& where, json::Object& decoded) {
        if (value.is_null()) return;
        if (decoded.find(argument.name) != nullptr) {
            return complain(where, name,
                            name == argument.name
                                ? "is also given under another name; give only one"
                                : "is another name of '" + std::string(argument.name) +
                                      "', which is also given; give only one");
        }
        decoded[argument.name] = typed(argument, value, where);
    }

    json::Value typed(const Argument& argument, const json::Value& value,
                      const std::string& where) {
        switch (argument.type) {
            case Type::kText:
                if (const std::string* text = value.as_string()) {
                    check_choice(argument, *text, where);
                    return value;
                }
                break;
            case Type::kFlag:
                if (const auto flag = truth(value)) return *flag;
                break;
            case Type::kInteger:
                if (const auto number = whole(value)) {
                    if (!in_range(argument, *number)) {
                        complain(where, argument.name,
                                 "must be " + range_of(argument, "") + ", not " + shown(value));
                    }
                    return *number;
                }
                break;
            case Type::kTexts:
                if (value.as_string() != nullptr) return list(argument, {value}, where);
                [[fallthrough]];
            case Type::kObjects:
                if (const json::Array* array = value.as_array()) {
                    return list(argument, *array, where);
                }
                break;
        }
        complain(where, argument.name, "must be " + kind_of(argument) + ", not " + shown(value));
        return {};
    }

    // Models write "true" and "2" where they mean true and 2.
    static std::optional<bool> truth(const json::Value& value) {
        if (const bool* flag = value.as_bool()) return *flag;
        const std::string* text = value.as_string();
        if (text == nullptr || (*text != "true" && *text != "false")) return std::nullopt;
        return *text == "true";
    }

    static std::optional<std::int64_t> whole(const std::string& text) {
        std::int64_t number = 0;
        const char* end = text.data() + text.size();
        const auto [rest, error] = std::from_chars(text.data(), end, number);
        if (error != std::errc() || rest != end) return std::nullopt;
        return number;
    }

    static std::optional<std::int64_t> whole(const json::Value& value) {
        if (const std::int64_t* number = value.as_integer()) return *number;
        if (const std::string* text = value.as_string()) return whole(*text);
        const double* number = value.as_double();
        constexpr double kExact = 9007199254740992.0;
        if (number == nullptr || std::trunc(*number) != *number) return std::nullopt;
        if (std::abs(*number) > kExact) return std::nullopt;
        return static_cast<std::int64_t>(*number);
    }

    void check_choice(const Argument& argument, const std::string& text, const std::string& where) {
        const auto& choices = argument.choices;
        if (choices.empty()) return;
        if (std::find(choices.begin(), choices.end(), text) != choices.end()) return;
        std::string names;
        for (const std::string_view choice : choices) {
            names += (names.empty() ? "'" : ", '") + std::string(choice) + "'";
        }
        complain(where, argument.name,
                 "must be one of " + names + ", not '" + displayable(cut_utf8(text, 40)) + "'");
    }

    json::Value list(const Argument& argument, const json::Array& array, const std::string& where) {
        const auto count = static_cast<std::int64_t>(array.size());
        if (!in_range(argument, count)) {
            complain(
                where, argument.name,
                "must have " + range_of(argument, " items") + ", not " + std::to_string(count));
            return {};
        }
        json::Array items;
        for (std::size_t i = 0; i < array.size(); ++i) {
            const std::string place =
                where + std::string(argument.name) + "[" + std::to_string(i) + "]";
            const bool is_text = argument.type == Type::kTexts;
            if (is_text && array[i].as_string() != nullptr) {
                items.push_back(array[i]);
            } else if (!is_text && array[i].as_object() != nullptr) {
                items.emplace_back(object(argument.members, *array[i].as_object(), place + "."));
            } else {
                complain("", place,
                         std::string("must be ") + (is_text ? "a string" : "an object") + ", not " +
                             shown(array[i]));
            }
        }
        return items;
    }

    void unknown(const Declared& declared, const std::string& name, const std::string& where) {
        std::vector<std::string> names;
        for (const Argument& argument : declared) names.emplace_back(argument.name);
        const std::string near = text::nearest_word(name, names);
        std::string why = "is not an argument";
        if (!near.empty()) why += " (did you mean '" + near + "'?)";
        complain(where, std::string_view(name).substr(0, kNameShownMax), why);
        wrong_names_ = true;
    }

    void complain(const std::string& where, std::string_view name, const std::string& why) {
        if (++complaints_ > kComplaintsMax) return;
        if (!problems_.empty()) problems_ += "; ";
        problems_ += "'" + displayable(where + std::string(name)) + "' " + why;
    }

    static constexpr int kComplaintsMax = 10;  // more would only hide the first ones
    static constexpr std::size_t kNameShownMax = 100;

    const std::vector<std::string_view>& passed_over_;
    std::string problems_;
    int complaints_ = 0;
    std::size_t given_ = 0;
    bool wrong_names_ = false;
};

// "It takes 'path' (required), 'offset' and 'limit'."
std::string takes(const Declaration& tool) {
    if (tool.arguments.empty()) return "It takes no arguments.";
    std::string names;
    for (const Argument& argument : tool.arguments) {
        names += (names.empty() ? "'" : ", '") + std::string(argument.name) + "'";
        if (argument.required) names += " (required)";
    }
    return "It takes " + names + ".";
}

}  // namespace

const json::Value& Arguments::at(std::string_view name) const {
    const json::Value* value = values_.find(name);
    PADDOCK_CHECK(value != nullptr);
    return *value;
}

bool Arguments::was_given(std::string_view name) const noexcept {
    const auto end = values_.begin() + static_cast<std::ptrdiff_t>(given_);
    return std::any_of(values_.begin(), end,
                       [&](const json::Member& each) { return each.name == name; });
}

const std::string& Arguments::text(std::string_view name) const {
    const std::string* value = at(name).as_string();
    PADDOCK_CHECK(value != nullptr);
    return *value;
}

std::int64_t Arguments::integer(std::string_view name) const {
    const std::int64_t* value = at(name).as_integer();
    PADDOCK_CHECK(value != nullptr);
    return *value;
}

bool Arguments::flag(std::string_view name) const {
    const bool* value = at(name).as_bool();
    PADDOCK_CHECK(value != nullptr);
    return *value;
}

std::vector<std::string> Arguments::texts(std::string_view name) const {
    std::vector<std::string> all;
    if (!has(name)) return all;
    for (const json::Value& item : *at(name).as_array()) all.push_back(*item.as_string());
    return all;
}

std::vector<Arguments> Arguments::objects(std::string_view name) const {
    std::vector<Arguments> all;
    if (!has(name)) return all;
    for (const json::Value& item : *at(name).as_array()) all.emplace_back(*item.as_object());
    return all;
}

Result<Arguments> decode(const Declaration& tool, const json::Value& given) {
    const std::string name(tool.name);
    const json::Object* object = given.as_object();
    if (object == nullptr) {
        return tool_error(Code::kInvalidArgument, name + ": the arguments must be an object, not " +
                                                      std::string(given.kind()) +
                                                      ". Give an object such as " +
                                                      std::string(tool.example) + ".");
    }
    Decoder decoder(tool);
    json::Object values = decoder.object(tool.arguments, *object, "");
    if (decoder.problems().empty()) return Arguments(std::move(values), decoder.given());
    return tool_error(Code::kInvalidArgument,
                      name + ": " + decoder.problems() + ". " +
                          (decoder.wrong_names() ? takes(tool) : "Correct the call."));
}

std::vector<Argument> two_path_arguments() {
    return {{.name = "source",
             .help = "The path to take",
             .required = true,
             .aliases = {"from", "src", "old_path", "oldPath", "path"}},
            {.name = "destination",
             .help = "The new path, including the name",
             .required = true,
             .aliases = {"to", "dest", "dst", "target", "new_path", "newPath"}},
            {.name = "overwrite",
             .type = Type::kFlag,
             .help = "Replace an existing destination",
             .default_value = false}};
}

Result<TwoPaths> two_paths(const Files& files, const Arguments& arguments) {
    const auto source = files.own_name(arguments.text("source"));
    if (!source) return source.error();
    if (*source == ".") {
        return tool_error(Code::kInvalidArgument,
                          "The workspace itself cannot be moved or copied. Name a path in it.");
    }
    const auto stat = files.stat_name(*source);
    if (!stat && stat.error().code == Code::kNotFound) {
        return files.missing(arguments.text("source"));
    }
    if (!stat) return stat.error();
    const std::string& given = arguments.text("destination");
    const auto destination = files.own_name(given);
    if (!destination) return destination.error();
    if (given.ends_with('/') && stat->type != FileType::kDirectory) {
        return tool_error(Code::kNotADirectory,
                          "The destination ends in '/', but the source is not a directory. Add the "
                          "new file name.");
    }
    if (*source == *destination) {
        return tool_error(
            Code::kInvalidArgument,
            "The source and the destination are the same. Choose another destination.");
    }
    return TwoPaths{*source, *destination};
}

bool are_in_different_roots(const Session& session, const Arguments& arguments) {
    return &session.files_for(arguments.text("source")) !=
           &session.files_for(arguments.text("destination"));
}

// First the copy: whoever is refused half way still has the file.
Result<Answer> take_between(const Session& session, const Arguments& arguments, bool moves) {
    const std::string& given = arguments.text("source");
    const Files& from = session.files_for(given);
    const Files& to = session.files_for(arguments.text("destination"));
    const auto source = from.own_name(given);
    if (!source) return source.error();
    const auto stat = from.stat_name(*source);
    if (!stat && stat.error().code == Code::kNotFound) return from.missing(given);
    if (!stat) return stat.error();
    if (stat->type != FileType::kRegular) {
        return tool_error(Code::kNotRegularFile,
                          "'" + from.shown(*source) + "' is a " +
                              std::string(file_type_name(stat->type)) +
                              ". Only files can be taken from one directory of this session to "
                              "another. Take its files one by one, or use cp in bash.");
    }
    if (moves && from.is_read_only()) {
        return tool_error(Code::kReadOnly, "'" + from.shown(*source) +
                                               "' is in a read-only directory. Copy it instead.");
    }
    if (moves) {
        if (auto allowed = from.check_removal(*source); !allowed) return allowed.error();
    }
    const auto content = from.read(*source, limits::kReadFileBytesMax);
    if (!content) return content.error();
    const auto change = to.prepare(arguments.text("destination"));
    if (!change) return change.error();
    if (change->old && !arguments.flag("overwrite")) {
        return occupied(to, {*source, change->path});
    }
    if (auto done = to.commit(*change, content->bytes, content->stat.mode & 0777U); !done) {
        return done.error();
    }
    const std::string paths = from.shown(*source) + " to " + to.shown(change->path) + ".";
    if (!moves) return text_answer("Copied " + paths);
    // What somebody has written to it since the copy was not copied.
    if (auto gone = from.remove({*source, *content}); !gone) {
        return tool_error(gone.error().code, "The file was copied to '" + to.shown(change->path) +
                                                 "' and is still at its old place: " +
                                                 explanation_for_model(gone.error()));
    }
    return text_answer("Moved " + paths);
}

Error occupied(const Files& files, const TwoPaths& paths) {
    const std::string there = files.shown(paths.destination);
    const auto stat = files.stat_name(paths.destination);
    if (stat && stat->type == FileType::kDirectory) {
        const std::string in_it = fs::joined(paths.destination, fs::leaf_of(paths.source));
        return tool_error(
            Code::kAlreadyExists,
            "'" + there + "' is a directory that already exists. " +
                (in_it == paths.source ? "Choose another name."
                                       : "Name the new path in it: '" + files.shown(in_it) + "'."));
    }
    return tool_error(
        Code::kAlreadyExists,
        "'" + there + "' already exists. Choose another name, or set overwrite=true.");
}

namespace {

json::Object object_schema(const std::vector<Argument>& arguments);

json::Object schema_of(const Argument& argument) {
    json::Object schema;
    const auto bounds = [&](const char* least, const char* most) {
        if (argument.smallest) schema[least] = *argument.smallest;
        if (argument.largest) schema[most] = *argument.largest;
    };
    switch (argument.type) {
        case Type::kText: {
            schema["type"] = "string";
            json::Array choices;
            for (const std::string_view choice : argument.choices) choices.emplace_back(choice);
            if (!choices.empty()) schema["enum"] = std::move(choices);
            break;
        }
        case Type::kInteger:
            schema["type"] = "integer";
            bounds("minimum", "maximum");
            break;
        case Type::kFlag: schema["type"] = "boolean"; break;
        case Type::kTexts:
            schema["type"] = "array";
            schema["items"] = json::Object{{"type", "string"}};
            bounds("minItems", "maxItems");
            break;
        case Type::kObjects:
            schema["type"] = "array";
            schema["items"] = object_schema(argument.members);
            bounds("minItems", "maxItems");
            break;
    }
    schema["description"] = argument.help;
    if (!argument.default_value.is_null()) schema["default"] = argument.default_value;
    return schema;
}

json::Object object_schema(const std::vector<Argument>& arguments) {
    json::Object properties;
    json::Array required;
    for (const Argument& argument : arguments) {
        properties.append(std::string(argument.name), schema_of(argument));
        if (argument.required) required.emplace_back(argument.name);
    }
    json::Object schema{{"type", "object"}, {"properties", std::move(properties)}};
    if (!required.empty()) schema["required"] = std::move(required);
    return schema;
}

}  // namespace

json::Value input_schema(const Declaration& tool) { return object_schema(tool.arguments); }

}  // namespace paddock::tools
