// A command of a session: its process, what it printed, how it ended.
//
// Threads: attend(), linger() and close_output() by one thread at a time, everything else by any.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include <paddock/shell.h>

#include "sandbox/denial.h"
#include "sandbox/warden.h"
#include "secrets/scanner.h"
#include "text/screen.h"

namespace paddock::tools {

// How often a running command is checked for limits that the kernel does not keep by itself.
inline constexpr std::chrono::milliseconds kCommandCheckPause{100};

// What a command printed, kept to be read again: as a terminal would show it (text/screen.h), and
// secrets replaced in that, so that no later cut can divide one. Up to a bound all of it is kept;
// beyond, its beginning and its end, and the middle is dropped.
//
// Threads: all methods may be called from any thread.

class KeptOutput {
public:
    // Without a filter nothing is replaced.
    explicit KeptOutput(std::optional<secrets::SecretScanner> filter, text::Screen screen = {});

    // Returns what became certain by it: that changes no more, and holds no half of a secret.
    std::string add(std::string_view piece);

    // Nothing more comes. Returns what the filter had held back.
    std::string finish();

    // The command has ended. Until then what may be the beginning of a secret is not shown; now
    // whoever goes on printing is not waited for.
    void settle();

    // What is not certain yet, as it looks now.
    std::string rest() const;

    bool has_application_keys() const;  // see text::Screen

    // Offsets count bytes of all that was printed, secrets replaced. Whoever goes on at `end` each
    // time misses nothing that is kept, and sees again only what was not certain yet.
    struct Part {
        std::string text;
        std::uint64_t begin = 0;  // larger than asked for: what is between was dropped
        std::uint64_t end = 0;
        std::uint64_t total = 0;  // so far
    };
    // At most `bytes_max` from `begin` on, whole characters, and whole lines if they are not long.
    // A part ends where bytes were dropped.
    Part part(std::uint64_t begin, std::size_t bytes_max) const;

    // All of it, or its beginning and its end around a mark that says what is left out, what of it
    // was dropped and, with an `id`, how to read the rest.
    std::string excerpt(std::size_t bytes_max, std::string_view id) const;

    // At most `bytes_max` of its end, whole characters.
    std::string end(std::size_t bytes_max) const;

    std::size_t secrets() const;

private:
    std::string keep(std::string text);
    std::string uncertain() const;
    std::uint64_t certain() const { return head_.size() + dropped_ + tail_.size(); }
    // What is kept from `begin` on, to the gap or to the end; `begin` moves out of the gap.
    std::string from(std::uint64_t& begin) const;

    mutable std::mutex mutex_;
    text::Screen screen_;
    std::optional<secrets::SecretStream> filter_;
    std::string head_;
    std::uint64_t dropped_ = 0;  // between the two
    std::string tail_;
    bool over_ = false;
    bool settled_ = false;
};

// Of `all`, what whoever has seen `seen` has not: what follows it, or, if that has changed since,
// the lines from the first that is another.
std::string_view beyond(std::string_view seen, std::string_view all);

// Why a command is no longer running.
enum class EndedBy : std::uint8_t {
    kItself,
    kTimeout,
    kCancel,
    kRequest,      // bash_kill
    kProcesses,    // of the session: as many as there may be
    kMemory,       // of the session: more than there may be
    kQuota,        // filled the workspace
    kHome,         // filled the home that lasts
    kDiskReserve,  // filled its disk
    kUnattended,   // there was no thread to look after it
    kSession,      // which has ended, with everything in it
};

// What to look after while a command runs.
struct Attendance {
    std::optional<std::chrono::steady_clock::time_point> deadline{};
    std::stop_token cancel{};
    std::function<void(std::string_view text)> progress{};
    // Asked now and then: a limit that the kernel does not keep by itself.
    std::function<std::optional<EndedBy>()> check{};
    // Asked once it has ended: does it leave the workspace beyond its quota?
    std::function<bool()> exceeds_quota{};
};

class Job {
public:
    using Clock = std::chrono::steady_clock;

