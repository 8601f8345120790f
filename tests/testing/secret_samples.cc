#include "testing/secret_samples.h"

namespace paddock::testing {
namespace {

constexpr std::string_view kHex = "0123456789abcdef";
constexpr std::string_view kUpperHex = "0123456789ABCDEF";
constexpr std::string_view kDigit = "0123456789";
constexpr std::string_view kBase32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
constexpr std::string_view kUpperNumber = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
constexpr std::string_view kLowerNumber = "abcdefghijklmnopqrstuvwxyz0123456789";
constexpr std::string_view kNumber =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
constexpr std::string_view kUrl =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr std::string_view kBase64 =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

// A fixed text, or `length` characters of a set.
struct Part {
    std::string_view text;
    std::size_t length = 0;
};

struct Recipe {
    std::string_view kind;
    std::vector<Part> parts;
};

std::vector<Recipe> cloud_recipes() {
    return {
        {"alibaba-access-key", {{"LTAI"}, {kNumber, 20}}},
        {"aws-access-key", {{"AKIA"}, {kBase32, 16}}},
        {"aws-access-key", {{"ASIA"}, {kBase32, 16}}},
        {"aws-bedrock-key", {{"ABSK"}, {kBase64, 109}}},
        {"azure-client-secret", {{kNumber, 3}, {"8Q~"}, {kNumber, 34}}},
        {"azure-shared-key", {{"SharedAccessKey="}, {kBase64, 43}, {"="}}},
        {"azure-storage-key", {{"AccountKey="}, {kBase64, 86}, {"=="}}},
        {"cloudflare-origin-key", {{"v1.0-"}, {kHex, 24}, {"-"}, {kHex, 146}}},
        {"digitalocean-token", {{"dop_v1_"}, {kHex, 64}}},
        {"fly-token", {{"fm2_"}, {kBase64, 120}}},
        {"google-api-key", {{"AIza"}, {kUrl, 35}}},
        {"google-client-secret", {{"GOCSPX-"}, {kUrl, 28}}},
        {"google-oauth-token", {{"ya29."}, {kUrl, 120}}},
        {"google-refresh-token", {{"1//0"}, {kUrl, 60}}},
        {"heroku-api-key", {{"HRKU-"}, {kHex, 8}, {"-"}, {kHex, 4}, {"-"}, {kHex, 30}}},
        {"netlify-token", {{"nfp_"}, {kNumber, 36}}},
        {"planetscale-secret", {{"pscale_tkn_"}, {kUrl, 43}}},
        {"planetscale-secret", {{"pscale_pw_"}, {kUrl, 43}}},
        {"supabase-secret", {{"sb_secret_"}, {kUrl, 31}}},
        {"supabase-token", {{"sbp_"}, {kHex, 40}}},
        {"tailscale-key", {{"tskey-auth-"}, {kNumber, 17}, {"-"}, {kNumber, 32}}},
        {"vercel-blob-token", {{"vercel_blob_rw_"}, {kNumber, 16}, {"_"}, {kNumber, 32}}},
        {"vercel-token", {{"vcp_"}, {kNumber, 24}}},
        {"yandex-api-key", {{"AQVN"}, {kUrl, 36}}},
    };
}

std::vector<Recipe> build_recipes() {
    std::vector<Recipe> recipes{
        {"atlassian-token", {{"ATATT3xFf"}, {kUrl, 180}}},
        {"bitbucket-password", {{"ATBB"}, {kNumber, 32}}},
        {"buildkite-token", {{"bkua_"}, {kHex, 40}}},
        {"circleci-token", {{"CCIPAT_"}, {kNumber, 22}, {"_"}, {kHex, 40}}},
        {"clojars-token", {{"CLOJARS_"}, {kHex, 60}}},
        {"crates-io-token", {{"cio"}, {kNumber, 32}}},
        {"docker-token", {{"dckr_pat_"}, {kUrl, 27}}},
        {"github-token", {{"github_pat_"}, {kNumber, 22}, {"_"}, {kNumber, 59}}},
        {"jfrog-api-key", {{"AKCp"}, {kNumber, 69}}},
        {"jfrog-token", {{"cmVmdGtu"}, {kNumber, 56}}},
        {"npm-token", {{"npm_"}, {kNumber, 36}}},
        {"nuget-api-key", {{"oy2"}, {kLowerNumber, 43}}},
        {"pulumi-token", {{"pul-"}, {kHex, 40}}},
        {"pypi-token", {{"pypi-AgEIcHlwaS5vcmc"}, {kUrl, 150}}},
        {"rubygems-api-key", {{"rubygems_"}, {kHex, 48}}},
        {"sonarqube-token", {{"sqp_"}, {kHex, 40}}},
        {"sourcegraph-token", {{"sgp_"}, {kHex, 16}, {"_"}, {kHex, 40}}},
        {"terraform-token", {{kNumber, 14}, {".atlasv1."}, {kUrl, 67}}},
    };
    for (const std::string_view letter : {"o", "p", "r", "s", "u"}) {
        recipes.push_back({"github-token", {{"gh"}, {letter}, {"_"}, {kNumber, 36}}});
    }
    for (const std::string_view use :
         {"pat", "dt", "rt", "cbt", "ptt", "ft", "imt", "agent", "oas", "soat", "ffct"}) {
        recipes.push_back({"gitlab-token", {{"gl"}, {use}, {"-"}, {kUrl, 20}}});
    }
    return recipes;
}

std::vector<Recipe> model_recipes() {
    return {
        {"anthropic-api-key", {{"sk-ant-api03-"}, {kUrl, 93}, {"AA"}}},
        {"cerebras-api-key", {{"csk-"}, {kLowerNumber, 48}}},
        {"databricks-token", {{"dapi"}, {kHex, 32}}},
        {"groq-api-key", {{"gsk_"}, {kNumber, 52}}},
        {"huggingface-token", {{"hf_"}, {kNumber, 34}}},
        {"langsmith-api-key", {{"lsv2_pt_"}, {kHex, 32}, {"_"}, {kHex, 10}}},
        {"nvidia-api-key", {{"nvapi-"}, {kUrl, 64}}},
        {"openai-api-key", {{"sk-"}, {kNumber, 48}}},
        {"openai-api-key", {{"sk-proj-"}, {kUrl, 120}}},
        {"openai-api-key", {{"sk-svcacct-"}, {kUrl, 120}}},
        {"openai-api-key", {{"sk-admin-"}, {kUrl, 120}}},
        {"openrouter-api-key", {{"sk-or-v1-"}, {kHex, 64}}},
        {"perplexity-api-key", {{"pplx-"}, {kNumber, 48}}},
        {"pinecone-api-key", {{"pcsk_"}, {kNumber, 5}, {"_"}, {kNumber, 63}}},
        {"replicate-token", {{"r8_"}, {kNumber, 37}}},
        {"xai-api-key", {{"xai-"}, {kNumber, 80}}},
        {"brevo-api-key", {{"xkeysib-"}, {kHex, 64}, {"-"}, {kNumber, 16}}},
        {"discord-token", {{"MTAxNDgz"}, {kNumber, 18}, {"."}, {kUrl, 6}, {"."}, {kUrl, 38}}},
        {"discord-token", {{"mfa."}, {kUrl, 84}}},
        {"discord-webhook", {{"/api/webhooks/"}, {kDigit, 18}, {"/"}, {kUrl, 68}}},
        {"mailgun-api-key", {{"key-"}, {kHex, 32}}},
        {"sendgrid-api-key", {{"SG."}, {kUrl, 22}, {"."}, {kUrl, 43}}},
        {"slack-app-token",
         {{"xapp-1-"}, {kUpperNumber, 11}, {"-"}, {kDigit, 13}, {"-"}, {kHex, 64}}},
        {"slack-token", {{"xoxb-"}, {kDigit, 12}, {"-"}, {kDigit, 12}, {"-"}, {kNumber, 24}}},
        {"slack-token", {{"xoxp-"}, {kDigit, 12}, {"-"}, {kDigit, 12}, {"-"}, {kHex, 32}}},
        {"slack-webhook",
         {{"hooks.slack.com/services/T"},
          {kUpperNumber, 9},
          {"/B"},
          {kUpperNumber, 9},
          {"/"},
          {kNumber, 24}}},
        {"telegram-token", {{kDigit, 10}, {":AA"}, {kUrl, 33}}},
        {"twilio-api-key", {{"SK"}, {kHex, 32}}},
    };
}

std::vector<Recipe> other_recipes() {
    return {
        {"flutterwave-secret", {{"FLWSECK-"}, {kHex, 32}, {"-X"}}},
        {"plaid-token",
         {{"access-production-"},
          {kHex, 8},
          {"-"},
          {kHex, 4},
          {"-"},
          {kHex, 4},
          {"-"},
          {kHex, 4},
          {"-"},
          {kHex, 12}}},
        {"paypal-token", {{"access_token$production$"}, {kLowerNumber, 16}, {"$"}, {kHex, 32}}},
        {"paypal-token", {{"access_token$sandbox$"}, {kLowerNumber, 16}, {"$"}, {kHex, 32}}},
        {"paypal-token", {{"A21AA"}, {kUrl, 92}}},
        {"shippo-token", {{"shippo_live_"}, {kHex, 40}}},
        {"shopify-token", {{"shpat_"}, {kHex, 32}}},
        {"shopify-token", {{"shpss_"}, {kUpperHex, 32}}},
        {"square-token", {{"EAAAE"}, {kUrl, 59}}},
        {"square-token", {{"sq0atp-"}, {kUrl, 22}}},
        {"stripe-key", {{"sk_live_"}, {kNumber, 24}}},
        {"stripe-key", {{"rk_live_"}, {kNumber, 99}}},
        {"stripe-key", {{"sk_test_"}, {kNumber, 24}}},
        {"stripe-webhook-secret", {{"whsec_"}, {kNumber, 32}}},
        {"1password-token", {{"ops_eyJ"}, {kUrl, 400}}},
        {"airtable-token", {{"pat"}, {kNumber, 14}, {"."}, {kHex, 64}}},
        {"age-secret-key", {{"AGE-SECRET-KEY-1"}, {kUpperNumber, 58}}},
        {"contentful-token", {{"CFPAT-"}, {kUrl, 43}}},
        {"doppler-token", {{"dp.pt."}, {kNumber, 43}}},
        {"dropbox-token", {{"sl.u."}, {kUrl, 140}}},
        {"dynatrace-token", {{"dt0c01."}, {kUpperNumber, 24}, {"."}, {kUpperNumber, 64}}},
        {"figma-token", {{"figd_"}, {kUrl, 40}}},
        {"grafana-api-key", {{"eyJrIjoi"}, {kNumber, 90}, {"="}}},
        {"grafana-token", {{"glsa_"}, {kNumber, 32}, {"_"}, {kHex, 8}}},
        {"grafana-token", {{"glc_"}, {kNumber, 90}}},
        {"hubspot-token", {{"pat-na1-"}, {kHex, 8}, {"-"}, {kHex, 4}, {"-"}, {kHex, 22}}},
        {"linear-token", {{"lin_api_"}, {kNumber, 40}}},
        {"linear-token", {{"lin_oauth_"}, {kHex, 64}}},
        {"newrelic-key", {{"NRAK-"}, {kUpperNumber, 27}}},
        {"newrelic-key", {{"NRII-"}, {kUrl, 32}}},
        {"notion-token", {{"ntn_"}, {kNumber, 46}}},
        {"notion-token", {{"secret_"}, {kNumber, 43}}},
        {"openshift-token", {{"sha256~"}, {kUrl, 43}}},
        {"postman-api-key", {{"PMAK-"}, {kHex, 24}, {"-"}, {kHex, 34}}},
        {"prefect-token", {{"pnu_"}, {kNumber, 36}}},
        {"sentry-token", {{"sntrys_eyJ"}, {kNumber, 100}, {"="}, {"_"}, {kNumber, 43}}},
        {"sentry-token", {{"sntryu_"}, {kHex, 64}}},
        {"typeform-token", {{"tfp_"}, {kNumber, 44}, {"_"}, {kNumber, 14}}},
        {"vault-token", {{"hvs."}, {kUrl, 95}}},
        {"jwt", {{"eyJhbGciOi"}, {kUrl, 30}, {".eyJzdWIiOi"}, {kUrl, 700}, {"."}, {kUrl, 43}}},
    };
}

}  // namespace

std::vector<Sample> token_samples() {
    std::vector<Sample> samples;
    for (const auto& recipes :
         {cloud_recipes(), build_recipes(), model_recipes(), other_recipes()}) {
        for (const Recipe& recipe : recipes) {
            Chance chance(static_cast<std::uint32_t>(samples.size()));
            std::string text;
            for (const Part& part : recipe.parts) {
                text +=
                    part.length == 0 ? std::string(part.text) : chance.text(part.text, part.length);
            }
            samples.push_back({std::string(recipe.kind), text});
        }
    }
    return samples;
}

}  // namespace paddock::testing
