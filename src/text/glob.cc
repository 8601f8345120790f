#include "text/glob.h"

#include <algorithm>
#include <iterator>

#include <paddock/limits.h>

namespace paddock::text {
namespace {

using Texts = std::vector<std::string>;

// One open brace: the alternatives that are complete, and the one being read, which is several
// texts itself once an inner brace was multiplied into it.
struct Frame {
    Texts complete;
    Texts current{std::string()};
};

constexpr Failure kTooManyAlternatives{Code::kLimitReached, 0,
                                       "has braces that stand for too many patterns"};

std::size_t bytes_of(const Texts& texts) {
    std::size_t bytes = 0;
    for (const std::string& text : texts) bytes += text.size() + 1;
    return bytes;
}

// Appends each of `endings` to each of `starts`.
Outcome<Texts> multiply(const Texts& starts, const Texts& endings) {
    const std::size_t bytes = bytes_of(starts) * endings.size() + bytes_of(endings) * starts.size();
    if (starts.size() * endings.size() > limits::kGlobAlternativesMax ||
        bytes > limits::kGlobExpandedBytesMax) {
        return kTooManyAlternatives;
    }
    Texts products;
    for (const std::string& start : starts) {
        for (const std::string& ending : endings) products.push_back(start + ending);
    }
    return products;
}

// What has to be taken as a whole at the start of `rest`: an escaped character, a class, one byte.
Outcome<std::string_view> take_piece(std::string_view& rest) {
    const std::string_view whole = rest;
    if (rest[0] == '[') {
        rest.remove_prefix(1);
        PADDOCK_TRY(CharClass::parse(rest, Unit::kCharacter));
    } else {
        rest.remove_prefix(rest[0] == '\\' && rest.size() > 1 ? 2 : 1);
    }
    return whole.substr(0, whole.size() - rest.size());
}

// The end of an alternative, by "," or "}".
Done complete_current(Frame& frame) {
    std::move(frame.current.begin(), frame.current.end(), std::back_inserter(frame.complete));
    frame.current.assign(1, std::string());
    if (frame.complete.size() > limits::kGlobAlternativesMax) return kTooManyAlternatives;
    return {};
}

// Normalises as paths are: "." and empty names go, ".." takes back the name before it.
Outcome<std::vector<PathPart>> inside_root(std::vector<PathPart> parts) {
    std::vector<PathPart> inside;
    for (PathPart& part : parts) {
        if (part.is_literal("") || part.is_literal(".")) continue;
        if (!part.is_literal("..")) {
            inside.push_back(std::move(part));
            continue;
        }
        // "**" may stand for no name at all, so that ".." after it may be the root's.
        if (inside.empty() || inside.back().any_names) return refuse(Code::kPathEscape);
        inside.pop_back();
    }
    return inside;
}

}  // namespace

Outcome<Texts> expand_braces(std::string_view pattern) {
    if (pattern.find_first_of("{}") == pattern.npos) return Texts{std::string(pattern)};
    std::vector<Frame> frames(1);
    for (std::string_view rest = pattern; !rest.empty();) {
        const bool inside = frames.size() > 1;
        PADDOCK_ASSIGN(piece, take_piece(rest));
        if (piece == "{") {
            frames.emplace_back();
        } else if (piece == "}") {
            if (!inside) {
                return refuse(Code::kInvalidArgument,
                              "has a '}' without its '{' (write \\} for the character)");
            }
            PADDOCK_TRY(complete_current(frames.back()));
            const Texts endings = std::move(frames.back().complete);
            frames.pop_back();
            PADDOCK_ASSIGN(products, multiply(frames.back().current, endings));
            frames.back().current = std::move(products);
        } else if (piece == "," && inside) {
            PADDOCK_TRY(complete_current(frames.back()));
        } else {
            for (std::string& text : frames.back().current) text += piece;
        }
    }
    if (frames.size() > 1) {
        return refuse(Code::kInvalidArgument,
                      "has a '{' without its '}' (write \\{ for the character)");
    }
    if (bytes_of(frames[0].current) > limits::kGlobExpandedBytesMax) return kTooManyAlternatives;
    return std::move(frames[0].current);
}

Outcome<Glob> Glob::compile(std::string_view pattern, GlobOptions options) {
    if (pattern.empty()) return refuse(Code::kInvalidArgument, "is an empty pattern");
    if (pattern.size() > limits::kPathBytesMax) {
        return refuse(Code::kLimitReached, "is too long for a pattern");
    }
    if (pattern.find('\0') != std::string_view::npos) {
        return refuse(Code::kInvalidArgument, "holds a NUL byte, which no name does");
    }
    PADDOCK_ASSIGN(texts, expand_braces(pattern));
    Glob glob;
    for (const std::string& text : texts) {
        PADDOCK_ASSIGN(alternative, compile_one(text, options));
        glob.alternatives_.push_back(std::move(alternative));
    }
    return glob;
}

Outcome<Glob::Alternative> Glob::compile_one(std::string_view pattern, GlobOptions options) {
    if (pattern.starts_with('/') || pattern.starts_with("\\/")) {
        return refuse(Code::kPathEscape, "is absolute");
    }
    PADDOCK_ASSIGN(written, parse_parts(pattern, {Unit::kCharacter, options.ignore_case}));
    const bool directories_only = written.back().is_literal("");
    const bool has_slash = written.size() > (directories_only ? 2U : 1U);
    PADDOCK_ASSIGN(parts, inside_root(std::move(written)));
    if (options.any_depth && !has_slash && !parts.empty()) {
        parts.insert(parts.begin(), PathPart{true, {}});
    }
    return Alternative{PathPattern(std::move(parts)), directories_only};
}

bool Glob::matches(std::string_view path, bool is_directory) const noexcept {
    return std::any_of(alternatives_.begin(), alternatives_.end(), [&](const auto& each) {
        return (is_directory || !each.directories_only) && each.pattern.matches(path);
    });
}

bool Glob::covers(std::string_view path) const noexcept {
    return std::any_of(alternatives_.begin(), alternatives_.end(),
                       [&](const auto& each) { return each.pattern.covers(path); });
}

bool Glob::may_match_below(std::string_view directory) const noexcept {
    return std::any_of(alternatives_.begin(), alternatives_.end(),
                       [&](const auto& each) { return each.pattern.may_match_below(directory); });
}

bool Glob::may_end_in(std::string_view name) const noexcept {
    return std::any_of(alternatives_.begin(), alternatives_.end(),
                       [&](const auto& each) { return each.pattern.may_end_in(name); });
}

std::string literal_pattern(std::string_view path) {
    constexpr std::string_view kSpecial = "*?[]{},\\";
    std::string pattern;
    for (const char c : path) {
        if (kSpecial.find(c) != kSpecial.npos) pattern += '\\';
        pattern += c;
    }
    return pattern;
}

}  // namespace paddock::text
