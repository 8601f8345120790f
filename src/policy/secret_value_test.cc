#include "policy/secret_value.h"

#include <gtest/gtest.h>

#include <string>

#include "policy/secret_rules.h"

using namespace paddock::policy;

namespace {

TEST(SecretValue, is_not_what_stands_for_one) {
    for (const char* text :
         {"", "${TOKEN}", "$TOKEN1", "<token>", "xxxxxxxx", "********", "changeme1", "your-key-1",
          "an-example-1", "{{ x }}", "%(x)s", "/run/secret1", "process.env.X1", "[REDACTED:token]",
          "arn:aws:iam::1:x", "[Password1]"}) {
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

TEST(SecretRules, find_the_words_about_secrets) {
    for (const char* word : {"address", "url", "length", "width", "file", "id"}) {
        EXPECT_TRUE(is_about_a_secret(word)) << word;
    }
    EXPECT_FALSE(is_about_a_secret("prod"));
    EXPECT_FALSE(is_about_a_secret(""));
}

}  // namespace
