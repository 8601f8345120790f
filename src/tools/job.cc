#include "tools/job.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <utility>

#include <paddock/limits.h>

#include "base/utf8.h"
#include "sys/io.h"
#include "sys/process.h"

namespace paddock::tools {
namespace {

constexpr std::size_t kHeadBytesMax = limits::kCommandOutputBytesMax / 2;
constexpr std::size_t kTailBytesMax = limits::kCommandOutputBytesMax - kHeadBytesMax;
// What is dropped at once, so that it is not moved for every line.
constexpr std::size_t kTailSlackBytes = kTailBytesMax / 8;

// The beginning of `text`, at most `bytes_max`, to the end of a character, and of a line if one
// ends shortly before.
std::string_view head_of(std::string_view text, std::size_t bytes_max) {
    const std::string_view head = cut_utf8(text, bytes_max);
    if (head.size() == text.size()) return head;
    const std::size_t newline = head.rfind('\n');
    const bool is_near = newline != head.npos && head.size() - newline <= bytes_max / 8;
    return is_near ? head.substr(0, newline + 1) : head;
}

// Without a character at its end of which the rest may follow.
std::size_t size_in_characters(std::string_view text) {
    for (std::size_t back = 1; back <= std::min<std::size_t>(3, text.size()); ++back) {
        const Character last = first_character(text.substr(text.size() - back));
        if (last.cut) return text.size() - back;
        if (last.valid) break;
    }
    return text.size();
}

bool continues_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80; }

// The end of `text`, at most `bytes_max`, from the start of a character, and of a line if one
// starts soon.
std::string_view tail_of(std::string_view text, std::size_t bytes_max) {
    std::size_t begin = text.size() - std::min(text.size(), bytes_max);
    while (begin < text.size() && continues_character(text[begin])) ++begin;
    const std::size_t newline = text.find('\n', begin);
    if (newline != text.npos && newline - begin < bytes_max / 8) begin = newline + 1;
    return text.substr(begin);
}

}  // namespace

KeptOutput::KeptOutput(std::optional<secrets::SecretScanner> filter, text::Screen screen)
    : screen_(std::move(screen)) {
    if (filter) filter_.emplace(std::move(*filter));
}

std::string KeptOutput::keep(std::string text) {
    std::string_view rest = text;
    if (tail_.empty()) {
        const std::string_view fits = cut_utf8(rest, kHeadBytesMax - head_.size());
        head_ += fits;
        rest.remove_prefix(fits.size());
    }
    tail_ += rest;
    if (tail_.size() > kTailBytesMax) {
        const std::size_t before = tail_.size();
        tail_ = tail_of(tail_, kTailBytesMax - kTailSlackBytes);
        dropped_ += before - tail_.size();
    }
    return text;
}

std::string KeptOutput::add(std::string_view piece) {
    const std::lock_guard lock(mutex_);
    std::string lines;
    screen_.feed(piece, lines);
    if (!filter_) return keep(std::move(lines));
    std::string certain;
    filter_->feed(lines, certain);
    return keep(std::move(certain));
}

std::string KeptOutput::finish() {
    const std::lock_guard lock(mutex_);
    over_ = true;
    std::string lines;
    screen_.finish(lines);
    if (!filter_) return keep(std::move(lines));
    std::string held_back;
    filter_->feed(lines, held_back);
    filter_->finish(held_back);
    return keep(std::move(held_back));
}

void KeptOutput::settle() {
    const std::lock_guard lock(mutex_);
    settled_ = true;
}

std::string KeptOutput::rest() const {
    const std::lock_guard lock(mutex_);
    return uncertain();
}

std::string KeptOutput::uncertain() const {
    const std::string shown = screen_.shown();
    if (!filter_) return shown;
    return settled_ ? filter_->rest(shown) : filter_->settled_rest(shown);
}

bool KeptOutput::has_application_keys() const {
    const std::lock_guard lock(mutex_);
    return screen_.has_application_keys();
}

