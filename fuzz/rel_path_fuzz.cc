// The lexical half alone: whatever the bytes, what parse_path accepts is a normalised path within
// the bounds, and it accepts, refuses and normalises just as the reference does.
#include <paddock/limits.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "agreement/reference.h"
#include "base/check.h"
#include "fs/rel_path.h"

namespace {

using paddock::AbsolutePaths;
using paddock::Code;
using paddock::DotDot;
using paddock::agreement::Names;
using paddock::agreement::Rules;
using paddock::fs::PathRules;
using paddock::fs::RelPath;

constexpr const char* kSpellings[] = {"/w", "/w/x", "/", "/w//./y/"};

struct Question {
    PathRules rules;
    Rules model;
};

Question question(unsigned choice) {
    Question asked;
    asked.rules.absolute = choice % 8 == 7 ? AbsolutePaths::kReject : AbsolutePaths::kInside;
    asked.rules.dotdot = choice / 8 % 8 == 7 ? DotDot::kReject : DotDot::kNormalize;
    asked.model.options.absolute = asked.rules.absolute;
    asked.model.options.dotdot = asked.rules.dotdot;
    for (unsigned i = 0; i <= choice / 128; ++i) {
        const char* spelling = kSpellings[(choice / 64 + i) % 4];
        const auto parts = paddock::fs::spelling_of(spelling);
        PADDOCK_CHECK(parts.has_value());
        asked.rules.spellings.push_back(*parts);
        asked.model.spellings.emplace_back(spelling);
    }
    return asked;
}

void check_normalised(const RelPath& path) {
    PADDOCK_CHECK(path.text.size() <= paddock::limits::kPathBytesMax);
    PADDOCK_CHECK(path.text.find('\0') == std::string::npos);
    PADDOCK_CHECK(!path.text.starts_with('/') && !path.text.ends_with('/'));
    PADDOCK_CHECK(!path.is_root() || path.must_be_directory);
    PADDOCK_CHECK(!path.ends_in_dots || path.must_be_directory);
    std::string_view rest = path.text;
    while (!rest.empty()) {
        const std::string_view name = rest.substr(0, rest.find('/'));
        PADDOCK_CHECK(!name.empty() && name != "." && name != "..");
        PADDOCK_CHECK(name.size() <= paddock::limits::kComponentBytesMax);
        rest.remove_prefix(std::min(name.size() + 1, rest.size()));
    }
    const std::string whole = path.parent().empty()
                                  ? std::string(path.leaf())
                                  : std::string(path.parent()) + "/" + std::string(path.leaf());
    PADDOCK_CHECK(whole == path.text);
}

void check_idempotent(const RelPath& path, const PathRules& rules) {
    if (path.is_root()) return;
    const auto again = parse_path(path.text, rules);
    PADDOCK_CHECK(again.has_value());
    PADDOCK_CHECK(again->text == path.text);
    PADDOCK_CHECK(!again->must_be_directory && !again->ends_in_dots);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::span<const std::uint8_t> bytes(data, size);
    const Question asked = question(bytes.empty() ? 0 : bytes.front());
    std::string text;
    for (const std::uint8_t byte : bytes.subspan(bytes.empty() ? 0 : 1)) {
        text += static_cast<char>(byte);
    }
    const auto parsed = parse_path(text, asked.rules);
    const auto wanted = normalised(text, asked.model);
    if (!parsed) {
        PADDOCK_CHECK(std::holds_alternative<Code>(wanted));
        PADDOCK_CHECK(std::get<Code>(wanted) == parsed.error().code);
        return 0;
    }
    PADDOCK_CHECK(std::holds_alternative<Names>(wanted));
    const Names& names = std::get<Names>(wanted);
    PADDOCK_CHECK(names.text() == parsed->text);
    PADDOCK_CHECK(names.must_be_directory == parsed->must_be_directory);
    PADDOCK_CHECK(names.ends_in_dots == parsed->ends_in_dots);
    check_normalised(*parsed);
    check_idempotent(*parsed, asked.rules);
    return 0;
}
