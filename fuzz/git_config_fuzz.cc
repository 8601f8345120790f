// A git configuration of any bytes, and a trusted one before it: what is accepted holds nothing but
// harmless settings and trusted ones.
#include <algorithm>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "git/trust.h"

namespace {

using namespace paddock::git;

bool inside(std::string_view path, PathFrom) { return path.starts_with("in"); }

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    const std::size_t cut = bytes.find('\x01');
    const std::string_view text = bytes.substr(0, cut);
    const auto trusted =
        parse_git_config(cut == bytes.npos ? std::string_view() : bytes.substr(cut + 1));
    if (!trusted || !judge_git_config(text, *trusted, inside).is_clean()) return 0;
    const auto accepted = parse_git_config(text);
    PADDOCK_CHECK(accepted.has_value());
    for (const GitSetting& setting : *accepted) {
        const auto known = [&](const GitSetting& old) { return old.same_as(setting); };
        PADDOCK_CHECK(is_benign(setting, inside) ||
                      std::any_of(trusted->begin(), trusted->end(), known));
    }
    return 0;
}
