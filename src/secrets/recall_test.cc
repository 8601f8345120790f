// How much of what it should take out does the scanner miss? Random values of many alphabets, as
// many kinds of files write them. The same values every time.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "secrets/scanner.h"
#include "testing/secret_samples.h"

using namespace paddock::secrets;
using paddock::testing::Chance;

namespace {

constexpr std::size_t kValues = 2000;
constexpr std::size_t kShownMax = kValues / 100;

struct Alphabet {
    std::string name;
    std::string bytes;
    std::size_t length;
};

std::vector<Alphabet> alphabets() {
    const std::string lower = "abcdefghijklmnopqrstuvwxyz";
    const std::string digits = "0123456789";
    const std::string all = lower + "ABCDEFGHIJKLMNOPQRSTUVWXYZ" + digits;
    return {{"letters and digits", all, 16},
            {"letters and digits", all, 24},
            {"small letters and digits", lower + digits, 12},
            {"small letters and digits", lower + digits, 20},
            {"base64", all + "+/", 40},
            {"hexadecimal", digits + "abcdef", 32},
            {"letters, digits and marks", all + "!@#%^&*-_", 14}};
}

// The value stands where the "~" is.
std::vector<std::string> places() {
    return {
        "DB_PASSWORD=~\n",                          // .env
        "export API_TOKEN=~\n",                     // shell
        "AWS_SECRET_ACCESS_KEY=~\n",                //
        "DB_PASSWORD=\"~\"\n",                      // .env, shell
        "aws_secret_access_key = ~\n",              // ini
        "password=~\n",                             // properties
        "\"SecretAccessKey\": \"~\",\n",            // JSON
        "{\"user\": \"me\", \"password\": \"~\"}",  //
        "password: ~\n",                            // YAML
        "  api_key: '~'\n",                         //
        "client_secret = \"~\"\n",                  // TOML, Python
        "const authToken = '~';\n",                 // JavaScript
        "<password>~</password>",                   // XML
    };
}

// Four bytes of it in a row are enough to say that a value is shown.
bool is_shown(const std::string& value, const std::string& text) {
    for (std::size_t at = 0; at + 4 <= value.size(); ++at) {
        if (text.find(value.substr(at, 4)) != std::string::npos) return true;
    }
    return false;
}

TEST(SecretRecall, is_99_percent_of_random_values) {
    const SecretScanner scanner = SecretScanner::create().value();
    for (const std::string& place : places()) {
        for (const Alphabet& alphabet : alphabets()) {
            Chance chance(11);
            std::size_t shown = 0;
            std::string last;
            for (std::size_t i = 0; i < kValues; ++i) {
                const std::string value = chance.text(alphabet.bytes, alphabet.length);
                std::string text = place;
                text.replace(place.find('~'), 1, value);
                scanner.redact(text);
                if (!is_shown(value, text)) continue;
                ++shown;
                last = text;
            }
            EXPECT_LT(shown, kShownMax)
                << place << alphabet.length << " " << alphabet.name << ", such as " << last;
        }
    }
}

}  // namespace
