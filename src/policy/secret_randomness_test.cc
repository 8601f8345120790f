#include "policy/secret_randomness.h"

#include <gtest/gtest.h>

#include <string>

using namespace paddock::policy;

namespace {

TEST(SecretRandomness, counts_the_pairs_that_names_do_not_have) {
    EXPECT_EQ(odd_pairs(""), 0U);
    EXPECT_EQ(odd_pairs("the_master.key"), 0U);
    EXPECT_EQ(odd_pairs("newToken256"), 0U);
    EXPECT_EQ(odd_pairs("abcdefgh"), 0U);  // in a row
    EXPECT_EQ(odd_pairs("aabbccdd"), 0U);  // twice each
    EXPECT_EQ(odd_pairs("qx"), 1U);        // letters that do not follow each other
    EXPECT_EQ(odd_pairs("reRe"), 1U);      // a word that ends too soon
    EXPECT_EQ(odd_pairs("2a"), 1U);        // a letter behind a digit
    EXPECT_EQ(odd_pairs("a!"), 1U);        // a mark
    EXPECT_EQ(odd_pairs("\xc3\xb6\xc3\xa4"), 0U);
}

TEST(SecretRandomness, tells_random_text_from_names) {
    for (const char* name :
         {"getParameterFromRequest", "AWSSDKCredentialProvider", "sha256WithRSAEncryption",
          "curve25519_set_secret", "identitytoolkit#ResetPassword", "exchangeV3Token",
          "/usr/lib/x86_64-linux-gnu", "ABCDEFGHIJKLMNOP", "NonExpressionParenKeyword",
          "algorithm/keyid", "12345678901234567890", "x7Kq2mZp"}) {
        EXPECT_FALSE(looks_random(name)) << name;
    }
    for (const std::string& text :
         {"kXqZbTpL" + std::string("mWvRsYdF"), "q7dm2xk" + std::string("9v4tz"),
          "wjalrx" + std::string("utnfemik")}) {
        EXPECT_TRUE(looks_random(text)) << text;
    }
}

}  // namespace
