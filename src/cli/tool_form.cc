#include "cli/tool_form.h"

#include <algorithm>
#include <deque>

#include "base/utf8.h"
#include "cli/input.h"
#include "cli/setting_options.h"
#include "text/quote.h"
#include "tools/registry.h"

namespace paddock::cli {
namespace {

const tools::Declaration& declaration_of(std::string_view tool) { return *tools::find_tool(tool); }

std::string option_name(std::string_view argument) {
    if (argument.starts_with('-')) return std::string(argument);
    std::string name = "--" + std::string(argument);
    std::replace(name.begin(), name.end(), '_', '-');
    return name;
}

// An argument, and the place that its option is parsed into.
struct Slot {
    const tools::Argument* argument;
    std::string option;
    std::string text{};
    std::int64_t number = 0;
    bool flag = false;
    Words texts{};

    bool is_text() const {
        return is_utf8(text) && std::all_of(texts.begin(), texts.end(), is_utf8);
    }

    json::Value value() const {
        switch (argument->type) {
            case tools::Type::kText: return text;
            case tools::Type::kInteger: return number;
            case tools::Type::kFlag: return flag;
            case tools::Type::kTexts: return json::Array(texts.begin(), texts.end());
            case tools::Type::kObjects: break;
        }
        return {};
    }
};

class ToolForm final : public Form {
public:
    explicit ToolForm(const ToolCommand& command)
        : command_(command), tool_(declaration_of(command.tool)) {}

    void declare(Parser& parser) override {
        for (const Preset& preset : command_.presets) {
            parser.flag(preset.option, presets_.emplace_back(false));
        }
        for (const tools::Argument& argument : tool_.arguments) {
            if (is_offered(argument)) declare(parser, argument);
        }
        if (!command_.detail.names.empty()) parser.flag(command_.detail, request_.detailed);
        if (!command_.habit.names.empty()) parser.flag(command_.habit, habit_);
        options_.declare(parser, {"workspace.root"});
        parser.output(request_.output);
    }

    Request finish(Parser& parser) override {
        json::Object object = command_.fixed;
        for (std::size_t i = 0; i < presets_.size(); ++i) {
            const Preset& preset = command_.presets[i];
            if (presets_[i]) object[preset.argument] = preset.value;
        }
        for (const Slot& slot : slots_) {
            if (!parser.was_given(slot.option)) continue;
            if (!slot.is_text()) return not_text(slot.option, parser);
            object[slot.argument->name] = slot.value();
        }
        for (const std::string_view name : command_.needed) {
            if (object.find(name) == nullptr) return lacking(name, parser);
        }
        if (auto problem = take_input(parser.operands(), object)) return *problem;
        if (auto problem = take_operands(parser, object)) return *problem;
        request_.settings = options_.take(parser);
        request_.tool = tool_.name;
        request_.for_people = true;
        return std::move(request_);
    }

private:
    bool is_offered(const tools::Argument& argument) const {
        const auto& operands = command_.positional;
        return argument.type != tools::Type::kObjects && argument.name != command_.from_input &&
               command_.fixed.find(argument.name) == nullptr &&
               std::find(operands.begin(), operands.end(), argument.name) == operands.end();
    }

    void declare(Parser& parser, const tools::Argument& argument) {
        Option option{.names = {option_name(argument.name)}, .unit = "TEXT"};
        option.help = for_people(argument.help, tool_.name);
        for (const Spelling& spelling : command_.spellings) {
            if (spelling.argument != argument.name) continue;
            option.names = spelling.names;
            option.unit = spelling.unit;
            option.choices = spelling.choices;
        }
        Slot& slot = slots_.emplace_back(Slot{&argument, option.names.front()});
        switch (argument.type) {
            case tools::Type::kText: parser.text(option, slot.text); break;
            case tools::Type::kTexts: parser.texts(option, slot.texts); break;
            case tools::Type::kInteger:
                if (const auto* usual = argument.usual.as_integer()) {
                    option.usual = std::to_string(*usual);
                }
                parser.integer(option, slot.number, argument.smallest, argument.largest);
                break;
            case tools::Type::kFlag:
                option.unit.clear();
                parser.flag(option, slot.flag);
                break;
            case tools::Type::kObjects: break;
        }
    }