std::string KeptOutput::from(std::uint64_t& begin) const {
    if (dropped_ > 0 && begin < head_.size()) return head_.substr(begin);
    const std::uint64_t tail = head_.size() + dropped_;
    if (dropped_ > 0) begin = std::max(begin, tail);
    const std::string rest = uncertain();
    begin = std::min(begin, certain() + rest.size());
    std::string text = begin < head_.size() ? head_.substr(begin) : std::string();
    std::uint64_t skipped = begin - std::min<std::uint64_t>(begin, tail);
    for (const std::string_view piece : {std::string_view(tail_), std::string_view(rest)}) {
        text += piece.substr(std::min<std::uint64_t>(skipped, piece.size()));
        skipped -= std::min<std::uint64_t>(skipped, piece.size());
    }
    return text;
}

KeptOutput::Part KeptOutput::part(std::uint64_t begin, std::size_t bytes_max) const {
    const std::lock_guard lock(mutex_);
    std::string text = from(begin);
    std::uint64_t end = certain();
    std::uint64_t total = end + uncertain().size();
    const bool ends_at_gap = dropped_ > 0 && begin < head_.size();
    if (!over_ && !ends_at_gap) {
        total -= text.size() - size_in_characters(text);
        text.resize(size_in_characters(text));
        // Nor is a character certain of which only the beginning is.
        const std::string& last = tail_.empty() ? head_ : tail_;
        end -= last.size() - size_in_characters(last);
    }
    const std::string_view shown = head_of(text, bytes_max);
    return {std::string(shown), begin, std::min<std::uint64_t>(begin + shown.size(), end), total};
}

std::string KeptOutput::excerpt(std::size_t bytes_max, std::string_view id) const {
    const std::lock_guard lock(mutex_);
    std::uint64_t begin = 0;
    const std::string first = from(begin);
    if (dropped_ == 0 && first.size() <= bytes_max) return first;
    begin = head_.size() + dropped_;
    const std::string last = dropped_ > 0 ? from(begin) : std::string();
    const std::uint64_t total = certain() + uncertain().size();
    const std::string_view head = head_of(first, bytes_max / 3);
    const std::string_view tail = tail_of(dropped_ > 0 ? last : first, bytes_max - head.size());
    std::string text(head);
    if (!text.ends_with('\n')) text += '\n';
    text += "[bytes " + std::to_string(head.size()) + " to " + std::to_string(total - tail.size()) +
            " of " + std::to_string(total) + " left out";
    if (dropped_ > 0) {
        text += ", " + std::to_string(dropped_) + " bytes from " + std::to_string(head_.size()) +
                " on not kept";
    }
    if (!id.empty()) {
        text += "; read " + std::string(dropped_ > 0 ? "the others" : "them") +
                " with bash_output, id '" + std::string(id) +
                "', offset=" + std::to_string(head.size());
    }
    return text.append("]\n").append(tail);
}

std::string KeptOutput::end(std::size_t bytes_max) const {
    const std::lock_guard lock(mutex_);
    const std::uint64_t kept = certain();
    std::uint64_t begin = kept - std::min<std::uint64_t>(kept, bytes_max);
    const bool is_all = begin == 0;
    std::string last = from(begin);
    if (begin < head_.size() && dropped_ > 0) {
        begin = head_.size();
        last += from(begin);
    }
    return is_all && last.size() <= bytes_max ? last : std::string(tail_of(last, bytes_max));
}

std::size_t KeptOutput::secrets() const {
    const std::lock_guard lock(mutex_);
    return filter_ ? filter_->count() : 0;
}

std::string_view beyond(std::string_view seen, std::string_view all) {
    if (all.starts_with(seen)) return all.substr(seen.size());
    const auto differs = std::mismatch(seen.begin(), seen.end(), all.begin(), all.end());
    const auto same = all.substr(0, static_cast<std::size_t>(differs.second - all.begin()));
    return all.substr(same.rfind('\n') + 1);
}

namespace {

constexpr std::size_t kReadBytes = 65536;

bool can_be_read(int fd) {
    std::array<sys::Watched, 1> watched{sys::Watched{fd}};
    const auto ready = sys::wait_readable(watched, std::chrono::milliseconds(0));
    return ready && *ready;
}

}  // namespace

