#include "search/secret_context.h"

#include <algorithm>

#include "policy/secret_value.h"
#include "search/line_join.h"
#include "search/secret_binding.h"

namespace paddock::search {
namespace {

constexpr std::size_t kPasswordMin = 6;
constexpr std::size_t kAwsSecretBytes = 40;
constexpr std::size_t kAwsBetweenMax = 24;
constexpr ByteSet kAwsSecret = kAlnum | ByteSet("+/");
constexpr ByteSet kFieldEnd(" \t\r\n");
constexpr ByteSet kArgumentEnd(" \t\r\n\"'`;|&<>()\\");
constexpr Tail kFieldBytes{~kFieldEnd};
constexpr Tail kArgumentBytes{~kArgumentEnd};

// In a first pass nothing is seen of what stands before the last secret.
std::string_view since_mark(std::string_view text) noexcept {
    const std::size_t mark = text.rfind(kMarkStart);
    if (mark == text.npos) return text;
    return text.substr(std::min(text.find(']', mark), text.size() - 1) + 1);
}

std::string_view unfinished_line(std::string_view text) noexcept {
    const std::size_t end = text.find_last_of("\r\n");
    return end == text.npos ? text : text.substr(end + 1);
}

bool contains(std::string_view text, std::string_view word) noexcept {
    return text.find(word) != text.npos;
}

bool is_chosen(std::string_view value) noexcept {
    return policy::is_secret_value(value, policy::ValueForm::kShell) ||
           policy::is_secret_value(value, policy::ValueForm::kQuoted) ||
           policy::is_passphrase(value);
}

bool is_all_digits(std::string_view value) noexcept { return kDigits.run(value) == value.size(); }

// The value at `at` of the text, as far as it is judged.
std::string_view value_seen(std::string_view text, std::size_t at, const Tail& tail) noexcept {
    const std::string_view seen = text.substr(std::min(at, text.size()), kValueExaminedMax);
    return seen.substr(0, tail.bytes.run(seen));
}

bool was_cut(std::string_view text, std::size_t at, std::string_view value) noexcept {
    return contains(text.substr(std::min(at, text.size()), value.size() + kMarkStart.size()),
                    kMarkStart);
}

// The words of a text from its end on, without the numbers of lines in a listing.
class Words {
public:
    explicit Words(std::string_view text) noexcept : rest_(text) {}

