#include "text/ignore.h"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <utility>

#include <paddock/limits.h>

namespace paddock::text {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

std::uint32_t hash_of(std::string_view text) noexcept {
    return static_cast<std::uint32_t>(std::hash<std::string_view>()(text));
}

// From the last dot on; empty if there is none.
std::string_view extension_of(std::string_view name) noexcept {
    const std::size_t dot = name.rfind('.');
    return dot == std::string_view::npos ? std::string_view() : name.substr(dot);
}

// Cuts the next line off `text`, without its "\n" or "\r\n".
std::string_view take_line(std::string_view& text) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    // git reads lines as C strings.
    return line.substr(0, line.find('\0'));
}

// Spaces at the end go, unless a backslash stands before one.
std::string_view without_trailing_spaces(std::string_view line) {
    std::size_t end = 0;
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (line[i] == ' ') continue;
        if (line[i] == '\\') ++i;
        end = std::min(i + 1, line.size());
    }
    return line.substr(0, end);
}

bool take(std::string_view& line, char first) {
    if (!line.starts_with(first)) return false;
    line.remove_prefix(1);
    return true;
}

// Cuts off what git compares as plain text, if "**" follows: git then takes the stars for the start
// of a pattern, where they cross directories.
std::string_view take_beginning(std::string_view& line) {
    const std::size_t wild = std::min(line.find_first_of("*?[\\"), line.size());
    if (!line.substr(wild).starts_with("**") || line.substr(0, wild).ends_with('/')) return {};
    const std::string_view beginning = line.substr(0, wild);
    line.remove_prefix(wild);
    return beginning;
}

}  // namespace

IgnoreSubject::IgnoreSubject(std::string_view relative, bool directory) noexcept
    : path(relative),
      name(relative.substr(relative.rfind('/') + 1)),
      is_directory(directory),
      name_hash(hash_of(name)),
      extension_hash(hash_of(extension_of(name))) {}

Outcome<IgnoreFile> IgnoreFile::parse(std::string_view text) {
    if (text.size() > limits::kIgnoreFileBytesMax) {
        return refuse(Code::kLimitReached, "is too large for an ignore file");
    }
    if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
    IgnoreFile file;
    for (std::uint32_t number = 1; !text.empty(); ++number) {
        file.add_line(take_line(text), number);
    }
    PADDOCK_TRY(file.build_index());
    return file;
}

void IgnoreFile::add_line(std::string_view line, std::uint32_t number) {
    if (line.starts_with('#')) return;
    line = without_trailing_spaces(line);
    const bool negated = take(line, '!');
    const bool directories_only = line.ends_with('/');
    if (directories_only) line.remove_suffix(1);
    const bool by_name = line.find('/') == std::string_view::npos;
    take(line, '/');
    if (line.empty()) return;
    const std::string_view beginning = by_name ? std::string_view() : take_beginning(line);
    auto parts = parse_parts(line, {.unit = Unit::kByte});
    if (!parts) return;
    rules_.push_back({std::string(beginning), PathPattern(std::move(*parts)), by_name,
                      directories_only, negated, number});
}

Done IgnoreFile::build_index() {
    const std::size_t buckets = std::bit_ceil(rules_.size() * 2 + 1);
    by_name_.resize(buckets);
    by_extension_.resize(buckets);
    for (std::uint32_t number = 1; number <= rules_.size(); ++number) {
        Rule& rule = rules_[number - 1];
        const PathPart& last = rule.pattern.parts().back();
        const NamePattern::Kind kind = last.name.kind();
        const std::string_view extension = extension_of(last.name.text());
        const bool has_name = !last.any_names && rule.beginning.empty();
        Buckets* table = nullptr;
        if (has_name && kind == NamePattern::Kind::kLiteral) {
            rule.hash = hash_of(last.name.text());
            table = &by_name_;
        } else if (has_name && kind == NamePattern::Kind::kSuffix && !extension.empty()) {
            rule.hash = hash_of(extension);
            table = &by_extension_;
        } else {
            others_.push_back(number);
            continue;
        }
        std::uint32_t& bucket = (*table)[rule.hash & (buckets - 1)];
        rule.next = std::exchange(bucket, number);
    }
    if (others_.size() > limits::kIgnoreGlobsMax) {
        return refuse(Code::kLimitReached, "has too many rules with wildcards");
    }
    return {};
}

