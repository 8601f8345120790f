// Values stand in these texts as "@", so that nothing here looks like a secret itself.
#include "secrets/scanner.h"

#include <gtest/gtest.h>

#include <set>

#include "secrets/known_values.h"
#include "secrets/rules.h"
#include "testing/secret_samples.h"

using namespace paddock;
using namespace paddock::secrets;
using paddock::testing::Chance;
using paddock::testing::Sample;
using paddock::testing::token_samples;

namespace {

const SecretScanner& scanner() {
    static const SecretScanner kScanner = SecretScanner::create().value();
    return kScanner;
}

std::string redacted(std::string text, const SecretScanner& by = scanner()) {
    by.redact(text);
    return text;
}

std::string with(std::string text, const std::string& value) {
    for (std::size_t at = text.find('@'); at != std::string::npos; at = text.find('@', at)) {
        text.replace(at, 1, value);
        at += value.size();
    }
    return text;
}

std::string mark(const std::string& kind) { return "[REDACTED:" + kind + "]"; }

std::string streamed(std::string_view text, const std::vector<std::size_t>& cuts,
                     const SecretScanner& by = scanner()) {
    SecretStream stream(by);
    std::string out;
    std::size_t from = 0;
    for (const std::size_t cut : cuts) {
        stream.feed(text.substr(from, cut - from), out);
        from = cut;
    }
    stream.feed(text.substr(from), out);
    stream.finish(out);
    return out;
}

std::string random_value(std::uint32_t seed = 7) {
    return Chance(seed).text("abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789", 24) + "4x";
}

std::string pem(const std::string& label, const std::string& line_end = "\n") {
    const std::string dashes = "-----";
    std::string block = dashes + "BEGIN " + label + dashes + line_end;
    for (std::uint32_t i = 0; i < 12; ++i) {
        block += Chance(i).text("ABCDEFGHIJKLMNOPabcdefghijklmnop0123456789+/", 64) + line_end;
    }
    return block + Chance(99).text("ABCDabcd0123", 20) + "==" + line_end + dashes + "END " + label +
           dashes;
}

std::string base64(std::string_view bytes) {
    constexpr std::string_view kDigits64 =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string digits;
    unsigned bits = 0;
    int held = 0;
    for (const char c : bytes) {
        bits = bits << 8 | static_cast<unsigned char>(c);
        for (held += 8; held >= 6; held -= 6) digits += kDigits64[bits >> (held - 6) & 63U];
    }
    if (held > 0) digits += kDigits64[bits << (6 - held) & 63U];
    digits.resize((digits.size() + 3) / 4 * 4, '=');
    return digits;
}

// --- tokens -----------------------------------------------------------------------------------

TEST(SecretScanner, has_a_sample_of_every_shape_and_enough_of_them) {
    std::set<std::string> known;
    for (const auto& shape : secrets::secret_shapes()) known.emplace(shape.kind);
    std::set<std::string> sampled;
    for (const Sample& sample : token_samples()) sampled.insert(sample.kind);
    EXPECT_EQ(known, sampled);
    EXPECT_GE(known.size(), 40U);
}

TEST(SecretScanner, carries_a_part_over) {
    const std::vector<KnownSecret> known = {{"db", "hunter2hunter2"}};
    const SecretScanner scanner = SecretScanner::create(known).value();
    const std::string text = "ab hunter2hunter2 cd hunter2hunter2 ef";
    const std::string mark = "[REDACTED:db]";
    const auto part_of = [&](std::size_t begin, std::size_t end) {
        std::string redacted = text;
        TextPart part{begin, end};
        EXPECT_EQ(scanner.redact(redacted, &part), 2U);
        EXPECT_EQ(redacted, "ab " + mark + " cd " + mark + " ef");
        return redacted.substr(part.begin, part.end - part.begin);
    };
    EXPECT_EQ(part_of(0, text.size()), "ab " + mark + " cd " + mark + " ef");
    EXPECT_EQ(part_of(0, 2), "ab");
    EXPECT_EQ(part_of(1, 3), "b ");
    EXPECT_EQ(part_of(1, 4), "b " + mark);
    EXPECT_EQ(part_of(3, 17), mark);
    EXPECT_EQ(part_of(5, 9), mark);
    EXPECT_EQ(part_of(16, 20), mark + " cd");
    EXPECT_EQ(part_of(17, 20), " cd");
    EXPECT_EQ(part_of(18, 20), "cd");
    EXPECT_EQ(part_of(10, 30), mark + " cd " + mark);
    EXPECT_EQ(part_of(36, 38), "ef");
    EXPECT_EQ(part_of(38, 38), "");
    std::string plain = "nothing here";
    TextPart part{2, 5};
    EXPECT_EQ(scanner.redact(plain, &part), 0U);
    EXPECT_EQ(part.begin, 2U);
    EXPECT_EQ(part.end, 5U);
}

TEST(SecretScanner, replaces_every_shape_wherever_it_stands) {
    const std::vector<std::string> places = {
        "@",
        "@\n",
        "key is @ and more",
        "x=\"@\"",
        "('@')",
        "a\\n@\\nb",
        "<td>@</td>",
        "\x1b[31m@\x1b[0m",
        "`@`",
        "   12\t@\n   13\tnext",
        "[\"@\",",
        "?k=@&x=1",
        "path:10:@",
        "q%3D@%26r",
        "\t@\r\n",
        "k\\u003d@\\u0026",
        "\\u0022@",
        "\\x22@\\x22",
        "x\\f@",
        "\"\\a@\"",
        "\"\\377@\"",
        "\"a\\001@\"",
    };
    for (const Sample& sample : token_samples()) {
        for (const std::string& place : places) {
            std::string text = with(place, sample.text);
            scanner().redact(text);
            ASSERT_EQ(text, with(place, mark(sample.kind)));
        }
    }
}

TEST(SecretScanner, leaves_what_only_looks_like_an_escape_before_a_token) {
    const std::string token = std::string("AKIA") + "Q3EGB5WZ7LNXKJ2M";
    for (const std::string before :
         {"u003d", "\\u00g", "x22", "\\xg2", "001", "\\q", "\\389", "%g2"}) {
        EXPECT_EQ(redacted(before + token), before + token);
    }
}

TEST(SecretScanner, swallows_a_token_to_its_end_however_long) {
    const std::string head = std::string("gh") + "p_";
    for (const std::size_t length : {36U, 600U, 70'000U, 300'000U}) {
        const std::string text = "a " + head + Chance(3).text("abcXYZ0123456789", length) + " b";
        EXPECT_EQ(redacted(text), "a [REDACTED:github-token] b");
        EXPECT_EQ(streamed(text, {17, 40}), "a [REDACTED:github-token] b");
    }
}

TEST(SecretScanner, leaves_samples_of_documentation_alone) {
    const std::vector<std::string> texts = {
        std::string("AKIA") + "IOSFODNN7EXAMPLE",
        std::string("gh") + "p_" + std::string(36, 'x'),
        "sk-" + std::string(48, '0'),
        "glpat-"
        "your-token-goes-here1",
        "xoxb-"
        "not-a-token-at-all-only",
        "hvs."
        "some_function_of_the_vault",
    };
    for (const std::string& text : texts) EXPECT_EQ(redacted(text), text);
}

// --- assignments --------------------------------------------------------------------------------

TEST(SecretScanner, finds_values_by_the_name_of_their_variable) {
    const std::vector<std::pair<std::string, std::string>> cases = {
        {"TOKEN=@", "token"},
        {"GITHUB_TOKEN=@", "token"},
        {"export DB_PASSWORD=@\n", "password"},
        {"CODEGEN_SANDBOX_SECRET_DEPLOY=@", "secret"},
        {"ACCESS_TOKEN_2=@", "token"},
        {"DB_PASSWORD: @\n", "password"},
        {"  db-password: '@'", "password"},
        {"\"password\": \"@\"", "password"},
        {"{\\\"authToken\\\":\\\"@\\\"}", "token"},
        {"aws_secret_access_key = @\n", "secret"},
        {"clientSecret: '@',", "secret"},
        {"const apiKey = `@`;", "key"},
        {"api-key: @", "key"},
        {"config['PRIVATE_KEY'] = '@';", "key"},
        {"'passphrase' => \"@\"", "password"},
        {"smtp_pass = \"@\"", "password"},
        {"userPwd=\"@\"", "password"},
        {"<password>@</password>", "password"},
        {"define('AUTH_SECRET', '@');", "secret"},
        {"spring.datasource.password=@", "password"},
        {"https://host/path?access_token=@&x=1", "token"},
        {"--password=@ --verbose", "password"},
        {"Server=db;User Id=sa;Password=@;Encrypt=yes", "password"},
        {"//registry.example.org/:_authToken=@", "token"},
        {"UID=sa;PWD=@;", "password"},
        {"password := b\"@\"", "password"},
        {"if (password == \"@\") {", "password"},
        {"   3\tSECRET_KEY=@\n   4\tPORT=80", "secret"},
    };
    for (const auto& [place, kind] : cases) {
        const std::string value = random_value();
        EXPECT_EQ(redacted(with(place, value)), with(place, mark(kind)));
    }
}

TEST(SecretScanner, finds_passwords_that_people_choose) {
    const std::string two = "hunter" + std::to_string(2);
    for (const std::string& value : {two, "P@55-" + two, "tr0ub4dor" + std::string("&3")}) {
        EXPECT_EQ(redacted("\"password\": \"" + value + "\""),
                  "\"password\": \"[REDACTED:password]\"");
    }
    EXPECT_EQ(redacted("DB_PASSWORD="
                       "correct"
                       "horse"),
              "DB_PASSWORD=[REDACTED:password]");
    EXPECT_EQ(redacted("password: " + two + "\n"), "password: [REDACTED:password]\n");
    EXPECT_EQ(redacted("PASSWORD=monkey-dragon-" + two.substr(6) + "\n"),
              "PASSWORD=[REDACTED:password]\n");
    EXPECT_EQ(redacted("PASSWORD=a\"b"), "PASSWORD=a\"b");
    EXPECT_EQ(redacted("\"password\": \"x1\\\"" + two + "\""),
              "\"password\": \"[REDACTED:password]\"");
}

// Not a shell's, but that of many other files.
TEST(SecretScanner, finds_values_across_separators) {
    const std::string one = random_value(8).substr(0, 13);
    const std::string two = random_value(9).substr(0, 9);
    for (const std::string separator : {"&", ";", "|", ";&"}) {
        const std::string value = one + separator + two;
        EXPECT_EQ(redacted("password: " + value + "\n"), "password: [REDACTED:password]\n");
        EXPECT_EQ(redacted("DB_PASSWORD=" + value), "DB_PASSWORD=[REDACTED:password]");
        EXPECT_EQ(redacted("&password=" + value + "=3"),
                  "&password=[REDACTED:password]" + separator + two + "=3");
    }
    EXPECT_EQ(redacted("password = " + one + two + ";"), "password = [REDACTED:password];");
}

TEST(SecretScanner, leaves_code_and_placeholders_alone) {
    const std::vector<std::string> texts = {
        "password = get_password()",
        "password = os.environ[\"DB_PASSWORD\"]",
        "token = strsep(&line, \",\");",
        "self.token = token1",
        "String password = request.getParameter(\"password2\");",
        "PASSWORD=",
        "PASSWORD=$DB_PASSWORD_1",
        "TOKEN=${TOKEN_2}",
        "TOKEN=$(cat /run/token1)",
        "TOKEN=<token-1>",
        "password: changeme123",
        "\"password\": \"xxxxxxxx1\"",
        "\"token\": \"string\"",
        "password: string1;",
        "\"password\": \"Enter your password 2 times\"",
        "api_key = \"your-api-key-1\"",
        "SECRET_KEY=example-key-1",
        "token: Token2,",
        "max_tokens=4096000",
        "\"tokens\": \"1234567890\"",
        "tokenizer = \"cl100k_base\"",
        "password_file=/run/secrets/db1",
        "PASSWORD_MIN_LENGTH=12345678",
        "token_url: https://host1.example/path",
        "\"nextToken\": \"AAAAB3NzaC1yc2E9\"",
        "key = \"a1b2c3d4e5f6a7b8\"",
        ".set_secret = curve25519_set_secret,",
        "Foo::Token: 12345abcde12345abcde",
        "bypass = \"a1b2c3d4e5\"",
        "[\"password\", \"a1b2c3d4e5\"]",
        "f\"token={name1}\"",
        "printf(\"token=%08x1 rest\")",
        "secret = 0x1f2e3d4c5b6a",
        "    password: str = None",
        "the token: it was 1 of 2 in the box",
        "`Bearer Token`: https://host.example/html/rfc6750",
        "IncludeToken=\"http://host.example/ws/2005/07/IncludeToken\"",
        "last_token = \"?NonExpressionParenKeyword\"",
        "VerifyPassword = \"toolkit#VerifyPasswordResponse\"",
        "TOKEN_METHOD = 'exchangeV3Token'",
        "password_encryption = 'scram-sha-256'",
        "e.TOKEN=e.STRICT_TOKEN=e.HEX=e.URL_CHAR",
        "t.SECRET_INTERNALS=U,t.cloneElement=function(e,t,n){if(1)",
        "RENDER_PASS_QUADS=Math.max(constants.ACTIVE_TREE1)",
        "\"output_token\": \"Jobs[-1].JobId\"",
        "apiKey: SensitiveString2048;",
        "PrivateKey:  testEd25519PrivateKey,",
        "type PrivateKey = ed25519.PrivateKey",
        "TokenModifier = v2020.TokenModifier || (",
        "const TOKEN_STRINGS = \"[A-Za-z0-9._~+/-]+=*\";",
        "type CompanyAuthorization = Stripe.V2.Core.Documents.Company2;",
        "`url-token`: `url('./icon2.png')`",
        "passphrase: 'passphrase1'",
        "x=\"use-credentials\"===t8?t8:\"\":y",
        "(\"PASSWORD_ARGON2I\", \"argon2i\", CONST)",
        "[ \"$PWD\" = \"`+expected1+`\" ]",
        "settings(PASSWORD_HASHERS=PASSWORD_HASHERS)",
        "Credential=keyId/19700101/region/service/aws4_request,",
        "\"vmIdToken\": \"my_vmIdToken\"",
        "WebIdentityToken: 'ABCDEFGHIJKLMNOP',",
        "Secret: \"aabbccddeeffgghh\"",
        "token = curlx_uztoul(x)",
        "\"use-credentials\"===input?input:\"\":void 0",
        "EBS_SECRETKEY=$AWS_SECRETKEY",
        "set MYSQL_TEST_PASSWD=%MYSQL_PWD%",
        "token_range = \"%d,%d-%d,%d:\" % (a + b)",
        "_core_token = r'(?:(?:(?:\\^[%s]?)?[^\"%s%s])+)' % (_nl, _nlws, _punct)",
        "--token=token://asdf:asdf",
        "key_password: AWSSDKCredentialProvider",
        "PASSWORD_METHOD=scram-sha-256",
        "TOKEN=some-service-name",
        "password=a1&user=b2",
    };
    for (const std::string& text : texts) EXPECT_EQ(redacted(text), text);
}

// Issue 17, row 14.
TEST(SecretScanner, issue_17_14_leaves_types_and_well_known_samples_alone) {
    for (const std::string text : {"private_key: PKCS7PrivateKeyTypes,",
                                   "    private_key: PKCS12PrivateKeyTypes | None,",
                                   "token: Optional[SecretStr] = None",
                                   "api_key: SecretStr = Field(...)",
                                   "private_key: X25519PrivateKeyTypes,",
                                   "secret: Base64UrlString;",
                                   "token: JWT3Parser",
                                   "credential: Oauth2ClientCredentialsGrantType",
                                   "password: Argon2idHashString,",
                                   "secret: Uint8Array,",
                                   "private_key: rsa.RSAPrivateKey,",
                                   "key_secret: Sha256HmacKeyPair)",
                                   "access_token: Base64EncodedBytes = b2",
                                   "postgres://postgres:postgres@localhost:5432/app",
                                   "postgresql+asyncpg://postgres:postgres@db/app",
                                   "mongodb://root:root@127.0.0.1:27017",
                                   "amqp://rabbit:rabbit@broker:5672/",
                                   "mysql://devuser:devuser@mysql/app",
                                   "DATABASE_URL=postgres://postgres:postgres@localhost/test",
                                   "POSTGRES_PASSWORD=postgres",
                                   "MINIO_ROOT_PASSWORD=minioadmin",
                                   "POSTGRES_PASSWORD=mysecretpassword"}) {
        EXPECT_EQ(redacted(text), text);
    }
    const std::string value = random_value();
    EXPECT_EQ(redacted("private_key: " + value + ","), "private_key: [REDACTED:key],");
    EXPECT_EQ(redacted("postgres://postgres:" + value + "@localhost/app"),
              "postgres://[REDACTED:url-credentials]@localhost/app");
    EXPECT_EQ(redacted("postgres://deploy:deploy@db.corp.net/app"),
              "postgres://[REDACTED:url-credentials]@db.corp.net/app");
}

TEST(SecretScanner, finds_a_token_in_the_name_of_a_variable) {
    const std::string token = std::string("gh") + "p_" + Chance(3).text("abcXYZ0123456789", 36);
    EXPECT_EQ(redacted("password_" + token + "=" + random_value() + ";"),
              "password_[REDACTED:github-token]=[REDACTED:password];");
}

// --- lines that go on, and passwords without a sign
// -----------------------------------------------

// Issue 17, row 4.
TEST(SecretScanner, issue_17_4_follows_a_secret_onto_the_next_line) {
    const std::string github = std::string("gh") + "p_" + Chance(3).text("abcXYZ0123456789", 36);
    const std::string value = random_value();
    const std::vector<std::pair<std::string, std::string>> cases = {
        {github, "github-token"},
        {"TOKEN=" + value, "token"},
        {"DB_PASSWORD=\"" + value + "\"", "password"},
        {"Authorization: Bearer " + value, "authorization"},
        {"https://user:" + value + "@host/", "url-credentials"},
    };
    for (const auto& [text, kind] : cases) {
        const std::string whole = redacted(text);
        ASSERT_NE(whole, text);
        for (std::size_t cut = text.size() - 22; cut < text.size() - 8; ++cut) {
            for (const std::string join : {"\\\n", "\\\r\n", "\\\n    12\t", "\\\n12:", "\\\n+"}) {
                const std::string split = text.substr(0, cut) + join + text.substr(cut) + "\nend";
                const std::string shown = redacted(split);
                EXPECT_EQ(shown, whole + "\nend") << split;
                for (std::size_t at = 0; at <= split.size(); ++at) {
                    ASSERT_EQ(streamed(split, {at}), shown) << at;
                }
            }
        }
    }
    // The rest of a token that is known by its first line.
    const std::string longer =
        github + "\\\n" + Chance(4).text("abcXYZ0123456789", 600) + "\\\nabc";
    EXPECT_EQ(redacted("x " + longer + " y"), "x [REDACTED:github-token] y");
    for (const std::string text :
         {"make TOKEN=${TOKEN} \\\n  PASSWORD=x", "#define TOKEN \\\n  parse(token)",
          "PATH=/usr/bin:\\\n/bin", "RUN a \\\n && b", "a\\\nb"}) {
        EXPECT_EQ(redacted(text), text);
    }
    // Words of their own stay what they are.
    EXPECT_EQ(redacted("ENV TOKEN=" + value + " \\\n    NEXT=1"),
              "ENV TOKEN=[REDACTED:token] \\\n    NEXT=1");
}

// Issue 17, row 4. The shapes of tokens are in secret_samples.cc.
TEST(SecretScanner, issue_17_4_finds_what_programs_and_their_files_write_without_a_sign) {
    const std::string value = random_value();
    const std::string aws = std::string("AKIA") + "Q3EGB5WZ7LNXKJ2M";
    const std::string aws_secret = Chance(5).text("abcdefghijKLMNOPQ0123456789/+", 38) + "a0";
    const std::vector<std::pair<std::string, std::string>> cases = {
        {"curl -u me:@ https://host", "password"},
        {"curl -s -u 'me:@' https://host", "password"},
        {"http -u me:@ host", "password"},
        {"curl --user me:@ https://host", "password"},
        {"curl -s --user=me:@ https://host", "password"},
        {"curl --proxy-user 'me:@' https://host", "password"},
        {"curl -su me:@ https://host", "password"},
        {"curl -sSu \"me:@\" https://host", "password"},
        {"docker login -u me -p @ host", "password"},
        {"cd login && helm registry login -u me -p @ host", "password"},
        {"az login --service-principal -u id -p @ --tenant t", "password"},
        {"mongosh -u me -p @ db", "password"},
        {"ldapsearch -x -D cn=me -w @ -b dc=x", "password"},
        {"7z x -p@ a.7z", "password"},
        {"Server=db;User Id=sa;Password=@;", "password"},
        {"Data Source=db; Uid=sa; Pwd=@; Encrypt=yes", "password"},
        {"ENV API_TOKEN @\n", "token"},
        {"setenv DB_PASSWORD @", "password"},
        {"set -gx API_SECRET @", "secret"},
        {"ALGOLIA_ADMIN_KEY=@", "key"},
        {"mysql -u root -p@ db", "password"},
        {"mysqldump -h db -uroot -p'@' db", "password"},
        {"mariadb -p@", "password"},
        {"sshpass -p @ ssh host", "password"},
        {"redis-cli -h x -a @ ping", "password"},
        {"machine host login me password @\n", "password"},
        {"machine host\n  login me\n  password @\n", "password"},
        {"    1\tmachine host\n    2\tlogin me\n    3\tpassword @\n", "password"},
        {"machine host login me account x password @\n", "password"},
        {"db.host:5432:app:me:@\n", "password"},
        {"*:*:*:me:@\n", "password"},
        {"    12\tlocalhost:5433:*:me:@\n", "password"},
        {"vercel --token @ deploy", "token"},
        {"tool --password '@'", "password"},
        {"ngrok config add-authtoken @", "token"},
        {"authtoken: @\n", "token"},
        {"VERCEL_TOKEN=@", "token"},
        {"PAYPAL_CLIENT_SECRET=@", "secret"},
        {"AIRTABLE_API_KEY=@", "key"},
    };
    for (const auto& [place, kind] : cases) {
        const std::string text = with(place, value);
        EXPECT_EQ(redacted(text), with(place, mark(kind)));
        for (std::size_t cut = 0; cut <= text.size(); ++cut) {
            ASSERT_EQ(streamed(text, {cut}), redacted(text)) << cut;
        }
    }
    const std::string signature = Chance(8).text("abcdefghijKLMNOPQ0123456789", 41);
    for (const std::string& sas :
         {signature + "a+=", signature + "%2Fx%3D", signature + "%2bx%3d"}) {
        EXPECT_EQ(
            redacted("https://a.blob.core.windows.net/c?sv=2022&sig=" + sas + "&se=2026"),
            "https://a.blob.core.windows.net/c?sv=2022&sig=[REDACTED:azure-signature]&se=2026");
    }
    for (const std::string between : {",", "\t", "\n", "\n     8\t", "\", \"", " | "}) {
        EXPECT_EQ(redacted("x " + aws + between + aws_secret + "\ny"),
                  "x [REDACTED:aws-access-key]\ny");
    }
    EXPECT_EQ(redacted("curl -u me:correct" + std::string("horse x")),
              "curl -u me:[REDACTED:password] x");
    for (const std::string text : {"docker run -u 1000:1000 image",
                                   "docker exec -u 1000580000:1000580000 x sh",
                                   "docker run -u node:node image",
                                   "curl -u user:password https://host",
                                   "curl -u $USER:$PASS https://host",
                                   "curl -u user https://host",
                                   "mkdir -p/a/b1c2d3e4f5",
                                   "docker login && mkdir -p a1b2c3d4e5",
                                   "mkdir -p login/a1b2c3d4e5",
                                   "curl --user me https://host",
                                   "curl -user",
                                   "curl --use",
                                   "curl -su",
                                   "curl -ss",
                                   "curl -u user:PASSWORD, mysql -pPASSWORD.",
                                   "curl --user-agent me:a1b2c3d4e5",
                                   "useradd --user me:a1b2c3d4e5",
                                   "tar -su me:a1b2c3d4e5",
                                   "7z -p a1b2c3d4e5",
                                   "ENV TOKEN_DIR a1b2c3d4e5",
                                   "the ENV token a1b2c3",
                                   "a = 1; password = token1;",
                                   "cp -a src1a2b3c4d5 dst",
                                   "mysql -u root -p",
                                   "mysql -u root -p app_db1",
                                   "mysql -u root -p$PASSWORD",
                                   "ssh -p 2222 host",
                                   "psql -p 5432",
                                   "login and password prompts are shown",
                                   "a:machine a:id password filename",
                                   "\"machine id password [path/]filename",
                                   "keyword main manage machine mark password q1w2e3r4t5",
                                   "your login password is needed",
                                   "127.0.0.1:5432:5432",
                                   "root:*:0:0:root:/root:/bin/bash",
                                   "list:*:38:38:Mailing List Manager:/var/list:/usr/sbin/nologin",
                                   "daemon:*:1:1:daemon:/usr/sbin:/usr/sbin/nologin",
                                   "default login anonymous password user@site1.org",
                                   "host:5432:db:user:password",
                                   "*:*:*:*:*",
                                   "tool --token <token>",
                                   "--password PASSWORD  the password",
                                   "--token $TOKEN",
                                   "--password-stdin file1a2b3c",
                                   "git push --set-upstream",
                                   "sig=abc",
                                   "pattern",
                                   "patch"}) {
        EXPECT_EQ(redacted(text), text);
    }
    const std::string inside = "SFRUUC8/EAAA" + Chance(2).text("ABCDefgh0123", 70);
    EXPECT_EQ(redacted(inside), inside) << "base64 has any four letters somewhere";
    const std::string hash = Chance(6).text("0123456789abcdef", 40);
    EXPECT_EQ(redacted(aws + "\n" + hash), "[REDACTED:aws-access-key]\n" + hash);
}

// --- keys, URLs, headers ------------------------------------------------------------------------

TEST(SecretScanner, takes_private_keys_out_whole) {
    for (const std::string label :
         {"RSA PRIVATE KEY", "PRIVATE KEY", "OPENSSH PRIVATE KEY", "EC PRIVATE KEY",
          "ENCRYPTED PRIVATE KEY", "PGP PRIVATE KEY BLOCK"}) {
        for (const std::string line_end :
             {"\n", "\r\n", "\\n", "\n     7\t", "\n+", "\\n\" +\n  \""}) {
            const std::string text = "before\n" + pem(label, line_end) + "\nafter";
            EXPECT_EQ(redacted(text), "before\n[REDACTED:private-key]\nafter") << label << line_end;
        }
    }
}

TEST(SecretScanner, takes_out_a_private_key_that_was_cut_off) {
    const std::string block = pem("RSA PRIVATE KEY");
    EXPECT_EQ(redacted(block.substr(0, 300)), mark("private-key"));
    EXPECT_EQ(redacted(block.substr(0, 300) + "\n{next}"), "[REDACTED:private-key]\n{next}");
    const std::string old = std::string("-----BEGIN RSA PRIVATE KEY-----") +
                            "\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0123456789ABCDEF\n\n" +
                            block.substr(block.find('\n') + 1);
    EXPECT_EQ(redacted(old + "\nafter"), "[REDACTED:private-key]\nafter");
    const std::string putty =
        "Private-Lines: 1"
        "4\n";
    EXPECT_EQ(redacted(putty + Chance(1).text("ABCDabcd0123+/", 64) + "\n;"),
              "Private-Lines: 1"
              "4[REDACTED:private-key];");
}

TEST(SecretScanner, takes_out_private_keys_with_any_headers) {
    std::string many;
    for (int i = 0; i < 30; ++i) many += "Comment: User-ID:\tSome_body [else] <a_b@example.org>\n";
    for (const std::string& headers :
         {std::string("Comment: User-ID:\tBob <bob_b@example.org>\n\n"),
          std::string("Comment: User-ID: J\xc3\xbcrgen {x}; $y\nVersion: 1_2\n\n"),
          std::string("Comment: \"rsa_key; x\"\n"), many, many + "\n", many.substr(0, 424),
          many.substr(0, 460) + "\n"}) {
        for (const std::string label : {"PGP PRIVATE KEY BLOCK", "SSH2 ENCRYPTED PRIVATE KEY"}) {
            std::string block = pem(label);
            block.insert(block.find('\n') + 1, headers);
            EXPECT_EQ(redacted("a\n" + block + "\nb"), "a\n[REDACTED:private-key]\nb") << headers;
        }
    }
}

// What stands before and behind each line of a key.
TEST(SecretScanner, takes_out_private_keys_that_are_written_line_by_line) {
    const std::vector<std::pair<std::string, std::string>> ways = {
        {"; ", ""},
        {"% ", ""},
        {"key[1] = \"", "\";"},
        {"$k .= \"", "\\n\";"},
        {"\"", "\\n\" /* _ */"},
        {"!! {", "}"},
        {"k_1 <- '", "'"},
        {"\xc2\xbb ", ""},
    };
    for (const auto& [before, behind] : ways) {
        const std::string line_end = behind + "\n" + before;
        const std::string text = "x\n" + before + pem("RSA PRIVATE KEY", line_end);
        const std::string shown = "x\n" + before + mark("private-key");
        EXPECT_EQ(redacted(text + behind + "\ny"), shown + behind + "\ny");
        const std::string whole = redacted(text);
        for (std::size_t cut = 0; cut <= text.size(); cut += 7) {
            ASSERT_EQ(streamed(text, {cut}), whole);
        }
        const std::string cut_off = text.substr(0, text.rfind("-----END")) + "\n";
        const std::string after = "{_a_}\n{_b_}\n{_c_}\n{_d_}\n{_e_}\n{_f_}\n";
        const std::string end = redacted(cut_off + after);
        EXPECT_EQ(end.substr(0, shown.size()), shown);
        EXPECT_TRUE(end.ends_with(after)) << end;
        EXPECT_LE(end.size(), shown.size() + after.size() + 2 * line_end.size() + 24) << end;
    }
}

TEST(SecretScanner, takes_out_private_keys_in_base64) {
    for (const std::string label :
         {"RSA PRIVATE KEY", "PRIVATE KEY", "OPENSSH PRIVATE KEY", "EC PRIVATE KEY",
          "ENCRYPTED PRIVATE KEY", "PGP PRIVATE KEY BLOCK"}) {
        const std::string digits = base64(pem(label) + "\n");
        const std::string text = "client-key-data: " + digits + "\ntoken-file: x\n";
        EXPECT_EQ(redacted(text), "client-key-data: [REDACTED:private-key]\ntoken-file: x\n");
        for (const std::string line_end : {"\n", "\r\n", "\n    ", "\\n", "\n     7\t"}) {
            std::string wrapped;
            for (std::size_t at = 0; at < digits.size(); at += 76) {
                wrapped += (at > 0 ? line_end : "") + digits.substr(at, 76);
            }
            const std::string more = "\"" + wrapped + "\"\nnext: 1\n";
            EXPECT_EQ(redacted(more), "\"[REDACTED:private-key]\"\nnext: 1\n");
            for (std::size_t cut = 0; cut <= more.size(); cut += 5) {
                ASSERT_EQ(streamed(more, {cut}), redacted(more));
            }
        }
    }
    for (const std::string& text :
         {"data: " + base64(pem("CERTIFICATE")), "data: " + base64(pem("PUBLIC KEY")),
          "begins with " + base64(pem("PRIVATE KEY")).substr(0, 40) + "..."}) {
        EXPECT_EQ(redacted(text), text);
    }
}

TEST(SecretScanner, leaves_public_keys_and_talk_about_private_ones_alone) {
    const std::vector<std::string> texts = {
        pem("CERTIFICATE"),
        pem("PUBLIC KEY"),
        std::string("if (line == \"-----BEGIN RSA ") + "PRIVATE KEY-----\") return Kind::kRsa;",
        std::string("-----BEGIN ") + "PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
        std::string("kBegin = \"-----BEGIN ") + "PRIVATE KEY-----\";\n" +
            "kEnd = \"-----END PRIVATE KEY-----\";\nkOther = \"" + pem("PUBLIC KEY").substr(27, 64),
        std::string("starts with `-----BEGIN ") +
            "PRIVATE KEY-----`;\none_\ntwo_\nthree_\nfour_\n" + "five_\n" + pem("PUBLIC KEY"),
        std::string("See -----BEGIN ") +
            "PRIVATE KEY-----; {usr/share/doc/Lib3/some/where/else/in/it}",
    };
    for (const std::string& text : texts) EXPECT_EQ(redacted(text), text);
}

TEST(SecretScanner, takes_credentials_out_of_urls) {
    const std::string value = random_value();
    for (const std::string scheme : {"https", "postgres", "mongodb+srv", "redis", "amqp", "ftp"}) {
        EXPECT_EQ(redacted(scheme + "://user:" + value + "@host:5432/db"),
                  scheme + "://[REDACTED:url-credentials]@host:5432/db");
    }
    EXPECT_EQ(redacted("https://:" + value + "@host"), "https://[REDACTED:url-credentials]@host");
    EXPECT_EQ(redacted("https://u:" + value + "@x" + value + "@host"),
              "https://[REDACTED:url-credentials]@host");
    EXPECT_EQ(redacted("https://" + value + "@host/1"),
              "https://[REDACTED:url-credentials]@host/1");
    const std::vector<std::string> texts = {
        "https://host:8080/a@b",  "https://user@host/",      "ssh://git@host:22/x",
        "https://user:pass@host", "https://user:password@h", "https://user:${PASS}@host",
        "http://[::1]:80/x@y",    "https://a/b:c@d",         "x://<user>:<password>@host",
        "x://user[:password]@h",  "http://u:xxxxx@host",     "https://u:a1b2c3@www.example.com:80",
    };
    for (const std::string& text : texts) EXPECT_EQ(redacted(text), text);
}

TEST(SecretScanner, takes_credentials_out_of_headers) {
    const std::string value = random_value();
    const std::string pair = std::string("dXNl") + "cjpwYXNz";
    const std::vector<std::pair<std::string, std::string>> cases = {
        {"Authorization: Bearer @", value},
        {"authorization: Basic @", pair},
        {"Authorization: @", value},
        {"\"Authorization\": \"token @\"", value},
        {"curl -H 'Authorization: Bearer @'", value},
        {"Proxy-Authorization: Basic @", pair},
        {"sent Bearer @ to", value},
        {"\"auth\": \"@\"", value},
        {"//host/:_auth=@", value},
    };
    for (const auto& [place, text] : cases) {
        EXPECT_EQ(redacted(with(place, text)), with(place, mark("authorization")));
    }
    EXPECT_EQ(redacted(with("X-Api-Key: @", value)), "X-Api-Key: [REDACTED:key]");
    for (const std::string text : {"Authorization: Bearer $TOKEN", "Authorization: Bearer <token>",
                                   "Authorization: required", "Bearer authentication is needed",
                                   "the bearer of this letter"}) {
        EXPECT_EQ(redacted(text), text);
    }
}

// --- what is not a secret -----------------------------------------------------------------------

TEST(SecretScanner, leaves_hashes_and_lock_files_alone) {
    std::string text;
    for (std::uint32_t i = 0; i < 2000; ++i) {
        Chance chance(i);
        const std::string base64 =
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        const std::string hex = "0123456789abcdef";
        text += "\"integrity\": \"sha512-" + chance.text(base64, 86) + "==\",\n";
        text += "checksum = \"" + chance.text(hex, 64) + "\"\n";
        text += "h1:" + chance.text(base64, 43) + "=\n";
        text += chance.text(hex, 40) + "  refs/heads/" + chance.text(hex, 8) + "\n";
        text += chance.text(hex, 8) + "-" + chance.text(hex, 4) + "-4" + chance.text(hex, 3) +
                "-a" + chance.text(hex, 3) + "-" + chance.text(hex, 12) + "\n";
        text += "data:image/png;base64," + chance.text(base64, 400) + "\n";
        text += "!function(e,t){var n=" + chance.text("abcdefg.()=>{},;!&|0123", 300) + "}\n";
    }
    EXPECT_EQ(redacted(text), text);
}

TEST(SecretScanner, passes_any_bytes_without_secrets_unchanged) {
    std::string all;
    for (int i = 0; i < 256; ++i) all += static_cast<char>(i);
    for (std::uint32_t seed = 0; seed < 300; ++seed) {
        Chance chance(seed);
        const std::string text = chance.text(all, chance.below(5000));
        EXPECT_EQ(redacted(text), text);
        EXPECT_EQ(streamed(text, {text.size() / 3, text.size() / 2}), text);
    }
}

// --- chunks, repetition, known values -----------------------------------------------------------

// Pieces of everything that matters to the scanner, in any order.
std::string mixture(std::uint32_t seed) {
    static const std::vector<Sample> kSamples = token_samples();
    static const std::vector<std::string> kPieces = {
        " ",
        "\n",
        "=",
        "\"",
        "'",
        ":",
        ": ",
        "://",
        "@",
        "-",
        "_",
        ".",
        ",",
        "/",
        "\\n",
        "%3D",
        "<",
        ">",
        "password",
        "TOKEN",
        "apiKey",
        "secret",
        "_pass",
        "user",
        "Authorization: Bearer ",
        "auth",
        "[REDACTED:token]",
        "-----BEGIN ",
        "PRIVATE KEY-----",
        "-----END PRIVATE KEY-----",
        "-----",
        "hunter",
        "22",
        "${X}",
        "example",
        "eyJ",
        "sk-",
        "words in between",
        "\x1b[1m",
        "known-value-1",
        "&",
        ";",
        "qZx7",
        "$",
        "\\\n",
        "\\",
        " -p",
        " -u ",
        "curl",
        "mysql",
        "machine x login ",
        ":5432:",
        "--token ",
    };
    Chance chance(seed);
    std::string text;
    for (std::uint32_t i = chance.below(40); i > 0; --i) {
        switch (chance.below(6)) {
            case 0:
                text += kSamples[chance.below(static_cast<std::uint32_t>(kSamples.size()))].text;
                break;
            case 1: text += chance.text("abcXYZ0189+/", chance.below(90)); break;
            default: text += kPieces[chance.below(static_cast<std::uint32_t>(kPieces.size()))];
        }
    }
    return text;
}

SecretScanner scanner_with_known_value() {
    const std::vector<KnownSecret> known = {{"KNOWN", "known-value-1"}};
    return SecretScanner::create(known).value();
}

TEST(SecretScanner, finds_what_a_chunk_border_cuts_at_any_place) {
    for (const Sample& sample : token_samples()) {
        const std::string text = "see (" + sample.text + ") there";
        for (std::size_t cut = 0; cut <= text.size(); ++cut) {
            ASSERT_EQ(streamed(text, {cut}), "see (" + mark(sample.kind) + ") there") << cut;
        }
    }
    const std::string text = with("a\nDB_PASSWORD='@'\nurl http://u:@@h/\n", random_value()) +
                             pem("PRIVATE KEY") + "\nAuthorization: Bearer " + random_value() +
                             "\nend";
    const std::string whole = redacted(text);
    for (std::size_t cut = 0; cut <= text.size(); ++cut)
        ASSERT_EQ(streamed(text, {cut}), whole) << cut;
}

TEST(SecretScanner, does_not_depend_on_the_chunks) {
    const SecretScanner both = scanner_with_known_value();
    for (std::uint32_t seed = 0; seed < 2000; ++seed) {
        const std::string text = mixture(seed);
        const std::string whole = redacted(text, both);
        Chance chance(seed);
        std::vector<std::size_t> cuts;
        for (std::size_t at = 0; at < text.size();
             at += 1 + chance.below(seed % 2 == 0 ? 3 : 200)) {
            cuts.push_back(at);
        }
        ASSERT_EQ(streamed(text, cuts, both), whole) << seed << ": " << text;
    }
}

TEST(SecretScanner, does_not_depend_on_any_single_border) {
    const SecretScanner both = scanner_with_known_value();
    for (std::uint32_t seed = 0; seed < 60; ++seed) {
        const std::string text = mixture(seed);
        const std::string whole = redacted(text, both);
        std::vector<std::size_t> everywhere;
        for (std::size_t cut = 0; cut <= text.size(); ++cut) {
            ASSERT_EQ(streamed(text, {cut}, both), whole) << cut << ": " << text;
            everywhere.push_back(cut);
        }
        ASSERT_EQ(streamed(text, everywhere, both), whole) << text;
    }
}

TEST(SecretScanner, finds_nothing_more_the_second_time) {
    const SecretScanner both = scanner_with_known_value();
    for (std::uint32_t seed = 0; seed < 20'000; ++seed) {
        const std::string once = redacted(mixture(seed), both);
        std::string twice = once;
        both.redact(twice);
        ASSERT_EQ(twice, once) << mixture(seed);
    }
}

// Of a long value only the start is judged, here words; the second time it ends inside the mark.
TEST(SecretScanner, leaves_a_value_with_a_token_in_it_as_the_first_pass_did) {
    const std::string token = "sk_live_" + random_value();
    const std::string words = "PASSWORD=user:user:user:user:user:user:user:user:user:user:user:";
    for (const std::string_view more :
         {"", "a", "ab", "abc", "abcd", "abcde", "abcdef", "abcdefg"}) {
        const std::string before = words + std::string(more) + ':';
        const std::string once = redacted(before + token);
        EXPECT_EQ(once, before + mark("stripe-key"));
        EXPECT_EQ(redacted(once), once);
    }
}

// Issue 17, row 5.
TEST(SecretScanner, issue_17_5_learns_the_values_of_denied_files) {
    const std::string random = random_value(21);
    const std::string password = "hunter" + std::to_string(2) + "swordfish";
    const std::string key = pem("PRIVATE KEY");
    const SecretScanner scanner = SecretScanner::create().value();
    const SecretScanner copy = scanner;
    SecretStream old(copy);
    EXPECT_EQ(redacted("log: " + random, copy), "log: " + random) << "nobody knows it yet";
    scanner.learn(denied_values("# settings\nSIGNING=" + random + "\nDB_PASSWORD=\"" + password +
                                "\"\nPORT=5432\nDB_NAME=application\nMODE=production\n"
                                "POSTGRES_PASSWORD=postgres\nADMIN_PASSWORD=correcthorse\n" +
                                key));
    EXPECT_EQ(redacted("log: " + random + "!", copy), "log: [REDACTED:denied-file]!");
    EXPECT_EQ(redacted("with " + password + ".", copy), "with [REDACTED:denied-file].");
    EXPECT_EQ(redacted("b64 " + base64(password + "xx"), copy).find(base64(password).substr(0, 16)),
              std::string::npos);
    // The middle of a private key without its first line.
    const std::string middle = key.substr(key.find('\n') + 1, 65 * 3);
    EXPECT_EQ(redacted(middle, copy),
              "[REDACTED:denied-file]\n[REDACTED:denied-file]\n[REDACTED:denied-file]\n");
    const std::string plain =
        "5432 application production postgres correcthorse SIGNING DB_PASSWORD settings";
    EXPECT_EQ(redacted(plain, copy), plain);
    std::string out;
    old.finish(out);
    old.feed(random, out);
    old.finish(out);
    EXPECT_EQ(out, "[REDACTED:denied-file]");
}

TEST(SecretScanner, issue_17_5_learns_within_bounds) {
    const std::vector<KnownSecret> operators = {{"mine", "hunter2hunter2"}};
    const SecretScanner scanner = SecretScanner::create(operators).value();
    for (std::uint32_t i = 0; i < 2 * limits::kKnownSecretsMax; ++i) {
        scanner.learn(std::vector<std::string>{random_value(100 + i)});
    }
    scanner.learn(std::vector<std::string>{"short"});
    EXPECT_EQ(redacted(random_value(100), scanner), mark("denied-file"));
    EXPECT_EQ(redacted(random_value(600), scanner), random_value(600)) << "beyond the bound";
    EXPECT_EQ(redacted("hunter2hunter2", scanner), mark("mine"));
    EXPECT_TRUE(denied_values(std::string("TOKEN=\0", 7) + random_value()).empty());
    EXPECT_TRUE(denied_values("TOKEN=\xff" + random_value()).empty());
    for (const std::string& each : denied_values("T=" + Chance(9).text("abcXYZ0189", 5000))) {
        EXPECT_LE(each.size(), 128U);
        EXPECT_GE(each.size(), 8U);
    }
}

TEST(SecretScanner, counts_alike_in_both_ways) {
    std::string text;
    for (const Sample& sample : token_samples()) text += sample.text + "\n";
    SecretStream stream(scanner());
    std::string out;
    stream.feed(text, out);
    stream.finish(out);
    EXPECT_EQ(stream.count(), token_samples().size());
    EXPECT_EQ(scanner().redact(text), token_samples().size());
    EXPECT_EQ(out, text);
}

TEST(SecretStream, holds_back_little) {
    SecretStream stream(scanner());
    const std::string piece = Chance(5).text("abcdef0123456789", 100'000);
    std::string out;
    for (std::size_t fed = piece.size(); fed <= piece.size() * 20; fed += piece.size()) {
        stream.feed(piece, out);
        EXPECT_LE(fed - out.size(), 1024U);
    }
}

// However much of each has come, no more is shown than what it is known by, which is less than
// half.
TEST(SecretStream, shows_no_secret_that_has_only_begun) {
    for (const Sample& sample : token_samples()) {
        std::string redacted = "see " + sample.text;
        scanner().redact(redacted);
        const std::size_t secret = redacted.find(kMarkStart);
        for (std::size_t n = 0; n < sample.text.size(); ++n) {
            SecretStream stream(scanner());
            std::string out;
            stream.feed("see " + sample.text.substr(0, n), out);
            const std::string shown = out + stream.settled_rest();
            EXPECT_LE(std::min(shown.size(), shown.find(kMarkStart)),
                      secret + sample.text.size() / 2)
                << sample.text << ": " << shown;
        }
    }
}

TEST(SecretStream, shows_no_known_value_that_has_only_begun) {
    const std::string value = "two words and\na line";
    const auto by = SecretScanner::create(std::vector<KnownSecret>{{"it", value}}).value();
    for (const std::string written :
         {"two words and\na line", "two+words%20and%0aa lin%65", "\\u0074wo words and\\na line"}) {
        for (std::size_t n = 5; n < written.size(); ++n) {
            SecretStream stream(by);
            std::string out;
            stream.feed("see " + written.substr(0, n), out);
            const std::string shown = out + stream.settled_rest();
            // The first of its lines may be known already, and four bytes do not tell.
            const std::size_t known = shown.find("[REDACTED:it]");
            EXPECT_EQ(shown.substr(0, known), "see ") << n;
            EXPECT_LE(shown.size(), known == std::string::npos ? 4U : 4U + 13U + 3U + 4U) << shown;
            stream.feed(written.substr(n), out);
            stream.finish(out);
            EXPECT_EQ(out, "see [REDACTED:it]");
        }
    }
}

TEST(SecretStream, shows_the_beginning_of_anything_else) {
    for (const std::string text : {"Continue? [y/N]", "Enter the token: ", "ready", "50%"}) {
        SecretStream stream(scanner());
        std::string out;
        stream.feed(text, out);
        EXPECT_EQ(out + stream.settled_rest(), text);
        EXPECT_EQ(out + stream.rest(), text);
    }
}

TEST(SecretStream, can_be_used_again) {
    SecretStream stream(scanner());
    std::string out;
    stream.feed("TOKEN", out);
    stream.finish(out);
    stream.feed("=" + random_value(), out);
    stream.finish(out);
    EXPECT_EQ(out, "TOKEN=" + random_value());
    EXPECT_EQ(stream.count(), 0U);
}

}  // namespace