    std::string_view take_last() noexcept {
        while (true) {
            const std::size_t end = rest_.find_last_not_of(" \t\r\n") + 1;
            const bool before_tab = rest_.substr(end).starts_with('\t');
            const std::size_t begin = rest_.substr(0, end).find_last_of(" \t\r\n") + 1;
            const std::string_view word = rest_.substr(begin, end - begin);
            rest_ = rest_.substr(0, begin);
            if (word.empty() || !before_tab || !is_all_digits(word)) return word;
        }
    }

private:
    std::string_view rest_;
};

// The argument at `at`, or what of it stands behind `separator`.
std::optional<FoundSecret> match_argument(const Surroundings& around, std::size_t at,
                                          char separator, bool known) noexcept {
    if (at < around.after.size() && ByteSet("\"'").has(around.after[at])) ++at;
    std::string_view value = value_seen(around.after, at, kArgumentBytes);
    if (was_cut(around.after, at, value)) return {};
    if (separator != '\0') {
        const std::size_t end = value.find(separator);
        if (end == value.npos || value.substr(end).starts_with("://")) return {};
        at += end + 1;
        value.remove_prefix(end + 1);
    }
    // In a sentence: "-u user:PASSWORD, ...".
    const std::string_view judged = value.substr(0, value.find_last_not_of(",.:") + 1);
    // "-u 1000580000:1000580000" is a user and a group.
    if (is_all_digits(judged) || !is_chosen(judged)) return {};
    if (!known && !policy::is_random(value)) return {};
    return FoundSecret{0, at, at + value.size(), "password", &kArgumentBytes};
}

std::optional<FoundSecret> match_user_and_password(const Surroundings& around, std::size_t at,
                                                   bool known) noexcept {
    while (at < around.after.size() && around.after[at] == ' ') ++at;
    return match_argument(around, at, ':', known);
}

// "docker login -u me", "az login"
bool logs_in(std::string_view command) noexcept {
    constexpr std::string_view kPrograms[] = {"docker", "podman", "nerdctl", "buildah", "skopeo",
                                              "helm",   "oras",   "az ",     "oc "};
    const std::size_t login = command.find(" login");
    return login != command.npos &&
           std::any_of(std::begin(kPrograms), std::end(kPrograms), [&](std::string_view each) {
               return contains(command.substr(0, login + 1), each);
           });
}

}  // namespace

std::optional<FoundSecret> match_option(const Surroundings& around) noexcept {
    const std::string_view line = unfinished_line(since_mark(around.before));
    const std::string_view command = line.substr(line.find_last_of(";|&") + 1);
    const char option = around.after[2];
    const bool spaced = around.after[3] == ' ';
    if (option == 'u') return match_user_and_password(around, 3, contains(line, "curl"));
    bool known = false;
    if (option == 'p') {
        known = contains(command, "sshpass") || contains(command, "mongo") || logs_in(command) ||
                (!spaced && (contains(line, "mysql") || contains(line, "mariadb") ||
                             contains(command, "7z ")));
    } else if (option == 'a') {
        known = contains(line, "redis-cli");
    } else if (option == 'w') {
        known = contains(command, "ldap");
    }
    std::size_t at = 3;
    while (at < around.after.size() && around.after[at] == ' ') ++at;
    return known ? match_argument(around, at, '\0', true) : std::nullopt;
}

std::optional<FoundSecret> match_long_user_option(const Surroundings& around) noexcept {
    const std::string_view line = unfinished_line(since_mark(around.before));
    constexpr std::string_view kName = "-user";
    const std::string_view behind =
        around.after.substr(std::min(kName.size(), around.after.size()));
    const bool is_option =
        around.after.starts_with(kName) && behind.size() > 1 && ByteSet(" =").has(behind.front());
    if (!is_option || !contains(line, "curl")) return {};
    return match_user_and_password(around, kName.size() + 1, true);
}

std::optional<FoundSecret> match_joined_options(const Surroundings& around) noexcept {
    const std::string_view line = unfinished_line(since_mark(around.before));
    constexpr std::size_t kBegin = 2;  // behind " -"
    const std::string_view options = around.after.substr(std::min(kBegin, around.after.size()), 3);
    const std::size_t last = options.find('u');
    const bool is_known = last != options.npos && last > 0 && contains(line, "curl");
    return is_known ? match_user_and_password(around, kBegin + last + 1, true) : std::nullopt;
}

std::optional<FoundSecret> match_netrc(const Surroundings& around) noexcept {
    constexpr std::string_view kName = "password";
    if (!around.after.starts_with(kName) || !begins_word(around.before)) return {};
    // Back over names and values to the name of the user.
    Words words(since_mark(around.before));
    std::string_view value;
    for (std::string_view name; name != "login";) {
        value = words.take_last();
        name = words.take_last();
        const bool is_entry = name == "login" || name == "account" || name == "port";
        if (!is_entry || value.empty()) return {};
    }
    if (value == "anonymous" || value == "ftp") return {};
    (void)words.take_last();
    const bool has_machine = words.take_last() == "machine";
    const std::size_t at = kName.size() + ByteSet(" \t").run(around.after.substr(kName.size()));
    if (at == kName.size()) return {};
    value = value_seen(around.after, at, kFieldBytes);
    if (value.size() < kPasswordMin || policy::is_placeholder(value)) return {};
    // In running text a word follows: "login and password prompts".
    if (!has_machine && !is_chosen(value)) return {};
    if (was_cut(around.after, at, value)) return {};
    return FoundSecret{0, at, at + value.size(), "password", &kFieldBytes};
}

std::optional<FoundSecret> match_pgpass(const Surroundings& around) noexcept {
    constexpr ByteSet kName = kWordBytes | ByteSet(".-*");
    constexpr ByteSet kHost = kName | ByteSet("/");
    std::string_view host = unfinished_line(since_mark(around.before));
    std::size_t length = 0;
    while (length < host.size() && kHost.has(host[host.size() - 1 - length])) ++length;
    const std::string_view before = host.substr(0, host.size() - length);
    if (!around.after.starts_with(':') || length == 0 ||
        !(before.empty() || before.ends_with('\t') || before.ends_with('+'))) {
        return {};
    }
    std::size_t at = 1;
    for (int field = 0; field < 3; ++field) {
        const std::size_t run = kName.run(around.after.substr(at));
        at += run;
        if (run == 0 || at >= around.after.size() || around.after[at] != ':') return {};
        ++at;
    }
    const std::string_view value = value_seen(around.after, at, kFieldBytes);
    if (value.size() < kPasswordMin || policy::is_placeholder(value)) return {};
    // A line of /etc/passwd has more fields. A colon in a password stands behind a backslash.
    for (std::size_t colon = value.find(':'); colon != value.npos;
         colon = value.find(':', colon + 1)) {
        if (colon == 0 || value[colon - 1] != '\\') return {};
    }
    const std::string_view behind = around.after.substr(at + value.size());
    if (value.size() < kValueExaminedMax && behind.find_first_of("\r\n") != 0 && !behind.empty()) {
        return {};
    }
    if (was_cut(around.after, at, value)) return {};
    return FoundSecret{0, at, at + value.size(), "password", &kFieldBytes};
}

TailStep pass_aws_key(std::string_view text) noexcept {
    constexpr ByteSet kKey = kUpper | kDigits;
    constexpr ByteSet kBetween(" \t\r\n,;|:\"'");
    const std::size_t key = kKey.run(text);
    if (key == text.size()) return {key, false};
    const std::size_t between = kBetween.run(text.substr(key, kAwsBetweenMax));
    std::string_view secret = text.substr(key + between);
    std::size_t margin = 0;
    // The number of the line in a listing.
    if (const std::size_t digits = kDigits.run(secret); secret.substr(digits).starts_with('\t')) {
        margin = digits + 1;
        secret.remove_prefix(margin);
    }
    const std::size_t size = kAwsSecret.run(secret);
    const std::string_view value = secret.substr(0, size);
    const auto has = [&](const ByteSet& set) {
        return std::any_of(value.begin(), value.end(), [&](char c) { return set.has(c); });
    };
    const bool is_secret = between > 0 && size == kAwsSecretBytes && has(kLower) && has(kUpper) &&
                           has(kDigits) && !policy::is_placeholder(value);
    return {is_secret ? key + between + margin + size : key, true};
}

}  // namespace paddock::search
