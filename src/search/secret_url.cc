#include "search/secret_url.h"

#include <algorithm>

#include "policy/secret_value.h"
#include "search/secret_binding.h"

namespace paddock::search {
namespace {

constexpr std::size_t kLoneTokenMin = 20;
constexpr std::size_t kBearerMin = 20;
constexpr std::size_t kEncodedPairMin = 12;

constexpr ByteSet kUserInfo = ByteSet::range('!', '~');
constexpr Tail kToken{kWordBytes | ByteSet(".~+/=:-")};
constexpr Tail kNoMore{};

bool has(std::string_view text, const ByteSet& set) noexcept {
    return std::any_of(text.begin(), text.end(), [&](char c) { return set.has(c); });
}

bool has_digit_and_letter(std::string_view text) noexcept {
    return has(text, kDigits) && has(text, kLower | kUpper);
}

// Not a word: "dXNlcjpwYXNz" has no digit, but capitals where words have none.
bool is_encoded(std::string_view text) noexcept {
    return has_digit_and_letter(text) || (has(text, kLower) && has(text.substr(1), kUpper));
}

// The hosts of documentation: nobody's password leads there.
bool is_sample_host(std::string_view host) noexcept {
    host = host.substr(0, host.find(':'));
    for (const std::string_view end : {".com", ".org", ".net"}) {
        if (host.ends_with(end)) host.remove_suffix(end.size());
    }
    return host == "example" || host.ends_with(".example");
}

// "root:root@localhost": a name without dots is a host of a test or of a composed set of services.
bool is_sample_pair(std::string_view user, std::string_view password,
                    std::string_view host) noexcept {
    host = host.substr(0, host.find(':'));
    const bool is_near = host.find('.') == host.npos || host == "127.0.0.1" || host == "0.0.0.0";
    return is_near && user == password;
}

bool is_url_password(std::string_view password) noexcept {
    // "user:pass@host" is how everybody explains it.
    const bool short_word =
        password.size() <= 4 && std::all_of(password.begin(), password.end(),
                                            [](char c) { return kLower.has(c) || kUpper.has(c); });
    // "xxxxx"; and brackets, which only a description of URLs has there.
    const bool filler = password.find_first_not_of(password.substr(0, 1)) == password.npos;
    return !filler && !short_word && !has(password, ByteSet("[]")) &&
           !policy::is_placeholder(password);
}

bool is_url_user(std::string_view user) noexcept {
    return user.size() >= kLoneTokenMin && has_digit_and_letter(user) &&
           !policy::is_placeholder(user);
}

bool is_base64(std::string_view text) noexcept {
    return has_digit_and_letter(text) && has(text, kLower) && !has(text, ByteSet("_.:~-"));
}

using Test = bool (*)(std::string_view);

// The token at `at` of the text.
std::optional<FoundSecret> token_at(std::string_view text, std::size_t at, std::size_t least,
                                    Test test = has_digit_and_letter) noexcept {
    const std::string_view seen = text.substr(at, kValueExaminedMax);
    const std::string_view token = seen.substr(0, kToken.bytes.run(seen));
    if (token.size() < least || !test(token) || policy::is_placeholder(token)) return {};
    // In a first pass, what was cut out behind it was part of it and did not make a token of it.
    if (text.substr(at + token.size()).starts_with(kMarkStart)) return {};
    return FoundSecret{0, at, at + token.size(), "authorization", &kToken};
}

}  // namespace

std::optional<FoundSecret> match_url(const Surroundings& around) noexcept {
    constexpr ByteSet kEnds("/?#\"'`<>\\|,;()");
    if (around.before.empty() || !kAlnum.has(around.before.back())) return {};
    constexpr std::size_t kStart = 3;
    const std::string_view rest = around.after.substr(kStart);
    std::size_t end = 0;
    while (end < rest.size() && kUserInfo.has(rest[end]) && !kEnds.has(rest[end])) ++end;
    const std::size_t at_sign = rest.substr(0, end).rfind('@');
    if (at_sign == std::string_view::npos) return {};
    const std::string_view info = rest.substr(0, at_sign);
    const std::size_t colon = info.find(':');
    const std::string_view host = rest.substr(at_sign + 1, end - at_sign - 1);
    if (colon != info.npos && is_sample_pair(info.substr(0, colon), info.substr(colon + 1), host)) {
        return {};
    }
    const bool secret = colon == std::string_view::npos
                            ? is_url_user(info)
                            : is_url_password(info.substr(colon + 1)) && !info.starts_with("[");
    if (!secret || is_sample_host(host)) return {};
    return FoundSecret{0, kStart, kStart + at_sign, "url-credentials", &kNoMore};
}

std::optional<FoundSecret> match_authorization(const Surroundings& around) noexcept {
    constexpr std::string_view kHeader = "authorization";
    constexpr std::string_view kSchemes[] = {"bearer ", "basic ", "token ", "apikey ", "key "};
    const bool header = begins_with(around.after, kHeader);
    const std::size_t name = header ? kHeader.size() : std::string_view("auth").size();
    const auto binding = binding_at(around.after.substr(name));
    if (!binding) return {};
    const std::size_t value = name + binding->value;
    if (!header) {
        const bool whole_name = around.before.empty() || !kAlnum.has(around.before.back());
        return whole_name && (binding->tight || binding->quote != 0)
                   ? token_at(around.after, value, kLoneTokenMin, is_base64)
                   : std::nullopt;
    }
    for (const std::string_view scheme : kSchemes) {
        if (!begins_with(around.after.substr(value), scheme)) continue;
        return token_at(around.after, value + scheme.size(), kEncodedPairMin, is_encoded);
    }
    return token_at(around.after, value, kLoneTokenMin, [](std::string_view token) {
        return has_digit_and_letter(token) && !policy::is_dotted_name(token);
    });
}

std::optional<FoundSecret> match_signature(const Surroundings& around) noexcept {
    constexpr std::string_view kName = "sig=";
    constexpr std::size_t kDigitsOfSignature = 43;
    constexpr ByteSet kPlain = kAlnum | ByteSet("+/");
    if (!begins_word(around.before)) return {};
    const std::string_view text = around.after;
    std::size_t at = kName.size();
    // Takes one digit, or a mark, plain or encoded.
    const auto take = [&](const ByteSet& plain, std::initializer_list<std::string_view> encoded) {
        const std::string_view rest = text.substr(at);
        if (!rest.empty() && plain.has(rest.front())) return ++at, true;
        for (const std::string_view code : encoded) {
            if (begins_with(rest, code)) return at += code.size(), true;
        }
        return false;
    };
    for (std::size_t i = 0; i < kDigitsOfSignature; ++i) {
        if (!take(kPlain, {"%2b", "%2f"})) return {};
    }
    const bool padded = take(ByteSet("="), {"%3d"});
    const std::string_view value = text.substr(kName.size(), at - kName.size());
    if (!padded || policy::is_placeholder(value)) return {};
    return FoundSecret{0, kName.size(), at, "azure-signature", &kNoMore};
}

std::optional<FoundSecret> match_bearer(const Surroundings& around) noexcept {
    constexpr std::string_view kScheme = "bearer ";
    if (!begins_with(around.after, kScheme) || !begins_word(around.before)) return {};
    return token_at(around.after, kScheme.size(), kBearerMin);
}

}  // namespace paddock::search
