// The exact values that the operator named, in the forms in which they may turn up: as they are;
// with any of their bytes percent-encoded, "+" for a space included; with any of their characters
// escaped as in a JSON string, or in octal as in a quoted file name; and in base64, plain and
// URL-safe, at each of the three places they can have in a longer text, there without the digits at
// the ends that they share with their neighbours. Each line of a value with several is found by
// itself as well, but not in base64: line numbers or other line ends may stand between them.
//
// Not in two of these at once: base64 in a URL that encodes its "+", a percent-encoded "\".
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/outcome.h"
#include "secrets/lead_filter.h"
#include "secrets/match.h"

namespace paddock::secrets {

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
    enum class Writing : std::uint8_t { kExact, kPercent, kJson, kOctal };
    struct Form {
        std::string text;  // what is written so
        std::string name;
        Writing writing;
    };
    struct Spellings;
    struct Walk {
        std::size_t length = 0;  // of the text that agrees
        bool whole = false;      // all of the form
        bool cut = false;        // the text ends inside of it
    };

    void add_forms(std::string_view value, const std::string& name);
    static Spellings spellings(std::string_view value, Writing writing) noexcept;
    static Walk walk(const Form& form, std::string_view text) noexcept;
    static void add_leads(std::string_view value, Writing writing, const Lead& begun,
                          std::size_t filled, std::vector<Lead>& leads);

    std::vector<Form> forms_;          // longest first
    std::vector<std::size_t> owners_;  // of each lead, its form
    std::size_t longest_ = 0;
    std::optional<LeadFilter> filter_;
};

// The values in a file that must not be read. Who may not read the file should not see them
// elsewhere either: in a log, in an older commit, in what a program prints.
// What the scanner's shapes find in the text, and its long random words. Words that a person could
// write anywhere ("postgres") are left out. Nothing if the text is not UTF-8. Long values come in
// pieces, a private key by its lines.
std::vector<std::string> denied_values(std::string_view text);

}  // namespace paddock::secrets