Job::Job(Parts parts, std::optional<secrets::SecretScanner> filter)
    : parts_(std::move(parts)),
      output_(std::move(filter),
              parts_.terminal ? text::Screen(*parts_.terminal) : text::Screen()) {}

// What is not certain yet is shown when nothing follows it for a while; what then becomes certain
// is shown from there on.
void Job::show(const Progress& progress, const std::string& certain, bool with_rest) {
    if (!progress) return;
    std::string rest = with_rest ? output_.rest() : std::string();
    const std::string all = certain + rest;
    const std::string_view news = beyond(shown_ahead_, all);
    const bool goes_on = all.starts_with(shown_ahead_) || shown_ahead_.ends_with('\n');
    if (!news.empty()) progress(goes_on ? std::string(news) : "\n" + std::string(news));
    if (with_rest || !certain.empty()) shown_ahead_ = std::move(rest);
}

void Job::take_output(const Progress& progress) {
    std::array<char, kReadBytes> buffer;  // NOLINT(cppcoreguidelines-pro-type-member-init)
    const auto got = sys::read(parts_.output.get(), buffer.data(), buffer.size());
    if (!got && sys::would_block(got.error())) return;
    if (got && *got > 0) {
        show(progress, output_.add(std::string_view(buffer.data(), *got)), false);
        return;
    }
    show(progress, output_.finish(), false);
    close_output();
}

std::optional<std::size_t> Job::write_input(std::string_view bytes) {
    const std::lock_guard lock(input_mutex_);
    if (!parts_.input.valid()) return std::nullopt;
    std::size_t written = 0;
    while (written < bytes.size()) {
        const auto took = sys::write_now(parts_.input.get(), bytes.substr(written));
        if (!took || *took == 0) break;
        written += *took;
    }
    return written;
}

void Job::end_input() {
    const std::lock_guard lock(input_mutex_);
    parts_.input.reset();
    parts_.input_reader.reset();
}

void Job::close_output() {
    // Of a terminal both are one: nobody is at the other side any more.
    if (has_terminal()) end_input();
    parts_.output.reset();
    const std::lock_guard lock(mutex_);
    state_.output_open = false;
}

// What has been printed already, and no more: a process that was left behind may print for ever.
void Job::drain(const Progress& progress) {
    constexpr int kReadsMax = static_cast<int>(limits::kCommandOutputBytesMax / kReadBytes);
    for (int i = 0; i < kReadsMax && state().output_open; ++i) {
        if (!can_be_read(parts_.output.get())) break;
        take_output(progress);
    }
    show(progress, {}, true);
}

void Job::wait_for_end(Clock::duration patience) const {
    std::unique_lock lock(mutex_);
    ended_.wait_for(lock, patience, [this] { return !state_.running; });
}

bool Job::has_ended(const Attendance& attendance) {
    if (!can_be_read(parts_.process.status.get())) return false;
    const auto record = sandbox::read_exit(parts_.process.status.get());
    const auto duration = Clock::now() - parts_.process.begin;
    // Of one that was ended the reason is known already.
    const bool exceeds_quota =
        !is_blamed() && attendance.exceeds_quota && attendance.exceeds_quota();
    output_.settle();
    drain(attendance.progress);
    const std::lock_guard lock(mutex_);
    state_.running = false;
    state_.duration = duration;
    state_.exceeds_quota = exceeds_quota;
    if (record) state_.exit = *record;
    const EndedBy by = state_.exit ? EndedBy::kItself : EndedBy::kSession;
    state_.ended_by = blamed_.value_or(by);
    ended_.notify_all();
    return true;
}

