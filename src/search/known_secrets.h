// The exact values that the operator named, in the forms in which they may turn up.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/outcome.h"
#include "search/lead_filter.h"
#include "search/secret_match.h"

namespace paddock::search {

struct KnownSecret {
    std::string name;  // shown in its place: letters, digits, "_", "-", "."
    std::string value;
};

// A Matcher, see redaction.h.
class KnownSecrets {
public:
    // invalid_argument: a name or a value that cannot be used, too many of them; see limits.h.
    static Outcome<KnownSecrets> compile(std::span<const KnownSecret> secrets);

    bool empty() const noexcept { return forms_.empty(); }
    const LeadFilter& filter() const noexcept { return *filter_; }
    std::size_t offset(std::size_t) const noexcept { return 0; }
    std::size_t ahead() const noexcept { return longest_; }
    std::optional<FoundSecret> match(std::size_t lead, const Surroundings& around) const noexcept;

    // How much of the end of `text` one of them may begin with. Four bytes are not enough to tell.
    std::size_t begun_at_end_of(std::string_view text) const noexcept;

private:
    struct Form {
        std::string text;
        std::string name;
    };

    std::vector<Form> forms_;  // longest first
    std::size_t longest_ = 0;
    std::optional<LeadFilter> filter_;
};

// The value itself; URL-encoded with capital and small digits, strictly, as JavaScript does it, and
// as forms do it; as in a JSON string; and in base64, plain and URL-safe, at each of the three
// places it can have in a longer text: there without the digits at the ends that it shares with its
// neighbours. Each once.
std::vector<std::string> forms_of(std::string_view value);

}  // namespace paddock::search
