#include "secrets/value.h"

#include <gtest/gtest.h>

#include <string>

#include "secrets/rules.h"

using namespace paddock::secrets;

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

namespace {

TEST(SecretValue, is_not_what_stands_for_one) {
    for (const char* text : {"",
                             "${TOKEN}",
                             "$TOKEN1",
                             "<token>",
                             "xxxxxxxx",
                             "********",
                             "changeme1",
                             "your-key-1",
                             "an-example-1",
                             "{{ x }}",
                             "%(x)s",
                             "/run/secret1",
                             "process.env.X1",
                             "[REDACTED:token]",
                             "arn:aws:iam::1:x",
                             "[Password1]",
                             "$AWS_SECRETKEY",
                             "$base32String",
                             "%MYSQL_PWD%",
                             "%d,%d-%d,%d:",
                             "password='%s'",
                             "+e.kX9(qZ[7])+",
                             "//qzxw:vkjq",
                             "AQoDYxkq9....="}) {
        EXPECT_TRUE(is_placeholder(text)) << text;
        EXPECT_FALSE(is_secret_value(text, ValueForm::kShell)) << text;
        EXPECT_FALSE(is_secret_value(text, ValueForm::kQuoted)) << text;
        EXPECT_FALSE(is_secret_value(text, ValueForm::kBare)) << text;
    }
}

TEST(SecretValue, needs_more_proof_the_more_it_looks_like_code) {
    const std::string random = std::string("9fQ2") + "xW7bL4kZp0";
    for (const ValueForm form : {ValueForm::kShell, ValueForm::kQuoted, ValueForm::kBare}) {
        EXPECT_TRUE(is_secret_value(random, form));
        EXPECT_FALSE(is_secret_value("short", form));
        EXPECT_FALSE(is_secret_value("two words1", form));
    }
    EXPECT_TRUE(is_secret_value("justletters", ValueForm::kShell));
    EXPECT_FALSE(is_secret_value("justletters", ValueForm::kQuoted));
    EXPECT_TRUE(is_secret_value("veryveryverylongletters", ValueForm::kQuoted));
    EXPECT_FALSE(is_secret_value("veryveryverylongletters", ValueForm::kBare));
    EXPECT_TRUE(is_secret_value("12345678", ValueForm::kQuoted));
    EXPECT_FALSE(is_secret_value("1234567", ValueForm::kShell));
    EXPECT_FALSE(is_secret_value("12345678", ValueForm::kBare));
    EXPECT_FALSE(is_secret_value("oauth2_client_1", ValueForm::kQuoted));
    EXPECT_FALSE(is_secret_value("1.3.6.1.4.1", ValueForm::kQuoted));
    EXPECT_FALSE(is_secret_value("module.Class25519", ValueForm::kBare));
    EXPECT_FALSE(is_secret_value("read(file1)", ValueForm::kShell));
}

TEST(SecretValue, may_begin_with_any_character) {
    const std::string made_up = std::string("dmin2024") + "!Q";
    EXPECT_TRUE(is_secret_value("@" + made_up, ValueForm::kQuoted));
    EXPECT_TRUE(is_secret_value("#Winter" + std::string("2024x"), ValueForm::kQuoted));
    EXPECT_TRUE(is_secret_value("$" + made_up, ValueForm::kShell));
    const std::string random = std::string("kXq9ZbTp") + "LmWvRs7YdFhG";
    for (const char first : std::string("$%/~&@#,+")) {
        EXPECT_TRUE(is_secret_value(first + random, ValueForm::kQuoted)) << first;
        EXPECT_TRUE(is_secret_value(first + random, ValueForm::kShell)) << first;
    }
    EXPECT_FALSE(is_secret_value("#1f2e3d", ValueForm::kQuoted));
    EXPECT_FALSE(is_secret_value("@param12", ValueForm::kQuoted));
    EXPECT_FALSE(is_secret_value("$token2x", ValueForm::kShell));
}

TEST(SecretValue, in_the_words_of_any_language_is_none) {
    EXPECT_FALSE(
        is_secret_value("Contrase\xc3\xb1"
                        "a",
                        ValueForm::kQuoted));
    EXPECT_FALSE(is_secret_value("\xd0\x9f\xd0\xb0\xd1\x80\xd0\xbe\xd0\xbb\xd1\x8c\xd0\xbf",
                                 ValueForm::kQuoted));
}

TEST(SecretValue, may_be_a_phrase_of_words) {
    for (const std::string text :
         {"monkey-dragon-42", "correct-horse-battery", "7-Monkey-dragon"}) {
        EXPECT_TRUE(is_passphrase(text)) << text;
        EXPECT_FALSE(is_secret_value(text, ValueForm::kQuoted)) << text;
    }
    for (const std::string text : {"scram-sha-256", "monkey-dragon", "your-pass-word", "a-b-c",
                                   "monkey--dragon", "", "monkeydragon42", "change-me-please"}) {
        EXPECT_FALSE(is_passphrase(text)) << text;
    }
}

TEST(SecretRules, find_the_words_about_secrets) {
    for (const char* word : {"address", "url", "length", "width", "file", "id"}) {
        EXPECT_TRUE(is_about_a_secret(word)) << word;
    }
    EXPECT_FALSE(is_about_a_secret("prod"));
    EXPECT_FALSE(is_about_a_secret(""));
}

}  // namespace
