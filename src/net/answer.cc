#include "net/answer.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <ctime>
#include <utility>

namespace paddock::net {
namespace {

char lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }

}  // namespace

bool equal_but_case(std::string_view a, std::string_view b) noexcept {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](char x, char y) { return lower(x) == lower(y); });
}

const std::string* find(const Headers& headers, std::string_view name) noexcept {
    for (const Header& header : headers) {
        if (equal_but_case(header.name, name)) return &header.value;
    }
    return nullptr;
}

std::size_t count(const Headers& headers, std::string_view name) noexcept {
    return static_cast<std::size_t>(
        std::count_if(headers.begin(), headers.end(),
                      [name](const Header& header) { return equal_but_case(header.name, name); }));
}

namespace {

using Phrase = std::pair<unsigned, std::string_view>;
constexpr std::array kPhrases{
    Phrase{200, "OK"},
    Phrase{202, "Accepted"},
    Phrase{204, "No Content"},
    Phrase{400, "Bad Request"},
    Phrase{401, "Unauthorized"},
    Phrase{403, "Forbidden"},
    Phrase{404, "Not Found"},
    Phrase{405, "Method Not Allowed"},
    Phrase{406, "Not Acceptable"},
    Phrase{408, "Request Timeout"},
    Phrase{413, "Content Too Large"},
    Phrase{415, "Unsupported Media Type"},
    Phrase{429, "Too Many Requests"},
    Phrase{431, "Request Header Fields Too Large"},
    Phrase{500, "Internal Server Error"},
    Phrase{501, "Not Implemented"},
    Phrase{503, "Service Unavailable"},
    Phrase{505, "HTTP Version Not Supported"},
};

std::string_view phrase(unsigned status) {
    const auto* const found = std::find_if(kPhrases.begin(), kPhrases.end(),
                                           [=](const Phrase& it) { return it.first == status; });
    return found == kPhrases.end() ? "Other" : found->second;
}

void line(std::string& text, std::string_view name, std::string_view value) {
    text.append(name).append(": ").append(value).append("\r\n");
}

}  // namespace

std::string head_text(const Response& response, const Framing& framing) {
    std::string text = "HTTP/1.1 ";
    text.reserve(256 + response.body.size());  // which the caller adds
    text.append(std::to_string(response.status)).append(" ");
    text.append(phrase(response.status)).append("\r\n");
    for (const Header& header : response.headers) line(text, header.name, header.value);
    if (!framing.date.empty()) line(text, "Date", framing.date);
    if (framing.is_stream) {
        line(text, "Content-Type", "text/event-stream");
        line(text, "Cache-Control", "no-store, no-transform");
        // Proxies of the nginx kind pass each event on as it comes.
        line(text, "X-Accel-Buffering", "no");
        if (framing.is_chunked) line(text, "Transfer-Encoding", "chunked");
    } else if (response.status != 204) {
        line(text, "Content-Length", std::to_string(response.body.size()));
    }
    if (framing.closes) line(text, "Connection", "close");
    return text.append("\r\n");
}

std::string event_text(std::string_view data) {
    std::string text;
    text.reserve(data.size() + 16);
    for (;;) {
        const std::size_t end = data.find('\n');
        text.append("data: ").append(data.substr(0, end)).append("\n");
        if (end == data.npos) break;
        data.remove_prefix(end + 1);
    }
    return text.append("\n");
}

std::string chunk_text(std::string_view data) {
    std::array<char, 16> size{};
    const auto [end, error] =
        std::to_chars(size.data(), size.data() + size.size(), data.size(), 16);
    std::string text(size.data(), end);
    text.reserve(text.size() + data.size() + 4);
    return text.append("\r\n").append(data).append("\r\n");
}

Response plain_response(unsigned status, std::string_view text) {
    std::string body(text.empty() ? phrase(status) : text);
    return {status, {{"Content-Type", "text/plain; charset=utf-8"}}, std::move(body) + "\n"};
}

