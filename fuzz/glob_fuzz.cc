// A pattern, a line feed, a path: whatever the bytes, a pattern that compiles stays inside, and its
// two answers (match, may match below) fit each other. The same bytes as an ignore file and as a
// name to quote must do no harm either.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "text/glob.h"
#include "text/ignore.h"
#include "text/names.h"

namespace {

using namespace paddock::text;

// As paths come out of a walk: relative, no empty names, none of dots.
bool is_normalised(std::string_view path) {
    const std::string framed = "/" + std::string(path) + "/";
    const auto lacks = [&](std::string_view part) { return framed.find(part) == framed.npos; };
    return !path.empty() && lacks("//") && lacks("/./") && lacks("/../");
}

void check_glob(std::string_view pattern, std::string_view path) {
    for (const bool any_depth : {false, true}) {
        const auto glob = Glob::compile(pattern, {.ignore_case = false, .any_depth = any_depth});
        if (!glob) return;
        if (!glob->matches(path, true)) continue;
        for (auto slash = path.find('/'); slash != path.npos; slash = path.find('/', slash + 1)) {
            PADDOCK_CHECK(glob->may_match_below(path.substr(0, slash)));
        }
        const auto folded = Glob::compile(pattern, {.ignore_case = true, .any_depth = any_depth});
        // A negated set matches less when case does not count.
        const bool has_negation = pattern.find_first_of("!^") != pattern.npos;
        PADDOCK_CHECK(has_negation || (folded && folded->matches(path, true)));
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string text;
    for (std::size_t i = 0; i < size; ++i) text += static_cast<char>(data[i]);
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view pattern = std::string_view(text).substr(0, end);
    const std::string_view path = std::string_view(text).substr(std::min(end + 1, text.size()));
    if (is_normalised(path)) {
        check_glob(pattern, path);
        if (const auto rules = paddock::text::IgnoreFile::parse(pattern)) {
            (void)rules->judge(IgnoreSubject(path, false), 0);
        }
    }
    if (text.find('\0') == std::string::npos) {
        const std::string shown = quote_if_needed(text);
        PADDOCK_CHECK(unquote(shown).value_or(shown) == text);
    }
    return 0;
}
