#include "tools/job.h"

#include <algorithm>
#include <array>
#include <utility>

#include <paddock/limits.h>

#include "sys/io.h"
#include "sys/stream.h"
#include "sys/wait.h"

namespace paddock::tools {
namespace {

constexpr std::size_t kReadBytes = 65536;

bool can_be_read(int fd) {
    std::array<sys::Watched, 1> watched{sys::Watched{fd}};
    const auto ready = sys::wait_readable(watched, std::chrono::milliseconds(0));
    return ready && *ready;
}

}  // namespace

Job::Job(Parts parts, std::optional<search::SecretScanner> filter)
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
    auto next_check = Clock::now() + limits::kCommandCheckPause;
    for (;;) {
        const auto now = Clock::now();
        if (attendance.cancel.stop_requested()) return EndedBy::kCancel;
        if (attendance.deadline && now >= *attendance.deadline) return EndedBy::kTimeout;
        if (attendance.check && now >= next_check) {
            if (const auto limit = attendance.check()) return *limit;
            next_check = Clock::now() + limits::kCommandCheckPause;
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

}  // namespace paddock::tools
