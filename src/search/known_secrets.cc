#include "search/known_secrets.h"

#include <paddock/limits.h>

#include <algorithm>

namespace paddock::search {
namespace {

std::string percent_encoded(std::string_view value, std::string_view digits,
                            std::string_view kept_too, bool plus_for_space) {
    const ByteSet kept = kWordBytes | ByteSet("-.~") | ByteSet(kept_too);
    std::string out;
    for (const char c : value) {
        if (kept.has(c)) {
            out += c;
        } else if (c == ' ' && plus_for_space) {
            out += '+';
        } else {
            const auto byte = static_cast<unsigned char>(c);
            out += {'%', digits[byte >> 4], digits[byte & 15U]};
        }
    }
    return out;
}

std::string json_escaped(std::string_view value) {
    std::string out;
    for (const char c : value) {
        switch (c) {
            case '\n': out += "\\n"; break;
            case '\r': out += "\\r"; break;
            case '\t': out += "\\t"; break;
            case '"':
            case '\\': out += '\\'; [[fallthrough]];
            default: out += c;
        }
    }
    return out;
}

// The digits that depend on `value` alone when `shift` bytes (0 to 2) of its group come before it.
std::string base64_inside(std::string_view value, std::size_t shift, std::string_view last_two) {
    constexpr std::string_view kDigits62 =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    std::string digits;
    unsigned bits = 0;
    std::size_t held = shift * 8;
    for (const char c : value) {
        bits = bits << 8 | static_cast<unsigned char>(c);
        held += 8;
        for (; held >= 6; held -= 6) {
            const unsigned digit = bits >> (held - 6) & 63U;
            digits += digit < 62 ? kDigits62[digit] : last_two[digit - 62];
        }
    }
    // The bytes before the value take part in the digits that their bits reach.
    return digits.substr((shift * 8 + 5) / 6);
}

Done check(const KnownSecret& secret) {
    constexpr ByteSet kNameBytes = kWordBytes | ByteSet("-.");
    const bool named = !secret.name.empty() && secret.name.size() <= limits::kComponentBytesMax &&
                       std::all_of(secret.name.begin(), secret.name.end(),
                                   [&](char c) { return kNameBytes.has(c); });
    if (!named) return refuse(Code::kInvalidArgument, "the name of a secret is not a plain word");
    if (secret.value.size() < limits::kKnownSecretBytesMin ||
        secret.value.size() > limits::kKnownSecretBytesMax) {
        return refuse(Code::kInvalidArgument, "the value of a secret is too short or too long");
    }
    return {};
}

}  // namespace

std::vector<std::string> forms_of(std::string_view value) {
    std::vector<std::string> forms{std::string(value), json_escaped(value)};
    for (const std::string_view digits : {"0123456789ABCDEF", "0123456789abcdef"}) {
        for (const std::string_view kept : {"", "!'()*"}) {
            forms.push_back(percent_encoded(value, digits, kept, false));
            forms.push_back(percent_encoded(value, digits, kept, true));
        }
    }
    for (const std::string_view last_two : {"+/", "-_"}) {
        for (const std::size_t shift : {0U, 1U, 2U}) {
            forms.push_back(base64_inside(value, shift, last_two));
        }
    }
    std::sort(forms.begin(), forms.end());
    forms.erase(std::unique(forms.begin(), forms.end()), forms.end());
    return forms;
}

Outcome<KnownSecrets> KnownSecrets::compile(std::span<const KnownSecret> secrets) {
    if (secrets.size() > limits::kKnownSecretsMax) {
        return refuse(Code::kInvalidArgument, "too many secrets");
    }
    KnownSecrets known;
    for (const KnownSecret& secret : secrets) {
        PADDOCK_TRY(check(secret));
        for (std::string& form : forms_of(secret.value)) {
            known.forms_.push_back({std::move(form), secret.name});
        }
    }
    std::stable_sort(known.forms_.begin(), known.forms_.end(),
                     [](const Form& a, const Form& b) { return a.text.size() > b.text.size(); });
    std::vector<Lead> leads;
    for (const Form& form : known.forms_) {
        known.longest_ = std::max(known.longest_, form.text.size());
        Lead& lead = leads.emplace_back();
        for (std::size_t i = 0; i < kLeadBytes; ++i) lead[i].add(form.text[i]);
    }
    known.filter_.emplace(leads);
    return known;
}

std::optional<FoundSecret> KnownSecrets::match(std::size_t lead,
                                               const Surroundings& around) const noexcept {
    static constexpr Tail kNoMore{};
    const Form& form = forms_[lead];
    if (!around.after.starts_with(form.text)) return {};
    return FoundSecret{0, 0, form.text.size(), form.name, &kNoMore};
}

std::size_t KnownSecrets::begun_at_end_of(std::string_view text) const noexcept {
    std::size_t most = kLeadBytes;
    for (const Form& form : forms_) {
        const std::string_view whole = form.text;
        for (std::size_t n = std::min(whole.size() - 1, text.size()); n > most; --n) {
            if (text.ends_with(whole.substr(0, n))) most = n;
        }
    }
    return most > kLeadBytes ? most : 0;
}

}  // namespace paddock::search