    Ending lacking(std::string_view argument, const Parser& parser) const {
        for (const Slot& slot : slots_) {
            if (slot.argument->name == argument) {
                return complaint("no " + slot.option + " was given", parser.manual().name);
            }
        }
        return {};
    }

    std::optional<Ending> take_input(Words& operands, json::Object& object) const {
        if (command_.from_input.empty()) return std::nullopt;
        const bool from_file = command_.last_is_file && !operands.empty();
        auto input = read_input(from_file ? operands.back() : "-");
        if (!input) return Ending{kUsageError, input.error()};
        if (!command_.input_is_bytes && !is_utf8(*input))
            return Ending{kUsageError, "the input is not text in UTF-8"};
        object[command_.from_input] = std::move(*input);
        if (from_file) operands.pop_back();
        return std::nullopt;
    }

    // What is more than the arguments is further calls with another last one.
    std::optional<Ending> take_operands(Parser& parser, json::Object& object) {
        const auto& names = command_.positional;
        const Words& operands = parser.operands();
        for (std::size_t i = 0; i < operands.size(); ++i) {
            const std::size_t place = std::min(i, names.size() - 1);
            const Operand& operand = parser.manual().operands[place];
            std::string word = operands[i];
            if (!is_utf8(word)) {
                // JSON has no bytes; a name has a quoted form instead.
                if (operand.offers == Offers::kNothing) return not_text(operand.name, parser);
                word = text::quote_if_needed(word);
            }
            object[names[place]] = std::move(word);
            if (i + 1 >= names.size()) request_.arguments.emplace_back(object);
        }
        if (request_.arguments.empty()) request_.arguments.emplace_back(object);
        return std::nullopt;
    }

    static Ending not_text(const std::string& what, const Parser& parser) {
        return complaint(what + " is not text in UTF-8", parser.manual().name);
    }

    const ToolCommand& command_;
    const tools::Declaration& tool_;
    SettingOptions options_;
    ToolRequest request_;
    std::deque<Slot> slots_;    // addresses stay
    std::deque<bool> presets_;  // the same
    bool habit_ = false;        // changes nothing
};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || c == '_'; }

// Not an apostrophe, as in "the workspace's rule".
bool is_quote(std::string_view text, std::size_t at) {
    const bool in_word =
        at > 0 && is_letter(text[at - 1]) && at + 1 < text.size() && is_letter(text[at + 1]);
    return text[at] == '\'' && !in_word;
}

}  // namespace

std::unique_ptr<Form> tool_form(const ToolCommand& command) {
    return std::make_unique<ToolForm>(command);
}

std::string for_people(std::string_view text, std::string_view tool, Quoted quoted) {
    const auto& arguments = declaration_of(tool).arguments;
    const auto is_argument = [&](std::string_view word) {
        return std::any_of(arguments.begin(), arguments.end(),
                           [&](const tools::Argument& each) { return each.name == word; });
    };
    constexpr std::string_view kSet = "=true";
    std::string out;
    bool in_name = false;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t begin = at;
        while (at < text.size() && is_letter(text[at])) ++at;
        const std::string_view word = text.substr(begin, at - begin);
        const std::string_view rest = text.substr(at);
        const bool in_quotes =
            quoted == Quoted::kArguments && out.ends_with('\'') && rest.starts_with('\'');
        const bool is_meant = in_quotes || rest.starts_with('=') || word.find('_') != word.npos;
        if (!is_argument(word) || !is_meant || in_name) {
            in_name ^= word.empty() && quoted == Quoted::kFiles && is_quote(text, at);
            out += word.empty() ? text.substr(at++, 1) : word;
            continue;
        }
        if (in_quotes) out.pop_back();
        out += option_name(word);
        if (rest.starts_with(kSet)) {
            at += kSet.size();
        } else if (in_quotes) {
            ++at;
        } else if (rest.starts_with('=')) {
            ++at;
            out += ' ';
        }
    }
    return out;
}

}  // namespace paddock::cli
