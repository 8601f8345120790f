#include "search/secret_block.h"

#include <algorithm>

namespace paddock::search {
namespace {

// A body has a line of this many base64 digits; prose and code about keys has not.
constexpr std::size_t kBodyRun = 24;
constexpr std::size_t kDashesMin = 4;

constexpr ByteSet kBase64 = kAlnum | ByteSet("+/=");
constexpr ByteSet kLabel = kUpper | kDigits | ByteSet(" ");
constexpr Tail kBlockBody{kBase64 | ByteSet(" \t\r\n\v\f\\\"'`,:.()-<>|#*@"), true};
constexpr Tail kPuttyBody{kBase64 | ByteSet(" \t\r\n\\\"'"), false};

bool has_body(std::string_view text, const ByteSet& body) noexcept {
    text = text.substr(0, body.run(text));
    while (!text.empty()) {
        const std::size_t run = kBase64.run(text);
        if (run >= kBodyRun) return true;
        text.remove_prefix(std::min(run + 1, text.size()));
    }
    return false;
}

std::size_t dashes(std::string_view text) noexcept { return ByteSet("-").run(text); }

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
    if (closing < kDashesMin || !has_body(rest.substr(closing), kBlockBody.bytes)) return {};
    return FoundSecret{behind, 0, label + closing, "private-key", &kBlockBody};
}

std::optional<FoundSecret> match_putty_key(const Surroundings& around) noexcept {
    constexpr std::string_view kName = "Private-Lines: ";
    if (!around.after.starts_with(kName)) return {};
    const std::size_t body = kName.size() + kDigits.run(around.after.substr(kName.size()));
    if (!has_body(around.after.substr(body), kPuttyBody.bytes)) return {};
    return FoundSecret{0, body, body, "private-key", &kPuttyBody};
}

std::size_t block_end_length(std::string_view text) noexcept {
    text = text.substr(0, kBlockEndBytesMax);
    std::size_t at = dashes(text);
    if (at < kDashesMin) return 0;
    if (text.substr(at).starts_with(' ')) ++at;
    if (!text.substr(at).starts_with("END")) return 0;
    at += kLabel.run(text.substr(at));
    const std::size_t closing = dashes(text.substr(at));
    return closing < kDashesMin ? 0 : at + closing;
}

}  // namespace paddock::search