EndedBy Job::attend(const Attendance& attendance) {
    const std::stop_callback wake_up(attendance.cancel, [this] { sys::wake(parts_.wakeup.get()); });
    auto next_check = Clock::now() + kCommandCheckPause;
    for (;;) {
        const auto now = Clock::now();
        if (attendance.cancel.stop_requested()) return EndedBy::kCancel;
        if (attendance.deadline && now >= *attendance.deadline) return EndedBy::kTimeout;
        if (attendance.check && now >= next_check) {
            if (const auto limit = attendance.check()) return *limit;
            next_check = Clock::now() + kCommandCheckPause;
        }
        const auto until = std::min(attendance.check ? next_check : Clock::time_point::max(),
                                    attendance.deadline.value_or(Clock::time_point::max()));
        std::optional<std::chrono::milliseconds> at_most;
        if (until != Clock::time_point::max()) {
            at_most = std::chrono::ceil<std::chrono::milliseconds>(until - now);
        }
        const int output = state().output_open ? parts_.output.get() : -1;
        std::array<sys::Watched, 3> watched{sys::Watched{output},
                                            sys::Watched{parts_.process.status.get()},
                                            sys::Watched{parts_.wakeup.get()}};
        const auto waited = sys::wait_readable(watched, at_most);
        if (!waited) return EndedBy::kSession;
        if (!*waited) show(attendance.progress, {}, true);
        if (watched[0].ready) take_output(attendance.progress);
        if (watched[2].ready) sys::rest(parts_.wakeup.get());
        if (watched[1].ready && has_ended(attendance)) return state().ended_by;
    }
}

void Job::linger(const std::stop_token& stop) {
    const std::stop_callback wake_up(stop, [this] { sys::wake(parts_.wakeup.get()); });
    while (!stop.stop_requested() && state().output_open) {
        std::array<sys::Watched, 2> watched{sys::Watched{parts_.output.get()},
                                            sys::Watched{parts_.wakeup.get()}};
        if (!sys::wait_readable(watched)) break;
        if (watched[0].ready) take_output({});
        if (watched[1].ready) sys::rest(parts_.wakeup.get());
    }
}

std::string Job::last_directory() const {
    std::array<char, limits::kPathBytesMax + 2> buffer;  // NOLINT(*-member-init)
    const auto got = sys::read(parts_.report.get(), buffer.data(), buffer.size());
    if (!got || *got == 0 || buffer[*got - 1] != '\n') return {};
    return std::string(buffer.data(), *got - 1);
}

Job::State Job::state() const {
    const std::lock_guard lock(mutex_);
    State now = state_;
    if (now.running) now.duration = Clock::now() - parts_.process.begin;
    return now;
}

sandbox::DenialLog Job::denials() {
    const std::lock_guard lock(mutex_);
    const int report = parts_.process.denials.get();
    if (report >= 0 && !denials_.read(report)) denials_.add_more();
    return denials_;
}

void Job::add_denials(const sandbox::DenialLog& more) {
    const std::lock_guard lock(mutex_);
    denials_.add(more);
}

Job::News Job::take_news(std::size_t bytes_max) {
    const std::lock_guard lock(news_mutex_);
    const KeptOutput::Part part = output_.part(given_, bytes_max + given_ahead_.size());
    const std::uint64_t dropped = part.begin - std::min(given_, part.begin);
    // Nobody has seen anything of what follows a gap.
    std::string news(dropped > 0 ? part.text : beyond(given_ahead_, part.text));
    given_ = part.end;
    given_ahead_ = part.text.substr(part.end - part.begin);
    return {std::move(news), dropped, part.total - part.begin - part.text.size(), part.total};
}

bool Job::is_blamed() const {
    const std::lock_guard lock(mutex_);
    return blamed_.has_value();
}

void Job::blame(EndedBy cause) {
    const std::lock_guard lock(mutex_);
    if (!blamed_) blamed_ = cause;
}

namespace {

constexpr std::string_view kProcessesSetting = "bash.limits.processes";
constexpr std::string_view kMemorySetting = "bash.limits.memory_bytes";
constexpr std::string_view kScratchSetting = "bash.limits.scratch_bytes";
constexpr std::string_view kDiskReserveSetting = "bash.limits.disk_reserve_bytes";
constexpr std::string_view kHomeSetting = "bash.limits.home_bytes";
constexpr std::string_view kQuotaSetting = "limits.bytes_on_disk";

std::string bytes_text(std::uint64_t bytes) { return std::to_string(bytes >> 20U) + " MB"; }

// What programs print when the kernel refuses them more.
struct Mention {
    std::string_view words;
    std::string_view name;
    std::string_view setting;
};
constexpr std::array<Mention, 3> kMentions{{
    {"Too many open files", "open files", "bash.limits.open_files"},
    {"No space left on device", "scratch", kScratchSetting},
    {"fork: Resource temporarily unavailable", "processes", kProcessesSetting},
}};

}  // namespace

