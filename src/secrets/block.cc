#include "secrets/block.h"

#include <algorithm>
#include <cstdint>
#include <string>

#include <paddock/limits.h>

namespace paddock::secrets {
namespace {

// A body has a line of this many base64 digits; prose and code about keys has not.
constexpr std::size_t kBodyRun = 24;
// With bytes before it that seldom stand there, a line must be as long as this.
constexpr std::size_t kLongRun = 40;
// So many lines without a body may stand between two that have one, headers not counted.
constexpr int kGapLinesMax = 4;
// So many in a row are believed without the body behind them, which may be too far away to be seen.
constexpr int kHeadersMin = 4;
constexpr std::size_t kDashesMin = 4;
constexpr std::size_t kEndBytesMax = 80;  // "-----END ...-----"

constexpr text::ByteSet kBase64 = text::kAlnum | text::ByteSet("+/=");
constexpr text::ByteSet kEncoded = kBase64 | text::ByteSet("-_");
constexpr std::string_view kDigits64 =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
// More than the first line of a block takes in base64.
constexpr std::size_t kEncodedRun = 60;
constexpr text::ByteSet kLabel = text::kUpper | text::kDigits | text::ByteSet(" ");
constexpr text::ByteSet kUsual = kBase64 | text::ByteSet(" \t\r\n\v\f\\\"'`,:.()-<>|#*@");
constexpr Tail kPuttyBody{kBase64 | text::ByteSet(" \t\r\n\\\"'")};

std::size_t dashes(std::string_view text) noexcept { return text::ByteSet("-").run(text); }

// Length of "-----END ...-----" at the start of `text`, 0 if it does not stand there.
std::size_t end_length(std::string_view text) noexcept {
    text = text.substr(0, kEndBytesMax);
    std::size_t at = dashes(text);
    if (at < kDashesMin) return 0;
    if (text.substr(at).starts_with(' ')) ++at;
    if (!text.substr(at).starts_with("END")) return 0;
    at += kLabel.run(text.substr(at));
    const std::size_t closing = dashes(text.substr(at));
    return closing < kDashesMin ? 0 : at + closing;
}

// Digits of all kinds, and not the slashes of a path.
bool is_random_run(std::string_view run) noexcept {
    const auto has = [&](const text::ByteSet& set) {
        return std::any_of(run.begin(), run.end(), [&](char c) { return set.has(c); });
    };
    const auto slashes = static_cast<std::size_t>(std::count(run.begin(), run.end(), '/'));
    return has(text::kUpper) && has(text::kLower) && has(text::kDigits) &&
           slashes * 6 <= run.size();
}

// "Comment: anything", also behind a line number or the mark of a comment.
bool is_header(std::string_view line) noexcept {
    line.remove_prefix((~(text::kUpper | text::kLower)).run(line));
    if (line.empty() || !text::kUpper.has(line.front())) return false;
    line.remove_prefix((text::kAlnum | text::ByteSet("-")).run(line));
    return line.starts_with(": ") || line.starts_with(":\t");
}

struct Body {
    enum class Kind : std::uint8_t { kNone, kLine, kEnd, kHeaders };
    Kind kind = Kind::kNone;
    std::size_t end = 0;
};

enum class Block : std::uint8_t { kNew, kBegun };

bool is_body(std::string_view run, Block block, bool usual) noexcept {
    if (usual) return run.size() >= kBodyRun;
    return run.size() >= (block == Block::kNew ? kLongRun : kBodyRun) && is_random_run(run);
}

// What comes first: a line of a body, the end of the block, too many lines that are neither, or the
// end of the text, which is `cut` off, in the midst of headers.
Body next_body(std::string_view text, Block block, bool cut) noexcept {
    const std::size_t usual = kUsual.run(text);
    const std::size_t stop = text.size() - (cut && block == Block::kBegun ? kEndBytesMax : 0);
    std::size_t line = 0;
    int gaps = 0;
    int headers = 0;
    for (std::size_t at = 0; at < stop;) {
        const std::string_view rest = text.substr(at);
        if (const std::size_t run = kBase64.run(rest); run > 0) {
            if (is_body(rest.substr(0, run), block, at < usual)) {
                return {Body::Kind::kLine, at + run};
            }
            at += run;
        } else if (rest.front() == '-') {
            if (const std::size_t end = end_length(rest)) return {Body::Kind::kEnd, at + end};
            at += dashes(rest);
        } else {
            // What was found there first would be found here at the second pass.
            if (block == Block::kNew && rest.starts_with(kMarkStart)) return {};
            ++at;
            if (rest.front() != '\n') continue;
            const bool header = is_header(text.substr(line, at - line));
            ++(header ? headers : gaps);
            // The first line is the end of one with a body, or with the beginning of the block.
            if (gaps > 1 + kGapLinesMax) return {};
            line = at;
        }
    }
    return cut && headers >= kHeadersMin && gaps <= 2 ? Body{Body::Kind::kHeaders, stop} : Body{};
}

// What is left of a block without an end: the rest of its line and one more, which may be short.
std::size_t last_line(std::string_view text) noexcept {
    text = text.substr(0, kUsual.run(text));
    const std::size_t first = text.find('\n');
    return first == std::string_view::npos ? text.size()
                                           : std::min(text.find('\n', first + 1), text.size());
}

// It goes on to its "-----END ...-----", or until some lines have nothing like a body.
TailStep pass_block(std::string_view text) noexcept {
    const Body body = next_body(text, Block::kBegun, text.size() == limits::kSecretAheadMax);
    if (body.kind == Body::Kind::kNone) return {last_line(text), true};
    return {body.end, body.kind == Body::Kind::kEnd};
}
constexpr Tail kBlockBody{{}, pass_block};

// What stands between two lines, as it is or escaped, with the number of the second.
std::size_t line_break(std::string_view text) noexcept {
    std::size_t at = 0;
    while (at < text.size()) {
        if (text::ByteSet("\r\n").has(text[at])) {
            ++at;
        } else if (text.substr(at).starts_with("\\n") || text.substr(at).starts_with("\\r")) {
            at += 2;
        } else {
            break;
        }
    }
    if (at == 0) return 0;
    at += text::ByteSet(" \t").run(text.substr(at));
    const std::size_t number = text::kDigits.run(text.substr(at));
    return text.substr(at + number).starts_with('\t') ? at + number + 1 : at;
}

// A line of nothing else belongs to it, a short one if it is padded.
TailStep pass_encoded(std::string_view text) noexcept {
    if (const std::size_t run = kEncoded.run(text); run > 0) return {run, false};
    const std::size_t begin = line_break(text);
    const std::string_view line = text.substr(begin, kEncoded.run(text.substr(begin)));
    const std::size_t end = begin + line.size();
    const bool alone = end == text.size() || text::ByteSet("\r\n\\\"'").has(text[end]);
    const bool more = line.size() >= kBodyRun || (!line.empty() && line.ends_with('='));
    if (begin == 0 || !alone || !more) return {0, true};
    return {end, false};
}
constexpr Tail kEncodedBody{{}, pass_encoded};

std::string decoded(std::string_view digits) {
    std::string bytes;
    unsigned bits = 0;
    int held = 0;
    for (const char c : digits) {
        const std::size_t value = kDigits64.find(c);
        if (value == std::string_view::npos) break;
        bits = bits << 6 | static_cast<unsigned>(value);
        held += 6;
        if (held < 8) continue;
        held -= 8;
        bytes += static_cast<char>(bits >> held & 255U);
    }
    return bytes;
}

bool has_putty_body(std::string_view text) noexcept {
    text = text.substr(0, kPuttyBody.bytes.run(text));
    while (!text.empty()) {
        const std::size_t run = kBase64.run(text);
        if (run >= kBodyRun) return true;
        text.remove_prefix(std::min(run + 1, text.size()));
    }
    return false;
}

}  // namespace

std::optional<FoundSecret> match_pem_block(const Surroundings& around) noexcept {
    constexpr std::string_view kBegin = "BEGIN ";
    if (!around.after.starts_with(kBegin)) return {};
    std::size_t behind = around.before.ends_with(' ') ? 1 : 0;
    const std::size_t space = behind;
    while (behind < around.before.size() && around.before[around.before.size() - 1 - behind] == '-')
        ++behind;
    if (behind - space < kDashesMin) return {};
    const std::size_t label = kLabel.run(around.after);
    const std::string_view words = around.after.substr(0, label);
    if (words.find("PRIVATE KEY") == std::string_view::npos) return {};
    const std::string_view rest = around.after.substr(label);
    const std::size_t closing = dashes(rest);
    if (closing < kDashesMin) return {};
    const Body body = next_body(rest.substr(closing), Block::kNew,
                                around.after.size() == limits::kSecretAheadMax);
    if (body.kind == Body::Kind::kNone || body.kind == Body::Kind::kEnd) return {};
    return FoundSecret{behind, 0, label + closing + body.end, "private-key", &kBlockBody};
}

std::optional<FoundSecret> match_putty_key(const Surroundings& around) noexcept {
    constexpr std::string_view kName = "Private-Lines: ";
    if (!around.after.starts_with(kName)) return {};
    const std::size_t body = kName.size() + text::kDigits.run(around.after.substr(kName.size()));
    if (!has_putty_body(around.after.substr(body))) return {};
    return FoundSecret{0, body, body, "private-key", &kPuttyBody};
}

std::optional<FoundSecret> match_encoded_block(const Surroundings& around) noexcept {
    constexpr std::string_view kBegin = "-----BEGIN ";
    const std::size_t run = kEncoded.run(around.after);
    if (run < kEncodedRun) return {};
    const std::string block = decoded(around.after.substr(0, kEncodedRun));
    if (!block.starts_with(kBegin)) return {};
    const std::string_view rest = std::string_view(block).substr(kBegin.size());
    const std::string_view label = rest.substr(0, kLabel.run(rest));
    if (label.find("PRIVATE KEY") == std::string_view::npos) return {};
    return FoundSecret{0, 0, run, "private-key", &kEncodedBody};
}

}  // namespace paddock::secrets