bool IgnoreFile::applies(const Rule& rule, const IgnoreSubject& subject,
                         std::size_t base) noexcept {
    if (rule.directories_only && !subject.is_directory) return false;
    const PathPart& last = rule.pattern.parts().back();
    if (rule.by_name) return last.any_names || last.name.matches(subject.name);
    std::string_view path = subject.path.substr(base);
    if (!path.starts_with(rule.beginning)) return false;
    path.remove_prefix(rule.beginning.size());
    if (path.empty()) return rule.pattern.parts().size() == 1 && last.any_names;
    return rule.pattern.matches(path);
}

// The last rule in the bucket that applies, if it comes after the rule `after`; else `after`.
std::uint32_t IgnoreFile::last_in(const Buckets& buckets, std::uint32_t hash, std::uint32_t after,
                                  const IgnoreSubject& subject, std::size_t base) const noexcept {
    for (std::uint32_t number = buckets[hash & (buckets.size() - 1)]; number > after;) {
        const Rule& rule = rules_[number - 1];
        if (rule.hash == hash && applies(rule, subject, base)) return number;
        number = rule.next;
    }
    return after;
}

IgnoreRuling IgnoreFile::judge(const IgnoreSubject& subject, std::size_t base) const noexcept {
    std::uint32_t last = last_in(by_name_, subject.name_hash, 0, subject, base);
    last = last_in(by_extension_, subject.extension_hash, last, subject, base);
    const auto other = std::find_if(others_.rbegin(), others_.rend(), [&](std::uint32_t number) {
        return number < last || applies(rules_[number - 1], subject, base);
    });
    if (other != others_.rend()) last = std::max(last, *other);
    if (last == 0) return {};
    const Rule& rule = rules_[last - 1];
    return {rule.negated ? IgnoreVerdict::kIncluded : IgnoreVerdict::kIgnored, rule.line};
}

IgnoreScope::IgnoreScope(std::shared_ptr<const IgnoreScope> parent, std::string_view directory,
                         Files files)
    : parent_(std::move(parent)),
      prefix_(directory.empty() ? "" : std::string(directory) + "/"),
      files_(std::move(files)),
      is_in_repository_(files_.starts_repository || (parent_ && parent_->is_in_repository())) {}

IgnoreScope::Decision IgnoreScope::decide(std::string_view path, bool is_directory) const noexcept {
    constexpr std::array kKinds = {&Files::ignore, &Files::gitignore, &Files::exclude,
                                   &Files::global};
    const IgnoreSubject subject(path, is_directory);
    Decision decision;
    std::size_t kinds = kKinds.size();  // that can still overrule the verdict
    for (const IgnoreScope* scope = this; scope != nullptr; scope = scope->parent_.get()) {
        for (std::size_t kind = 0; kind < kinds; ++kind) {
            const File& file = scope->files_.*kKinds[kind];
            if (file == nullptr) continue;
            const IgnoreRuling found = file->judge(subject, scope->prefix_.size());
            if (found.verdict == IgnoreVerdict::kUndecided) continue;
            decision = {found, scope, kind};
            kinds = kind;
        }
        if (scope->files_.starts_repository) kinds = std::min<std::size_t>(kinds, 1);
    }
    return decision;
}

IgnoreScope::Ruling IgnoreScope::ruling(std::string_view path, bool is_directory) const {
    constexpr std::array kNames = {".ignore", ".gitignore", ".git/info/exclude"};
    const Decision decision = decide(path, is_directory);
    Ruling ruling{decision.ruling.verdict, {}, decision.ruling.line};
    if (decision.scope != nullptr && decision.kind < kNames.size()) {
        ruling.file = decision.scope->prefix_ + kNames[decision.kind];
    }
    return ruling;
}

}  // namespace paddock::text
