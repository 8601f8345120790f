// A screen on any bytes: however they are cut the result is the same, holds no control character
// but line feed and tab, is UTF-8, and is not much longer than what came.
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/utf8.h"
#include "text/screen.h"

namespace {

using paddock::text::Screen;

std::string shown(Screen screen, std::string_view bytes, std::size_t step) {
    std::string out;
    for (std::size_t at = 0; at < bytes.size(); at += step) {
        screen.feed(bytes.substr(at, step), out);
        PADDOCK_CHECK(paddock::is_utf8(screen.shown()));
    }
    screen.finish(out);
    return out;
}

bool is_harmless(std::string_view text) {
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        if ((byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7F) return false;
        if (byte == 0xC2 && static_cast<unsigned char>(text[i + 1]) < 0xA0) return false;
    }
    return paddock::is_utf8(text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    std::string bytes(data + 1, data + size);
    // Most bytes begin nothing: one in sixteen is ESC.
    for (char& c : bytes) {
        if ((static_cast<unsigned char>(c) & 0xF0U) == 0xF0) c = '\033';
    }
    for (const Screen& screen : {Screen(), Screen({5, 12})}) {
        const std::string whole = shown(screen, bytes, bytes.size() + 1);
        PADDOCK_CHECK(is_harmless(whole));
        PADDOCK_CHECK(whole.size() <= 600 * (bytes.size() + 1));
        PADDOCK_CHECK(shown(screen, bytes, 1 + data[0] % 7U) == whole);
    }
    return 0;
}
