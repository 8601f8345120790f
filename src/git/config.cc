#include "git/config.h"

#include <paddock/limits.h>

namespace paddock::git {
namespace {

bool is_key_letter(int c) noexcept { return (c | 32) >= 'a' && (c | 32) <= 'z'; }
bool is_key_char(int c) noexcept { return is_key_letter(c) || (c >= '0' && c <= '9') || c == '-'; }
bool is_space(int c) noexcept { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

char lower(int c) noexcept { return static_cast<char>(c >= 'A' && c <= 'Z' ? c | 32 : c); }

// As git's own parser goes, character by character: the end of the text reads as a line end.
class Parser {
public:
    explicit Parser(std::string_view text) : text_(text) {
        if (text_.starts_with("\xef\xbb\xbf")) at_ = 3;
    }

    Outcome<std::vector<GitSetting>> run();

private:
    int next() noexcept;
    bool section();
    bool subsection();
    bool setting(int first, std::size_t begin);
    bool value(GitSetting& made);
    std::optional<char> escaped(int c) const;

    std::string_view text_;
    std::size_t at_ = 0;
    bool ended_ = false;
    std::string section_;  // with the dot after it
    std::vector<GitSetting> settings_;
};

int Parser::next() noexcept {
    if (at_ == text_.size()) {
        ended_ = true;
        return '\n';
    }
    const auto c = static_cast<unsigned char>(text_[at_++]);
    if (c == '\r' && at_ < text_.size() && text_[at_] == '\n') {
        ++at_;
        return '\n';
    }
    return c;
}

Outcome<std::vector<GitSetting>> Parser::run() {
    bool comment = false;
    for (;;) {
        const std::size_t begin = at_;
        const int c = next();
        if (c == '\n') {
            if (ended_) return std::move(settings_);
            comment = false;
        } else if (comment || is_space(c)) {
            continue;
        } else if (c == '#' || c == ';') {
            comment = true;
        } else if (c == '[' ? !section() : !is_key_letter(c) || !setting(c, begin)) {
            return refuse(Code::kInvalidArgument, "is not a git configuration");
        } else if (settings_.size() > limits::kGitSettingsMax) {
            return refuse(Code::kTooLarge);
        }
    }
}

// "[core]", "[remote "origin"]", and the old "[remote.origin]".
bool Parser::section() {
    section_.clear();
    for (;;) {
        const int c = next();
        if (ended_) return false;
        if (c == ']') break;
        if (is_space(c)) {
            if (c == '\n' || !subsection()) return false;
            break;
        }
        if (!is_key_char(c) && c != '.') return false;
        section_ += lower(c);
    }
    if (section_.empty()) return false;
    section_ += '.';
    return true;
}

bool Parser::subsection() {
    int c = next();
    while (c != '\n' && is_space(c)) c = next();
    if (c != '"') return false;
    section_ += '.';
    for (;;) {
        c = next();
        if (c == '"') return next() == ']';
        if (c == '\\') c = next();
        if (c == '\n') return false;
        section_ += static_cast<char>(c);
    }
}

bool Parser::setting(int first, std::size_t begin) {
    GitSetting made;
    made.key = section_ + lower(first);
    int c = next();
    for (; is_key_char(c); c = next()) made.key += lower(c);
    while (c == ' ' || c == '\t') c = next();
    if (c != '\n') {
        if (c != '=') return false;
        if (!value(made)) return false;
    }
    made.begin = begin;
    made.end = at_;
    settings_.push_back(std::move(made));
    return true;
}

std::optional<char> Parser::escaped(int c) const {
    switch (c) {
        case 't': return '\t';
        case 'b': return '\b';
        case 'n': return '\n';
        case '\\':
        case '"': return static_cast<char>(c);
        default: return std::nullopt;
    }
}

bool Parser::value(GitSetting& made) {
    std::string text;
    std::string verbatim;
    std::string spaces;  // that count only if something follows
    bool quoted = false;
    bool comment = false;
    for (;;) {
        int c = next();
        if (c == '\n') break;
        if (comment) continue;
        if (is_space(c) && !quoted) {
            if (!text.empty()) spaces += static_cast<char>(c);
            continue;
        }
        if (!quoted && (c == ';' || c == '#')) {
            comment = true;
            continue;
        }
        text.append(spaces.size(), ' ');
        verbatim += spaces;
        spaces.clear();
        if (c == '"') {
            quoted = !quoted;
            continue;
        }
        if (c == '\\') {
            c = next();
            if (c == '\n') continue;
            const auto meant = escaped(c);
            if (!meant) return false;
            c = static_cast<unsigned char>(*meant);
        }
        text += static_cast<char>(c);
        verbatim += static_cast<char>(c);
    }
    if (verbatim != text) made.verbatim = std::move(verbatim);
    made.value = std::move(text);
    return !quoted;
}

void print_quoted(std::string& out, std::string_view text) {
    out += '"';
    for (const char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        if (c == '\n') {
            out += "\\n";
        } else {
            out += c;
        }
    }
    out += '"';
}

// Both readings have a byte for each of the other's; where they differ, the blank is not quoted.
void print_value(std::string& out, const GitSetting& setting) {
    const std::string_view value = *setting.value;
    const std::string_view verbatim =
        setting.verbatim ? std::string_view(*setting.verbatim) : value;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < value.size(); ++i) {
        if (value[i] == verbatim[i]) continue;
        if (i > begin) print_quoted(out, value.substr(begin, i - begin));
        out += verbatim[i];
        begin = i + 1;
    }
    print_quoted(out, value.substr(begin));
}

}  // namespace

Outcome<std::vector<GitSetting>> parse_git_config(std::string_view text) {
    if (text.size() > limits::kGitConfigBytesMax) return refuse(Code::kTooLarge);
    if (text.find('\0') != text.npos) {
        return refuse(Code::kInvalidArgument, "is not a git configuration");
    }
    return Parser(text).run();
}

std::string print_git_config(const std::vector<GitSetting>& settings) {
    std::string out;
    std::string_view section;
    for (const GitSetting& setting : settings) {
        const std::string_view key = setting.key;
        const std::string_view here = key.substr(0, key.rfind('.'));
        if (out.empty() || here != section) {
            const std::size_t dot = here.find('.');
            out.append("[").append(here.substr(0, dot));
            if (dot != here.npos) {
                out += ' ';
                print_quoted(out, here.substr(dot + 1));
            }
            out += "]\n";
            section = here;
        }
        out.append("\t").append(key.substr(key.rfind('.') + 1));
        if (setting.value) {
            out += " = ";
            print_value(out, setting);
        }
        out += '\n';
    }
    return out;
}

}  // namespace paddock::git