std::string MetLimit::named() const {
    const std::string told = text + " (limit: " + std::string(name) + ")";
    return remedy.empty() ? told : told + "; " + std::string(remedy);
}

sandbox::Denial MetLimit::denial() const {
    const auto key = setting == kNothing ? name : setting.substr(setting.rfind('.') + 1);
    return {sandbox::Wall::kLimit, sandbox::DeniedOperation::kExceed,
            std::string(key),      text,
            layer_name(layer),     setting};
}

std::optional<MetLimit> ending_limit(EndedBy cause, const CommandLimits& limits) {
    switch (cause) {
        case EndedBy::kTimeout:
            return MetLimit{.name = "timeout_ms",
                            .text = "it reached its time limit",
                            .remedy =
                                "give a larger timeout_ms (milliseconds), or use run_in_background "
                                "for long work"};
        case EndedBy::kProcesses:
            return MetLimit{"processes",
                            "there were " + std::to_string(limits.processes) + " processes",
                            kProcessesSetting};
        case EndedBy::kMemory:
            return MetLimit{"memory",
                            "more than " + bytes_text(limits.memory_bytes) + " of memory was used",
                            kMemorySetting};
        case EndedBy::kQuota: return MetLimit{"disk", "it filled the workspace", kQuotaSetting};
        case EndedBy::kHome:
            return MetLimit{.name = "home",
                            .text = "it filled the home of commands, which is limited to " +
                                    bytes_text(limits.home_bytes),
                            .setting = kHomeSetting,
                            .remedy = "remove caches there; the operator can run `paddock clean`"};
        case EndedBy::kDiskReserve:
            return MetLimit{"disk",
                            "it left less than " + bytes_text(limits.disk_reserve_bytes) +
                                " free on the workspace's disk",
                            kDiskReserveSetting};
        case EndedBy::kUnattended:
            return MetLimit{"threads", "the host had no thread left to supervise it"};
        default: return std::nullopt;
    }
}

MetLimit exceeded_quota() {
    return {.name = "disk",
            .text = "the workspace is over its quota",
            .setting = kQuotaSetting,
            .remedy = "remove files; until then commands cannot write"};
}

std::optional<MetLimit> kernel_limit(const sandbox::ExitRecord& exit, const CommandLimits& limits) {
    constexpr int kShellAddsToSignal = 128;
    const bool too_large = exit.signal == SIGXFSZ ||
                           (exit.signal == 0 && exit.exit_code == kShellAddsToSignal + SIGXFSZ);
    if (too_large) {
        return MetLimit{"file size", "a file grew beyond " + bytes_text(limits.file_bytes),
                        "bash.limits.file_bytes"};
    }
    if (exit.memory_kills > 0) {
        return MetLimit{"memory", "the memory was used up", kMemorySetting, Layer::kCgroup};
    }
    if (exit.processes_refused > 0) {
        return MetLimit{"processes", "no more processes could be made", kProcessesSetting,
                        Layer::kCgroup};
    }
    return std::nullopt;
}

std::optional<MetLimit> mentioned_limit(std::string_view last_words, const CommandLimits& limits) {
    for (const Mention& mention : kMentions) {
        if (last_words.find(mention.words) == last_words.npos) continue;
        const std::string why =
            "it printed '" + std::string(mention.words) + "', perhaps because of this limit";
        const bool is_memory =
            mention.setting == kScratchSetting && limits.memory_bytes < limits.scratch_bytes;
        return is_memory ? MetLimit{"memory", why, kMemorySetting}
                         : MetLimit{mention.name, why, mention.setting};
    }
    return std::nullopt;
}

}  // namespace paddock::tools
