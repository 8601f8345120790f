// A git configuration of any bytes, and a trusted one before it: what is printed is read back as
// the same, and what was cleaned is clean and holds nothing that was in neither.
#include <algorithm>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "git/trust.h"

namespace {

using namespace paddock::git;

bool is_same(const std::vector<GitSetting>& a, const std::vector<GitSetting>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const GitSetting& x, const GitSetting& y) { return x.same_as(y); });
}

bool is_without_section(const GitSetting& setting) {
    return setting.key.find('.') == setting.key.npos;
}

bool inside(std::string_view path, PathFrom) { return path.starts_with("in"); }

void check_cleaned(std::string_view text, const std::vector<GitSetting>& trusted, Trusted fate) {
    const GitVerdict verdict = judge_git_config(text, trusted, fate, inside);
    const auto cleaned = parse_git_config(verdict.cleaned);
    PADDOCK_CHECK(cleaned.has_value());
    PADDOCK_CHECK(judge_git_config(verdict.cleaned, trusted, fate, inside).is_clean());
    for (const GitSetting& setting : *cleaned) {
        const auto known = [&](const GitSetting& old) { return old.same_as(setting); };
        PADDOCK_CHECK(is_benign(setting, inside) ||
                      std::any_of(trusted.begin(), trusted.end(), known));
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    const std::size_t cut = bytes.find('\x01');
    const std::string_view text = bytes.substr(0, cut);
    auto trusted = parse_git_config(cut == bytes.npos ? std::string_view() : bytes.substr(cut + 1));
    if (!trusted) return 0;
    std::erase_if(*trusted, is_without_section);
    PADDOCK_CHECK(is_same(parse_git_config(print_git_config(*trusted)).value(), *trusted));
    check_cleaned(text, *trusted, Trusted::kMayChange);
    check_cleaned(text, *trusted, Trusted::kStays);
    return 0;
}
