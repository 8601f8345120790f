#include "secrets/rules.h"

#include <algorithm>

namespace paddock::secrets {
namespace {

constexpr auto kWord = SecretShape::Start::kWord;

// Where an issuer has several prefixes, a set in the pattern or several lines cover them.
constexpr SecretShape kShapes[] = {
    // clouds and hosting
    {"alibaba-access-key", R"(LTAI[A-Za-z0-9]{20})", {}, kWord},
    {"aws-access-key", R"(A[KS]IA[A-Z0-9]{16})", {}, kWord},
    {"aws-bedrock-key", R"(ABSK[A-Za-z0-9+/]{100})", {}, kWord},
    {"azure-client-secret", R"(\dQ~[\w.~-]{31})", R"([\w.~-]{3})"},
    {"azure-shared-key", R"(SharedAccessKey=[A-Za-z0-9+/=]{43})"},
    {"azure-storage-key", R"(AccountKey=[A-Za-z0-9+/=]{86})"},
    {"cloudflare-origin-key", R"(v1\.0-[0-9a-f]{24}-[0-9a-f]{100})"},
    {"digitalocean-token", R"(do[opr]_v1_[0-9a-f]{64})"},
    {"fly-token", R"(fm[12]_[A-Za-z0-9+/=]{80})"},
    {"google-api-key", R"(AIza[\w-]{35})", {}, kWord},
    {"google-client-secret", R"(GOCSPX-[\w-]{28})"},
    {"google-oauth-token", R"(ya29\.[\w-]{30})"},
    {"google-refresh-token", R"(1//0[\w-]{40})", {}, kWord},
    {"heroku-api-key", R"(HRKU-[\w-]{36})"},
    {"netlify-token", R"(nfp_[A-Za-z0-9]{36})"},
    {"planetscale-secret", R"(pscale_[a-z]{2,5}_[\w.=-]{32})"},
    {"supabase-secret", R"(sb_secret_[\w-]{20})"},
    {"supabase-token", R"(sbp_[0-9a-f]{40})"},
    {"tailscale-key", R"(tskey-[a-z]{3,8}-[\w-]{20})"},
    {"vercel-blob-token", R"(vercel_blob_rw_\w{30})"},
    {"vercel-token", R"(vc[aciprk]_[A-Za-z0-9]{24})", {}, kWord},
    {"yandex-api-key", R"(AQVN[\w-]{35})", {}, kWord},

    // code, packages, builds
    {"atlassian-token", R"(AT[AC]TT3xFf[\w=-]{60})"},
    {"bitbucket-password", R"(ATBB[A-Za-z0-9]{32})", {}, kWord},
    {"buildkite-token", R"(bkua_[0-9a-f]{40})"},
    {"circleci-token", R"(CCIP[AR][TJ]_\w{40})"},
    {"clojars-token", R"(CLOJARS_[0-9a-f]{60})"},
    {"crates-io-token", R"(cio[A-Za-z0-9]{32})", {}, kWord},
    {"docker-token", R"(dckr_[op]at_[\w-]{27})"},
    {"github-token", R"(gh[opsru]_[A-Za-z0-9]{36})"},
    {"github-token", R"(github_pat_\w{36})"},
    {"gitlab-token", R"(glagent-[\w-]{20})"},
    {"gitlab-token", R"(glcbt-[\w-]{20})"},
    {"gitlab-token", R"(gl[dr]t-[\w-]{20})"},
    {"gitlab-token", R"(glffct-[\w-]{20})"},
    {"gitlab-token", R"(glft-[\w-]{20})"},
    {"gitlab-token", R"(glimt-[\w-]{20})"},
    {"gitlab-token", R"(gloas-[\w-]{20})"},
    {"gitlab-token", R"(glpat-[\w-]{20})"},
    {"gitlab-token", R"(glptt-[\w-]{20})"},
    {"gitlab-token", R"(glsoat-[\w-]{20})"},
    {"jfrog-api-key", R"(AKCp[A-Za-z0-9]{69})", {}, kWord},
    {"jfrog-token", R"(cmVmdGtu[A-Za-z0-9]{56})", {}, kWord},
    {"npm-token", R"(npm_[A-Za-z0-9]{36})"},
    {"nuget-api-key", R"(oy2[a-z0-9]{43})", {}, kWord},
    {"pulumi-token", R"(pul-[0-9a-f]{40})"},
    {"pypi-token", R"(pypi-AgE[\w-]{50})"},
    {"rubygems-api-key", R"(rubygems_[0-9a-f]{48})"},
    {"sonarqube-token", R"(sq[apu]_[0-9a-f]{40})"},
    {"sourcegraph-token", R"(sgp_[0-9a-f_]{40})"},
    {"terraform-token", R"(\.atlasv1\.[\w-]{60})", R"([A-Za-z0-9]{14})"},

    // models and data
    {"anthropic-api-key", R"(sk-ant-[\w-]{20})"},
    {"cerebras-api-key", R"(csk-[a-z0-9]{40})", {}, kWord},
    {"databricks-token", R"(dapi[0-9a-f]{32})"},
    {"groq-api-key", R"(gsk_[A-Za-z0-9]{48})"},
    {"huggingface-token", R"(hf_[A-Za-z0-9]{34})", {}, kWord},
    {"langsmith-api-key", R"(lsv2_[ps][tk]_[0-9a-f]{32}\w{0})"},
    {"nvidia-api-key", R"(nvapi-[\w-]{60})"},
    {"openai-api-key", R"(sk-[A-Za-z0-9]{32})", {}, kWord},
    {"openai-api-key", R"(sk-admin-[\w-]{40})"},
    {"openai-api-key", R"(sk-proj-[\w-]{40})"},
    {"openai-api-key", R"(sk-svcacct-[\w-]{40})"},
    {"openrouter-api-key", R"(sk-or-v1-[0-9a-f]{64})"},
    {"perplexity-api-key", R"(pplx-[A-Za-z0-9]{40})"},
    {"pinecone-api-key", R"(pcsk_\w{40})"},
    {"replicate-token", R"(r8_[A-Za-z0-9]{37})", {}, kWord},
    {"xai-api-key", R"(xai-[A-Za-z0-9]{70})"},

    // messages and mail
    {"brevo-api-key", R"(xkeysib-[0-9a-f]{64}[\w-]{0})"},
    // A snowflake id in base64 begins every one.
    {"discord-token",
     R"([MNO][DTjz][AEIMQUYcgk][w-z0-5][\w-]{19,24}\.[\w-]{6}\.[\w-]{27})",
     {},
     kWord},
    {"discord-token", R"(mfa\.[\w-]{80})", {}, kWord},
    {"discord-webhook", R"(/api/webhooks/\d{17,20}/[\w-]{60})"},
    {"mailgun-api-key", R"(key-[0-9a-f]{32})", {}, kWord},
    {"sendgrid-api-key", R"(SG\.[\w-]{20,24}\.[\w-]{39})"},
    {"slack-app-token", R"(xapp-\d-[A-Z0-9]{8,16}-\d{8,16}-[0-9a-f]{40})"},
    {"slack-token", R"(xox[a-z]-[\w-]{20})"},
    {"slack-webhook", R"(hooks\.slack\.com/[a-z]{6,9}/[\w/-]{40})"},
    {"telegram-token", R"(:AA[\w-]{33})", R"(\d{8,10})"},
    {"twilio-api-key", R"(SK[0-9a-f]{32})", {}, kWord},

    // money and shops
    {"flutterwave-secret", R"(FLWSECK[\w-]{32})"},
    {"paypal-token", R"(access_token\$production\$[a-z0-9]{16}\$[0-9a-f]{32})"},
    {"paypal-token", R"(access_token\$sandbox\$[a-z0-9]{16}\$[0-9a-f]{32})"},
    {"paypal-token", R"(A21AA[\w-]{80})", {}, kWord},
    {"plaid-token", R"(access-production-[0-9a-f-]{36})"},
    {"shippo-token", R"(shippo_live_[0-9a-f]{40})"},
    {"shopify-token", R"(shp[a-z]{2}_[0-9a-fA-F]{32})"},
    {"square-token", R"(EAAA[\w-]{60})", {}, SecretShape::Start::kValue},
    {"square-token", R"(sq0[a-z]{3}-[\w-]{22})"},
    {"stripe-key", R"([rs]k_live_[A-Za-z0-9]{24})"},
    {"stripe-key", R"([rs]k_test_[A-Za-z0-9]{24})"},
    {"stripe-webhook-secret", R"(whsec_[A-Za-z0-9+/=]{32})"},

    // secrets, watching, working together
    {"age-secret-key", R"(AGE-SECRET-KEY-1[A-Z0-9]{58})"},
    {"airtable-token", R"(pat[A-Za-z0-9]{14}\.[0-9a-f]{64})", {}, kWord},
    {"contentful-token", R"(CFPAT-[\w-]{43})"},
    {"doppler-token", R"(dp\.[a-z]{2,5}\.[A-Za-z0-9.]{40})", {}, kWord},
    {"dropbox-token", R"(sl\.[\w.-]{130})", {}, kWord},
    {"dynatrace-token", R"(dt0[cs]01\.[A-Z0-9]{24}\.[A-Z0-9]{60})"},
    {"figma-token", R"(fig[dou]_[\w-]{38})"},
    {"grafana-api-key", R"(eyJrIjoi[A-Za-z0-9+/=]{60})"},
    {"grafana-token", R"(glc_[A-Za-z0-9+/=]{40})"},
    {"grafana-token", R"(glsa_[A-Za-z0-9]{32}_[0-9a-f]{8})"},
    {"hubspot-token", R"(pat-[en][ua]\d-[0-9a-f-]{36})"},
    {"linear-token", R"(lin_api_[A-Za-z0-9]{40})"},
    {"linear-token", R"(lin_oauth_[A-Za-z0-9]{40})"},
    {"newrelic-key", R"(NRAK-[A-Z0-9]{27})"},
    {"newrelic-key", R"(NRII-[\w-]{32})"},
    {"notion-token", R"(ntn_[A-Za-z0-9]{46})"},
    {"notion-token", R"(secret_[A-Za-z0-9]{43})"},
    {"1password-token", R"(ops_eyJ[\w=+/-]{200})"},
    {"openshift-token", R"(sha256~[\w-]{43})"},
    {"postman-api-key", R"(PMAK-[0-9a-f]{24}-[0-9a-f]{34})"},
    {"prefect-token", R"(pnu_[A-Za-z0-9]{36})"},
    {"sentry-token", R"(sntrys_[\w=+/-]{60})"},
    {"sentry-token", R"(sntryu_[0-9a-f]{64})"},
    {"typeform-token", R"(tfp_[\w.=-]{44,60})"},
    {"vault-token", R"(hv[brs]\.[\w-]{24})", {}, kWord},

    // whoever issued it
    {"jwt", R"(eyJ[\w-]{10,400}\.eyJ[\w-]{10}[\w.-]{0})", {}, kWord},
};

constexpr auto kSeparate = SecretWord::Rest::kSeparate;

constexpr SecretWord kWords[] = {
    {"password", "password"},
    {"passphrase", "password"},
    {"passcode", "password"},
    {"passwd", "password"},
    {"pass", "password", kSeparate},
    {"pwd", "password"},
    {"secret", "secret"},
    {"token", "token"},
    {"credentials", "credential"},
    {"credential", "credential"},
    {"key", "key", SecretWord::Rest::kQualified},
};

constexpr std::string_view kQualifiers[] = {
    "access", "account", "admin",  "api",     "app",     "auth",   "deploy",  "encryption", "enc",
    "master", "private", "secret", "service", "session", "shared", "signing", "storage",
};

constexpr std::string_view kHarmless[] = {
    "backward",    "cancel",    "cancellation", "change",   "continuation", "forward",
    "idempotency", "input",     "lock",         "next",     "output",       "page",
    "pagination",  "publickey", "request",      "sequence", "sync",         "update",
};

constexpr std::string_view kAbout[] = {
    "address",    "alg",         "algo",    "algorithm", "arn",        "at",        "bits",
    "budget",     "bytes",       "cache",   "callback",  "case",       "change",    "char",
    "chars",      "check",       "class",   "code",      "codes",      "contains",  "contract",
    "cost",       "count",       "created", "date",      "dir",        "directory", "disabled",
    "duration",   "enabled",     "encoder", "encoding",  "encryption", "end",       "endpoint",
    "endswith",   "env",         "error",   "exists",    "exp",        "expired",   "expires",
    "expiry",     "field",       "file",    "filename",  "flow",       "format",    "from",
    "generation", "handler",     "hashers", "header",    "hint",       "host",      "id",
    "identifier", "ids",         "index",   "info",      "issuer",     "kind",      "label",
    "last",       "len",         "length",  "lifetime",  "limit",      "line",      "list",
    "location",   "manager",     "max",     "message",   "method",     "min",       "mode",
    "msg",        "name",        "names",   "offset",    "param",      "parameter", "path",
    "pattern",    "placeholder", "policy",  "pos",       "position",   "prefix",    "price",
    "provider",   "ref",         "regex",   "regexp",    "required",   "reset",     "role",
    "scope",      "scopes",      "server",  "service",   "size",       "source",    "spec",
    "start",      "startswith",  "state",   "status",    "stdin",      "strategy",  "suffix",
    "symbol",     "text",        "time",    "timeout",   "title",      "ttl",       "type",
    "types",      "updated",     "uri",     "url",       "usage",      "used",      "validator",
    "var",        "variable",    "verify",  "version",   "width",
};

}  // namespace

std::span<const SecretShape> secret_shapes() noexcept { return kShapes; }
std::span<const SecretWord> secret_words() noexcept { return kWords; }
std::span<const std::string_view> secret_qualifiers() noexcept { return kQualifiers; }
std::span<const std::string_view> harmless_qualifiers() noexcept { return kHarmless; }

bool is_about_a_secret(std::string_view lower_case_word) noexcept {
    return std::binary_search(std::begin(kAbout), std::end(kAbout), lower_case_word);
}

}  // namespace paddock::secrets
