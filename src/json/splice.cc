#include "json/splice.h"

#include <optional>

#include "json/parse.h"
#include "json/write.h"

namespace paddock::json {
namespace {

struct Range {
    std::size_t begin = 0;
    std::size_t end = 0;
};

struct Found {
    Range name;
    Range value;
};

// Finds its way in a text that was parsed before: what it meets is well-formed.
class Finder {
public:
    explicit Finder(std::string_view text) : text_(text) {}

    std::size_t skip_space(std::size_t at) const {
        while (at < text_.size() && is_space(text_[at])) ++at;
        return at;
    }

    // Behind the value that begins at `at`.
    std::size_t end_of_value(std::size_t at) const {
        if (text_[at] == '"') return end_of_string(at);
        std::size_t depth = 0;
        for (; at < text_.size(); ++at) {
            const char c = text_[at];
            if (c == '"') {
                at = end_of_string(at) - 1;
            } else if (c == '{' || c == '[') {
                ++depth;
            } else if (c == '}' || c == ']') {
                if (depth == 0) return at;  // behind a number or a word
                if (--depth == 0) return at + 1;
            } else if (depth == 0 && (c == ',' || is_space(c))) {
                return at;
            }
        }
        return at;
    }

    std::vector<Found> members_of(std::size_t object) const {
        std::vector<Found> members;
        std::size_t at = skip_space(object + 1);
        while (text_[at] != '}') {
            Found member;
            member.name = {at, end_of_string(at)};
            at = skip_space(skip_space(member.name.end) + 1);
            member.value = {at, end_of_value(at)};
            members.push_back(member);
            at = skip_space(member.value.end);
            if (text_[at] == ',') at = skip_space(at + 1);
        }
        return members;
    }

    std::string name_of(const Found& member) const {
        const Parsed name =
            parse(text_.substr(member.name.begin, member.name.end - member.name.begin));
        const std::string* text = name.value.as_string();
        return text == nullptr ? std::string() : *text;
    }

    // The white space before `at` on its line; nothing if something else stands there.
    std::optional<std::string> indent_of(std::size_t at) const {
        std::size_t begin = at;
        while (begin > 0 && (text_[begin - 1] == ' ' || text_[begin - 1] == '\t')) --begin;
        if (begin != 0 && text_[begin - 1] != '\n') return std::nullopt;
        return std::string(text_.substr(begin, at - begin));
    }

private:
    static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

    std::size_t end_of_string(std::size_t at) const {
        for (++at; at < text_.size() && text_[at] != '"'; ++at) {
            if (text_[at] == '\\') ++at;
        }
        return at + 1;
    }

    std::string_view text_;
};

// The members on the way to the one that is looked for, as far as they exist.
struct Trail {
    std::vector<std::size_t> objects;         // where each begins; the last one ends the way
    std::vector<std::vector<Found>> members;  // of each object
    std::vector<std::size_t> chosen;          // of the members of each
    bool is_complete = false;