    struct Parts {
        std::string id;
        std::string directory;  // where it begins, as Warden::directory() has it
        sandbox::Process process;
        UniqueFd output;  // what it prints, both streams; reading it never waits
        UniqueFd report;  // where the shell says its last directory; the same
        UniqueFd wakeup;  // of attend(), for a cancellation
        // Where its input is written, which never waits; invalid: it has none. With a terminal that
        // is another descriptor of `output`.
        UniqueFd input = {};
        // Held as long as `input` of a pipe is, so that writing there never raises SIGPIPE.
        UniqueFd input_reader = {};
        std::optional<text::ScreenSize> terminal = {};
    };
    Job(Parts parts, std::optional<secrets::SecretScanner> filter);

    const std::string& id() const noexcept { return parts_.id; }
    const std::string& directory() const noexcept { return parts_.directory; }
    sandbox::ProcessId process() const noexcept { return parts_.process.id; }
    const KeptOutput& output() const noexcept { return output_; }

    // What was printed since the last call of this, or has changed on the screen since.
    struct News {
        std::string text;
        std::uint64_t dropped = 0;  // bytes before it that are not kept
        std::uint64_t left = 0;     // bytes after it that are there already
        std::uint64_t total = 0;
    };
    News take_news(std::size_t bytes_max);

    bool has_terminal() const noexcept { return parts_.terminal.has_value(); }
    // Writes to its input what fits now, and says how much that was. Nothing: it has no input, or
    // that has ended.
    std::optional<std::size_t> write_input(std::string_view bytes);
    void end_input();

    // Takes in output until the command has ended (kItself, kSession), or says why it should be
    // ended. Once blamed for something it can be called again, to see the end.
    EndedBy attend(const Attendance& attendance);

    // After the end: takes in what other processes of the command go on printing, until they close
    // it or a stop is requested.
    void linger(const std::stop_token& stop);

    // Nobody hears the other processes of the command any more, and SIGPIPE ends whoever prints on.
    void close_output();

    // What the shell reported as its last directory; empty if nothing.
    std::string last_directory() const;

    struct State {
        bool running = true;
        bool output_open = true;  // somebody can still print
        EndedBy ended_by = EndedBy::kItself;
        std::optional<sandbox::ExitRecord> exit{};  // absent: running, or the session ended first
        bool exceeds_quota = false;                 // the workspace, when it ended
        Clock::duration duration{};
    };
    State state() const;
    // Until another thread's attend() has seen the end, or not so long.
    void wait_for_end(Clock::duration patience) const;

    // What it was refused so far, as far as it was seen; and a refusal that another layer knows of.
    sandbox::DenialLog denials();
    void add_denials(const sandbox::DenialLog& more);
    void blame(EndedBy cause);  // the first cause stays

private:
    using Progress = std::function<void(std::string_view text)>;

    void take_output(const Progress& progress);
    void drain(const Progress& progress);
    void show(const Progress& progress, const std::string& certain, bool with_rest);
    bool has_ended(const Attendance& attendance);
    bool is_blamed() const;

    Parts parts_;
    KeptOutput output_;

    std::string shown_ahead_;  // of what was not certain yet

    std::mutex input_mutex_;

    std::mutex news_mutex_;
    std::uint64_t given_ = 0;  // by take_news
    std::string given_ahead_;

    mutable std::mutex mutex_;
    mutable std::condition_variable ended_;
    State state_;
    std::optional<EndedBy> blamed_;
    sandbox::DenialLog denials_;
};

// A limit that a command met: what it is called, what happened, and the operator's setting behind
// it.
struct MetLimit {
    std::string_view name;
    std::string text;                     // what happened
    std::string_view setting = kNothing;  // its whole name
    Layer layer = Layer::kLimits;
    std::string_view remedy{};  // what whoever gave the command can do

    static constexpr std::string_view kNothing = "none";  // that the operator could set

    std::string named() const;  // all of it, for whoever gave the command
    sandbox::Denial denial() const;
};

// One that it was ended for.
std::optional<MetLimit> ending_limit(EndedBy cause, const CommandLimits& limits);

// One that is exceeded when it has ended by itself.
MetLimit exceeded_quota();

// One that the kernel keeps by itself.
std::optional<MetLimit> kernel_limit(const sandbox::ExitRecord& exit, const CommandLimits& limits);

// One that the last words of a failed command speak of. The kernel tells nobody but the command of
// these; words are no proof, and the text says so.
std::optional<MetLimit> mentioned_limit(std::string_view last_words, const CommandLimits& limits);

}  // namespace paddock::tools
