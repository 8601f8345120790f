// On the wire: the number of those without room, then one line for each denial, fields separated by
// tabs. A displayable host has neither tabs nor line feeds.
#include "proxy/refusal_log.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include <paddock/limits.h>

#include "base/display.h"
#include "policy/host_rules.h"

namespace paddock::proxy {
namespace {

constexpr std::size_t kWhyBytesMax = 128;
constexpr std::size_t kShownHostBytesMax = 4 * kProxyDenialHostBytesMax;  // all escaped

constexpr std::string_view kConnection = "c";
constexpr std::string_view kLookUp = "l";

template <class Number>
std::optional<Number> read_number(std::string_view text) {
    Number value = 0;
    const char* const end = text.data() + text.size();
    const auto [stopped, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc{} || stopped != end) return std::nullopt;
    return value;
}

// What is before the next `separator`, which must be there; both are taken off `rest`.
std::optional<std::string_view> next_part(std::string_view& rest, char separator) {
    const std::size_t end = rest.find(separator);
    if (end == rest.npos) return std::nullopt;
    const std::string_view part = rest.substr(0, end);
    rest.remove_prefix(end + 1);
    return part;
}

bool is_shown_text(std::string_view text, std::size_t bytes_max) {
    return text.size() <= bytes_max && displayable(text) == text;
}

std::optional<NetworkDenial> parse_line(std::string_view line) {
    const auto host = next_part(line, '\t');
    const auto port = next_part(line, '\t');
    const auto times = next_part(line, '\t');
    const auto option = next_part(line, '\t');
    const auto way = next_part(line, '\t');
    if (!host || !port || !times || !option || (way != kConnection && way != kLookUp)) {
        return std::nullopt;
    }
    const auto port_number = read_number<std::uint16_t>(*port);
    const auto times_number = read_number<std::uint32_t>(*times);
    if (!port_number || !times_number || !is_shown_text(*host, kShownHostBytesMax) ||
        !is_shown_text(*option, policy::kAllowOptionBytesMax) ||
        !is_shown_text(line, kWhyBytesMax)) {
        return std::nullopt;
    }
    return NetworkDenial{std::string(*host), *port_number,         std::string(line),
                         *times_number,      std::string(*option), way == kLookUp};
}

}  // namespace

void RefusalLog::add(std::string_view host, std::uint16_t port, std::string_view why,
                     std::string_view option, bool is_look_up) {
    const std::string shown = displayable(host.substr(0, kProxyDenialHostBytesMax));
    for (NetworkDenial& known : denials_.list) {
        const bool is_same = known.host == shown && known.port == port && known.why == why &&
                             known.is_look_up == is_look_up;
        if (!is_same) continue;
        if (known.times != UINT32_MAX) ++known.times;
        return;
    }
    if (denials_.list.size() == kProxyDenialsMax) {
        ++denials_.more;
        return;
    }
    denials_.list.push_back({shown, port, std::string(why.substr(0, kWhyBytesMax)), 1,
                             std::string(option.substr(0, policy::kAllowOptionBytesMax)),
                             is_look_up});
}

Denials RefusalLog::take() { return std::exchange(denials_, {}); }

std::string write_denials(const Denials& denials) {
    std::string bytes = std::to_string(denials.more) + "\n";
    for (const NetworkDenial& denial : denials.list) {
        bytes += denial.host + "\t" + std::to_string(denial.port) + "\t" +
                 std::to_string(denial.times) + "\t" + denial.option + "\t";
        bytes += denial.is_look_up ? kLookUp : kConnection;
        bytes += "\t" + denial.why + "\n";
    }
    return bytes;
}

Outcome<Denials> parse_denials(std::string_view bytes) {
    const Failure malformed = refuse(Code::kInternal, "the proxy gave a malformed answer");
    Denials denials;
    const auto more = next_part(bytes, '\n');
    const auto more_number = more ? read_number<std::uint64_t>(*more) : std::nullopt;
    if (!more_number) return malformed;
    denials.more = *more_number;
    while (!bytes.empty()) {
        const auto line = next_part(bytes, '\n');
        auto denial = line ? parse_line(*line) : std::nullopt;
        if (!denial || denials.list.size() == kProxyDenialsMax) return malformed;
        denials.list.push_back(std::move(*denial));
    }
    return denials;
}

}  // namespace paddock::proxy