    const Found& last() const { return members[chosen.size() - 1][chosen.back()]; }
};

tl::expected<Trail, std::string> follow(const Finder& finder, std::string_view text,
                                        MemberPath path) {
    Trail trail;
    trail.objects.push_back(finder.skip_space(0));
    for (const std::string& name : path) {
        const std::size_t object = trail.objects.back();
        if (text[object] != '{') {
            return tl::unexpected("'" + path[trail.chosen.size() - 1] + "' is not an object");
        }
        trail.members.push_back(finder.members_of(object));
        const auto& members = trail.members.back();
        std::size_t i = 0;
        while (i < members.size() && finder.name_of(members[i]) != name) ++i;
        if (i == members.size()) return trail;
        trail.chosen.push_back(i);
        trail.objects.push_back(members[i].value.begin);
    }
    trail.is_complete = true;
    return trail;
}

// How the lines of an object's members begin.
struct Layout {
    std::string indent;       // of its members
    std::string unit = "  ";  // one level more
};

// Objects with a line for each member, lists on one line.
std::string laid_out(const Value& value, const Layout& layout) {
    if (const Array* array = value.as_array()) {
        std::string text = "[";
        for (const Value& item : *array) text += (text.size() == 1 ? "" : ", ") + to_text(item);
        return text + "]";
    }
    const Object* object = value.as_object();
    if (object == nullptr || object->empty()) return to_text(value);
    const Layout inner{layout.indent + layout.unit, layout.unit};
    std::string text = "{";
    for (const auto& [name, member] : *object) {
        text += (text.size() == 1 ? "\n" : ",\n") + inner.indent + to_text(name) + ": " +
                laid_out(member, inner);
    }
    return text + "\n" + layout.indent + "}";
}

std::optional<std::string> problem_of(std::string_view text) {
    Parsed parsed = parse(text);
    if (!parsed.problem.empty()) return std::move(parsed.problem);
    if (parsed.value.as_object() == nullptr) return "the document is not an object";
    return std::nullopt;
}

bool is_blank(std::string_view text) { return text.find_first_not_of(" \t\r\n") == text.npos; }

// Puts a member into an object that has none of that name, behind the others.
std::string with_member(std::string_view text, const Finder& finder, const Trail& trail,
                        const std::string& name, const Value& value) {
    std::string changed(text);
    const auto& siblings = trail.members.back();
    const std::size_t object = trail.objects.back();
    const std::string outer =
        finder.indent_of(trail.chosen.empty() ? object : trail.last().name.begin).value_or("");
    Layout layout{outer + "  "};
    if (siblings.empty()) {
        const std::size_t close = finder.skip_space(object + 1);
        return changed.replace(
            object + 1, close - object - 1,
            "\n" + layout.indent + to_text(name) + ": " + laid_out(value, layout) + "\n" + outer);
    }
    const std::size_t end = siblings.back().value.end;
    const auto own = finder.indent_of(siblings.front().name.begin);
    if (!own) return changed.insert(end, ", " + to_text(name) + ": " + to_text(value));
    layout.indent = *own;
    if (own->size() > outer.size() && own->starts_with(outer)) {
        layout.unit = own->substr(outer.size());
    }
    return changed.insert(end,
                          ",\n" + layout.indent + to_text(name) + ": " + laid_out(value, layout));
}

}  // namespace

Spliced set_member(std::string_view text, MemberPath path, const Value& value) {
    if (is_blank(text)) text = "{}\n";
    if (auto problem = problem_of(text)) return tl::unexpected(std::move(*problem));
    const Finder finder(text);
    const auto trail = follow(finder, text, path);
    if (!trail) return tl::unexpected(trail.error());
    if (trail->is_complete) {
        const Found& member = trail->last();
        const Layout layout{finder.indent_of(member.name.begin).value_or("")};
        return std::string(text).replace(member.value.begin, member.value.end - member.value.begin,
                                         laid_out(value, layout));
    }
    // What is missing, as one value with the objects around it.
    Value inner = value;
    for (std::size_t i = path.size() - 1; i > trail->chosen.size(); --i) {
        inner = Object{{path[i], inner}};
    }
    return with_member(text, finder, *trail, path[trail->chosen.size()], inner);
}

Spliced remove_member(std::string_view text, MemberPath path) {
    if (is_blank(text)) return std::string(text);
    if (auto problem = problem_of(text)) return tl::unexpected(std::move(*problem));
    const Finder finder(text);
    const auto trail = follow(finder, text, path);
    if (!trail) return tl::unexpected(trail.error());
    std::string changed(text);
    if (!trail->is_complete) return changed;
    std::size_t level = path.size() - 1;
    while (level > 0 && trail->members[level].size() == 1) --level;
    const auto& members = trail->members[level];
    const std::size_t index = trail->chosen[level];
    if (members.size() == 1) {
        const std::size_t object = trail->objects[level];
        const std::size_t end = finder.skip_space(members[0].value.end);
        return changed.erase(object + 1, end - object - 1);
    }
    if (index + 1 == members.size()) {
        const std::size_t begin = members[index - 1].value.end;
        return changed.erase(begin, members[index].value.end - begin);
    }
    const std::size_t begin = members[index].name.begin;
    return changed.erase(begin, members[index + 1].name.begin - begin);
}

}  // namespace paddock::json
