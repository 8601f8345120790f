#include "search/denied_values.h"

#include <algorithm>

#include "base/utf8.h"
#include "policy/secret_randomness.h"
#include "policy/secret_value.h"
#include "search/secret_scanner.h"

namespace paddock::search {
namespace {

constexpr std::size_t kValueMin = 8;
constexpr std::size_t kRandomWordMin = 16;
// A stream holds back as much as the longest one takes when it is escaped.
constexpr std::size_t kPieceMax = 128;

bool is_telling(std::string_view value) {
    if (value.size() < kValueMin || policy::is_placeholder(value)) return false;
    if (policy::looks_random(value)) return true;
    const auto has = [&](const ByteSet& set) {
        return std::any_of(value.begin(), value.end(), [&](char c) { return set.has(c); });
    };
    return has(kDigits) && has(kLower | kUpper) &&
           policy::is_secret_value(value, policy::ValueForm::kQuoted);
}

void add_pieces(std::string_view value, std::vector<std::string>& values) {
    while (!value.empty()) {
        // The last piece is never too short to be known.
        const std::size_t size = value.size() <= kPieceMax              ? value.size()
                                 : value.size() < kPieceMax + kValueMin ? kPieceMax - kValueMin
                                                                        : kPieceMax;
        values.emplace_back(value.substr(0, size));
        value.remove_prefix(size);
    }
}

void add_secret(std::string_view secret, std::vector<std::string>& values) {
    constexpr std::string_view kBlanks = " \t\r";
    for (std::size_t begin = 0; begin < secret.size();) {
        const std::size_t end = std::min(secret.find('\n', begin), secret.size());
        std::string_view line = secret.substr(begin, end - begin);
        begin = end + 1;
        line.remove_prefix(std::min(line.find_first_not_of(kBlanks), line.size()));
        line = line.substr(0, line.find_last_not_of(kBlanks) + 1);
        // Of a user and a password the password.
        if (const std::size_t colon = line.find(':'); colon != line.npos) {
            if (is_telling(line.substr(colon + 1))) add_pieces(line.substr(colon + 1), values);
        } else if (is_telling(line) && !line.starts_with("----")) {
            add_pieces(line, values);
        }
    }
}

}  // namespace

std::vector<std::string> denied_values(std::string_view text) {
    constexpr ByteSet kWord = kWordBytes | ByteSet("+/=.~-");
    std::vector<std::string> values;
    if (!is_utf8(text) || text.find('\0') != text.npos) return values;
    for (const std::string_view secret : SecretScanner::secrets_in(text)) {
        add_secret(secret, values);
    }
    for (std::size_t at = 0; at < text.size(); ++at) {
        std::string_view word = text.substr(at, kWord.run(text.substr(at)));
        at += word.size();
        // "NAME=value"
        if (const std::size_t equals = word.find('='); equals < word.size() / 2) {
            word.remove_prefix(equals + 1);
        }
        if (word.size() < kRandomWordMin || word.size() > kPieceMax) continue;
        if (policy::looks_random(word) && is_telling(word)) values.emplace_back(word);
    }
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    return values;
}

}  // namespace paddock::search