std::string http_date(long long seconds_since_epoch) {
    constexpr std::array<std::string_view, 7> kDays{"Sun", "Mon", "Tue", "Wed",
                                                    "Thu", "Fri", "Sat"};
    constexpr std::array<std::string_view, 12> kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                       "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    const auto seconds = static_cast<std::time_t>(seconds_since_epoch);
    std::tm parts{};
    ::gmtime_r(&seconds, &parts);
    const auto two = [](int number) { return (number < 10 ? "0" : "") + std::to_string(number); };
    std::string text(kDays[static_cast<std::size_t>(parts.tm_wday)]);
    text.append(", ").append(two(parts.tm_mday)).append(" ");
    text.append(kMonths[static_cast<std::size_t>(parts.tm_mon)]).append(" ");
    text.append(std::to_string(parts.tm_year + 1900)).append(" ").append(two(parts.tm_hour));
    text.append(":").append(two(parts.tm_min)).append(":").append(two(parts.tm_sec));
    return text.append(" GMT");
}

Answer::Answer(std::function<void()> wake, std::size_t bytes_max)
    : wake_(std::move(wake)), bytes_max_(bytes_max) {}

void Answer::add(Part part, std::unique_lock<std::mutex> lock) {
    if (closed_) return;
    parts_.push_back(std::move(part));
    const bool wakes = !std::exchange(woken_, true);
    lock.unlock();
    if (wakes) wake_();
}

void Answer::send(Response response) {
    std::unique_lock lock(mutex_);
    if (phase_ != Phase::kOpen) return;
    phase_ = Phase::kEnded;
    add({.kind = PartKind::kWhole, .response = std::move(response)}, std::move(lock));
}

void Answer::begin_stream(Headers headers) {
    std::unique_lock lock(mutex_);
    if (phase_ != Phase::kOpen) return;
    phase_ = Phase::kStreaming;
    add({.kind = PartKind::kStream, .response = {.headers = std::move(headers)}}, std::move(lock));
}

bool Answer::push(std::string_view data) {
    std::unique_lock lock(mutex_);
    if (phase_ != Phase::kStreaming || closed_) return false;
    Part part{.kind = PartKind::kEvent, .event = event_text(data)};
    if (waiting_ + part.event.size() > bytes_max_) return false;
    waiting_ += part.event.size();
    add(std::move(part), std::move(lock));
    return true;
}

void Answer::finish(std::string_view data) {
    std::unique_lock lock(mutex_);
    if (phase_ != Phase::kStreaming) return;
    phase_ = Phase::kEnded;
    Part part{.kind = PartKind::kEnd};
    if (!data.empty()) part.event = event_text(data);
    waiting_ += part.event.size();
    add(std::move(part), std::move(lock));
}

void Answer::drop() {
    std::unique_lock lock(mutex_);
    if (phase_ == Phase::kEnded) return;
    phase_ = Phase::kEnded;
    add({.kind = PartKind::kDrop}, std::move(lock));
}

void Answer::abandon() {
    send(plain_response(500));
    finish({});
}

void Answer::on_closed(std::function<void()> callback) {
    {
        const std::lock_guard lock(mutex_);
        if (!closed_) {
            callback_ = std::move(callback);
            return;
        }
    }
    callback();
}

std::vector<Answer::Part> Answer::take() {
    const std::lock_guard lock(mutex_);
    woken_ = false;
    return std::exchange(parts_, {});
}

void Answer::close() {
    std::function<void()> callback;
    {
        const std::lock_guard lock(mutex_);
        if (std::exchange(closed_, true)) return;
        parts_.clear();
        callback = std::exchange(callback_, nullptr);
    }
    if (callback) callback();
}

Responder::Responder(std::shared_ptr<Answer> answer) : answer_(std::move(answer)) {}
Responder::~Responder() {
    if (answer_ != nullptr) answer_->abandon();
}
void Responder::send(Response response) { answer_->send(std::move(response)); }
void Responder::begin_stream(Headers headers) { answer_->begin_stream(std::move(headers)); }
bool Responder::push(std::string_view data) { return answer_->push(data); }
void Responder::finish(std::string_view data) { answer_->finish(data); }
void Responder::drop() { answer_->drop(); }
void Responder::on_closed(std::function<void()> callback) {
    answer_->on_closed(std::move(callback));
}

}  // namespace paddock::net
