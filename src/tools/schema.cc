#include "tools/schema.h"

namespace paddock::tools {
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
    if (!argument.usual.is_null()) schema["default"] = argument.usual;
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
