#include "tools/job.h"

#include <gtest/gtest.h>

#include <paddock/limits.h>

#include "base/utf8.h"

namespace paddock::tools {
namespace {

// Goes on at the offset that is named, each time.
class Reader {
public:
    explicit Reader(const KeptOutput& output) : output_(output) {}

    void read(std::size_t bytes_max) {
        const KeptOutput::Part part = output_.part(offset_, bytes_max);
        EXPECT_TRUE(is_utf8(part.text)) << part.text;
        EXPECT_LE(part.text.size(), bytes_max);
        EXPECT_GE(part.end, offset_);
        EXPECT_LE(part.end, offset_ + part.text.size());
        text_.resize(offset_);
        text_ += part.text;
        offset_ = part.end;
        is_at_end_ = part.end == part.total;
    }
    void read_to_end(std::size_t bytes_max) {
        do read(bytes_max);
        while (!is_at_end_ && !::testing::Test::HasFailure());
    }

    const std::string& text() const { return text_; }

private:
    const KeptOutput& output_;
    std::string text_;
    std::uint64_t offset_ = 0;
    bool is_at_end_ = false;
};

std::string printed() {
    std::string text;
    for (int i = 0; i < 60; ++i) {
        text += "line " + std::to_string(i) + ": \u00e4\u20ac\U0001f600 and more\n";
        if (i % 20 == 7) text += "GITHUB_TOKEN=ghp_0123456789abcdefABCDEF0123456789abcd\n";
    }
    return text + "the end \u20ac";
}

class KeptOutputPages : public ::testing::TestWithParam<bool> {
protected:
    static std::optional<secrets::SecretScanner> filter() {
        if (!GetParam()) return std::nullopt;
        return secrets::SecretScanner::create().value();
    }
    static std::string expected() {
        std::string text = printed();
        if (const auto scanner = filter()) scanner->redact(text);
        return text;
    }
};

INSTANTIATE_TEST_SUITE_P(filter, KeptOutputPages, ::testing::Bool(), [](const auto& filtered) {
    return std::string(filtered.param ? "on" : "off");
});

TEST_P(KeptOutputPages, that_are_read_while_it_grows_miss_nothing) {
    const std::string text = printed();
    for (const std::size_t piece : {1U, 2U, 3U, 7U, 64U, 1000U}) {
        for (const std::size_t page : {16U, 100U, 5000U}) {
            KeptOutput output(filter());
            Reader reader(output);
            for (std::size_t at = 0; at < text.size(); at += piece) {
                output.add(std::string_view(text).substr(at, piece));
                reader.read(page);
            }
            output.finish();
            reader.read_to_end(page);
            EXPECT_EQ(reader.text(), expected()) << piece << " " << page;
        }
    }
}

TEST_P(KeptOutputPages, of_all_of_it_repeat_nothing_and_end_with_lines) {
    KeptOutput output(filter());
    output.add(printed());
    output.finish();
    std::string joined;
    for (KeptOutput::Part part; joined.size() < expected().size(); joined += part.text) {
        part = output.part(joined.size(), 400);
        ASSERT_EQ(part.end, joined.size() + part.text.size());
        ASSERT_TRUE(part.text.ends_with('\n') || part.end == part.total) << part.text;
    }
    EXPECT_EQ(joined, expected());
}

TEST(KeptOutput, that_is_no_text_ends_as_well) {
    KeptOutput output(std::nullopt);
    output.add("\xe2\x82");
    EXPECT_EQ(output.part(0, 100).text, "") << "the rest may follow";
    output.finish();
    const KeptOutput::Part part = output.part(0, 100);
    EXPECT_EQ(part.text, "\ufffd");
    EXPECT_EQ(part.end, part.total);
}

TEST(KeptOutput, an_excerpt_says_what_it_leaves_out) {
    KeptOutput output(std::nullopt);
    for (int i = 100; i < 200; ++i) output.add(std::to_string(i) + "\n");
    EXPECT_EQ(output.excerpt(61, "b1"),
              "100\n101\n102\n103\n104\n[bytes 20 to 360 of 400 left out; read them with "
              "bash_output, id 'b1', offset=20]\n190\n191\n192\n193\n194\n195\n196\n197\n"
              "198\n199\n");
    EXPECT_EQ(output.part(20, 340).text + output.part(360, 40).text, output.part(20, 380).text);
}

// The filter looks at what is shown: no sequence and no overprinting hides a secret from it.
TEST(KeptOutput, secrets_are_looked_for_in_what_is_shown) {
    for (const std::string token : {"ghp_0123456789abc\x1b[1mdefABCDEF0123456789abcd\n",
                                    "ghp_0123456789abcdefABCDEF01#\b23456789abcd\n",
                                    "xxx_0123456789abcdefABCDEF0123456789abcd\rghp\n",
                                    "ghp_0123456789abc\xc2\x9b"
                                    "1mdefABCDEF0123456789abcd\n"}) {
        KeptOutput output(secrets::SecretScanner::create().value());
        for (const char c : token) output.add(std::string_view(&c, 1));
        EXPECT_EQ(output.part(0, 100).text.find("0123456789abcdef"), std::string::npos);
        output.finish();
        EXPECT_EQ(output.part(0, 100).text, "[REDACTED:github-token]\n") << token;
    }
    // Over the edge of a terminal, too.
    KeptOutput output(secrets::SecretScanner::create().value(), text::Screen({4, 20}));
    output.add("GITHUB ghp_0123456789abcdefABCDEF0123456789abcd\r\n");
    EXPECT_EQ(output.part(0, 100).text, "GITHUB [REDACTED:github-token]\n");
}

TEST(KeptOutput, beyond_what_was_seen) {
    EXPECT_EQ(beyond("", "abc"), "abc");
    EXPECT_EQ(beyond("ab", "abc"), "c");
    EXPECT_EQ(beyond("a\n10%", "a\n20%"), "20%");
    EXPECT_EQ(beyond("a\n10%", "a\n"), "");
    EXPECT_EQ(beyond("abc", "ab"), "ab");
}

TEST(KeptOutput, beyond_the_bound_is_its_beginning_and_its_end) {
    KeptOutput output(std::nullopt);
    std::string line;  // each line names its offset
    std::uint64_t size = 0;
    while (size < 3 * limits::kCommandOutputBytesMax) {
        line = std::to_string(size) + " " + std::string(990, 'x') + "\u20ac\n";
        size += line.size();
        output.add(line);
    }
    output.finish();
    std::uint64_t kept = 0;
    std::uint64_t gaps = 0;
    for (std::uint64_t at = 0; at < size;) {
        const KeptOutput::Part part = output.part(at, 1'000'000);
        EXPECT_TRUE(is_utf8(part.text));
        EXPECT_EQ(part.total, size);
        EXPECT_EQ(part.end, part.begin + part.text.size());
        gaps += part.begin > at ? 1 : 0;
        if (part.begin > at) {
            EXPECT_EQ(std::stoull(part.text), part.begin) << "an offset stays that of its line";
        }
        kept += part.text.size();
        ASSERT_GT(part.end, at);
        at = part.end;
    }
    EXPECT_EQ(gaps, 1U);
    EXPECT_LE(kept, limits::kCommandOutputBytesMax);
    EXPECT_GT(kept, limits::kCommandOutputBytesMax / 10 * 9);
    EXPECT_TRUE(output.end(3'000).ends_with(line));
    const std::string excerpt = output.excerpt(6'000, "b1");
    EXPECT_TRUE(excerpt.starts_with("0 xxx")) << excerpt;
    EXPECT_TRUE(excerpt.ends_with(line)) << excerpt;
    EXPECT_NE(excerpt.find(" bytes from 8388"), excerpt.npos) << excerpt;
}

}  // namespace
}  // namespace paddock::tools
