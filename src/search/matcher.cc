#include "search/matcher.h"

#include <re2/re2.h>

#include <algorithm>
#include <cstring>

#include <paddock/limits.h>

#include "search/literal.h"

namespace paddock::search {
namespace {

// A prefilter that hits more often than this costs more than it saves: each hit is a call of RE2.
constexpr double kExpectedHitsMax = 1.0 / 150;

// Steps of RE2's slowest engine, or bytes compared one by one, that take about a second.
constexpr std::size_t kStepsAtOnce = std::size_t{1} << 27;

// Steps for the two classes around a word. They have ten times as many instructions, but only those
// that may follow the bytes before are gone through.
constexpr std::size_t kWordSteps = 256;

// Bytes of one literal that are compared in the time of a step.
constexpr std::size_t kBytesComparedAtOnce = 64;

// Hits without a match after which, in one text, RE2 goes on alone.
constexpr int kMissesMax = 256;

re2::StringPiece piece(std::string_view text) { return {text.data(), text.size()}; }

std::size_t line_begin(std::string_view text, std::size_t from, std::size_t at) {
    const void* const before = ::memrchr(text.data() + from, '\n', at - from);
    if (before == nullptr) return from;
    return static_cast<std::size_t>(static_cast<const char*>(before) - text.data()) + 1;
}

std::size_t line_end(std::string_view text, std::size_t at) {
    const void* const after = std::memchr(text.data() + at, '\n', text.size() - at);
    if (after == nullptr) return text.size();
    return static_cast<std::size_t>(static_cast<const char*>(after) - text.data());
}

Span line_around(std::string_view text, std::size_t from, std::size_t at) {
    return {line_begin(text, from, at), line_end(text, at)};
}

// "\\1", "\\k<name>", "\\g{1}".
bool is_back_reference(std::string_view escape) {
    return escape.size() > 1 && std::string_view("123456789kg").find(escape[1]) != escape.npos;
}

std::string_view explain(RE2::ErrorCode code, std::string_view part) {
    switch (code) {
        case RE2::ErrorBadEscape:
            if (is_back_reference(part)) {
                return "is a back-reference, which does not exist here. Search for the parts and "
                       "compare what is found";
            }
            return "is not a supported escape. Write \\\\ for a backslash, or set 'literal' for "
                   "plain text";
        case RE2::ErrorBadCharClass: return "is not a character class";
        case RE2::ErrorBadCharRange: return "is a character range that runs backwards";
        case RE2::ErrorMissingBracket:
            return "has a [ that is not closed. Write \\[ for a bracket, or set 'literal' for "
                   "plain text";
        case RE2::ErrorMissingParen:
            return "has a ( that is not closed. Write \\( for a parenthesis, or set 'literal' for "
                   "plain text";
        case RE2::ErrorUnexpectedParen:
            return "has a ) that was not opened. Write \\) for a parenthesis, or set 'literal' for "
                   "plain text";
        case RE2::ErrorTrailingBackslash: return "ends in a single backslash";
        case RE2::ErrorRepeatArgument:
            return "has a repetition with nothing before it to repeat. Names like *.c are for "
                   "'glob'; set 'literal' for plain text";
        case RE2::ErrorRepeatSize: return "repeats too often; the maximum is 1000";
        case RE2::ErrorRepeatOp: return "repeats a repetition";
        case RE2::ErrorBadPerlOp:
            return "is a group that is not supported; look-around and back-references are not. "
                   "Search for the parts";
        case RE2::ErrorBadUTF8: return "is not valid UTF-8";
        case RE2::ErrorBadNamedCapture: return "is not a usable group name";
        case RE2::ErrorPatternTooLarge: return "needs too much memory";
        default: return "is not a regular expression";
    }
}

Error pattern_error(Code code, std::string_view reason, std::string_view part) {
    Error error;
    error.code = code;
    error.reason = reason;
    error.operation = "pattern";
    error.path = part;
    return error;
}

// What stands before and behind a match of whole words: the border of a line, or something that no
// word has in any script. So "->x" can be asked for as well, where "\\b" could not stand.
std::string as_words(const std::string& pattern) {
    const std::string outside = "[^\\pL\\pM\\p{Nd}\\p{Nl}\\p{Pc}\\n]";
    return "(?:^|" + outside + ")(?:" + pattern + ")(?:$|" + outside + ")";
}

RE2::Options engine_options(const MatchOptions& options) {
    RE2::Options engine(RE2::Quiet);
    engine.set_case_sensitive(!options.ignore_case);
    engine.set_never_nl(!options.multiline);
    engine.set_never_capture(true);
    engine.set_max_mem(limits::kRegexMemoryMax);
    return engine;
}

struct CompiledEngine {
    std::shared_ptr<const RE2> program;
    std::size_t steps = 0;  // for each byte of a text, at most
};

Result<CompiledEngine> compile_engine(const std::string& pattern, const MatchOptions& options) {
    const std::string wrapped = "(?m)" + (options.words ? as_words(pattern) : pattern);
    // Alone first: wrapping must not make one of ")(" and the like.
    const RE2 alone(options.words ? pattern : std::string(), engine_options(options));
    auto engine = std::make_shared<RE2>(wrapped, engine_options(options));
    const RE2& broken = alone.ok() ? *engine : alone;
    if (broken.ok() && engine->ProgramSize() > limits::kRegexProgramMax) {
        return pattern_error(
            Code::kLimitReached,
            "is too large once its repetitions are written out; repeat less often, "
            "search for a part of it, or for plain text with 'literal'",
            pattern);
    }
    if (broken.ok()) {
        const RE2& own = options.words ? alone : *engine;
        const auto steps = static_cast<std::size_t>(own.ProgramSize());
        return CompiledEngine{std::move(engine), steps + (options.words ? kWordSteps : 0)};
    }
    const bool large = broken.error_code() == RE2::ErrorPatternTooLarge;
    const std::string& part = broken.error_arg();
    const bool is_all = part.empty() || part.size() > pattern.size();
    return pattern_error(large ? Code::kLimitReached : Code::kInvalidArgument,
                         explain(broken.error_code(), part), is_all ? pattern : part);
}

}  // namespace

std::size_t Matcher::NonAscii::find(std::string_view text, std::size_t from) const noexcept {
    const char* const at =
        scan::functions().find_non_ascii(text.data() + from, text.data() + text.size());
    return at == nullptr ? std::string_view::npos : static_cast<std::size_t>(at - text.data());
}

Matcher::Prefilter Matcher::prefilter_of(const Required& required) {
    if (required.non_ascii) return NonAscii{};
    if (required.literals.empty()) return Nothing{};
    if (!required.exact && expected_hits(required.literals, required.letters) > kExpectedHitsMax) {
        return Nothing{};
    }
    if (required.literals.size() == 1) return Literal(required.literals.front(), required.letters);
    return LiteralSet(required.literals, required.letters);
}

Result<Matcher> Matcher::compile(std::string_view pattern, const MatchOptions& options) {
    if (pattern.size() > limits::kPatternBytesMax) {
        return pattern_error(Code::kLimitReached, "is too long for a pattern", pattern);
    }
    const bool as_it_is = options.literal && !options.ignore_case && !options.words;
    Matcher matcher;
    matcher.multiline_ = options.multiline;
    Required required;
    std::size_t steps = 0;
    if (as_it_is && !pattern.empty()) {
        required.literals.emplace_back(pattern);
        required.exact = true;
        required.newline = pattern.find('\n') != pattern.npos;
    } else {
        const std::string expression =
            options.literal ? RE2::QuoteMeta(piece(pattern)) : std::string(pattern);
        auto engine = compile_engine(expression, options);
        if (!engine) return engine.error();
        matcher.engine_ = std::move(engine->program);
        steps = engine->steps;
        required = required_by(expression,
                               options.ignore_case ? Case::kAsciiInsensitive : Case::kSensitive);
        required.exact = required.exact && !options.words;
    }
    if (required.newline && !options.multiline) {
        return pattern_error(Code::kInvalidArgument,
                             "contains a line break, so no line can match; set multiline=true",
                             pattern);
    }
    matcher.exact_ = required.exact;
    matcher.prefilter_ = prefilter_of(required);
    if (matcher.exact_ && required.literals.size() == 1) {
        matcher.exact_bytes_ = required.literals.front().size();
    }
    matcher.bound_calls(matcher.exact_bytes_ == 0 ? steps : 0, required);
    return matcher;
}

// Each byte of a text may be compared with all of each literal, and then be put to RE2.
void Matcher::bound_calls(std::size_t steps, const Required& required) {
    for (const std::string& literal : required.literals) {
        const bool by_bytes = required.letters != Case::kSensitive;
        steps += by_bytes ? literal.size() : literal.size() / kBytesComparedAtOnce + 1;
    }
    bytes_at_once_ = std::max(kStepsAtOnce / std::max<std::size_t>(steps, 1), 2 * exact_bytes_);
}

std::optional<Span> Matcher::engine_match(std::string_view text, std::size_t from,
                                          std::size_t end) const {
    re2::StringPiece found;
    if (!engine_->Match(piece(text), from, end, RE2::UNANCHORED, &found, 1)) {
        return std::nullopt;
    }
    const auto begin = static_cast<std::size_t>(found.data() - text.data());
    return Span{begin, begin + found.size()};
}

std::optional<Span> Matcher::engine_line(std::string_view text, std::size_t from) const {
    if (from >= text.size()) return std::nullopt;
    const auto match = engine_match(text, from, text.size());
    if (!match) return std::nullopt;
    const bool behind_last = match->begin == text.size() && text.back() == '\n';
    if (behind_last) return std::nullopt;
    return line_around(text, from, match->begin);
}

template <class Filter>
std::optional<Span> Matcher::filtered_line(const Filter& filter, std::string_view text,
                                           std::size_t from) const {
    for (int misses = 0; misses < kMissesMax; ++misses) {
        const std::size_t hit = filter.find(text, from);
        if (hit == std::string_view::npos) return std::nullopt;
        const Span line = line_around(text, from, hit);
        if (exact_) return line;
        const std::string_view content = text.substr(line.begin, line.end - line.begin);
        if (engine_->Match(piece(content), 0, content.size(), RE2::UNANCHORED, nullptr, 0)) {
            return line;
        }
        from = line.end + 1;
        if (from >= text.size()) return std::nullopt;
    }
    return engine_line(text, from);
}

std::optional<Span> Matcher::next_line(std::string_view text, std::size_t from) const {
    if (std::holds_alternative<Nothing>(prefilter_)) return engine_line(text, from);
    if (from >= text.size()) return std::nullopt;
    return std::visit([&](const auto& filter) { return filtered_line(filter, text, from); },
                      prefilter_);
}

std::size_t Matcher::first_hit(std::string_view text, std::size_t from) const {
    return std::visit([&](const auto& filter) { return filter.find(text, from); }, prefilter_);
}

bool Matcher::may_match(std::string_view text, std::size_t from, std::size_t end) const {
    return first_hit(text.substr(0, end), from) != std::string_view::npos;
}

std::optional<Span> Matcher::next_match(std::string_view text, std::size_t from,
                                        std::size_t end) const {
    const std::size_t hit = first_hit(text.substr(0, end), from);
    if (hit == std::string_view::npos) return std::nullopt;
    if (exact_bytes_ != 0) return Span{hit, hit + exact_bytes_};
    return engine_match(text, from, std::min(end, text.size()));
}

}  // namespace paddock::search
