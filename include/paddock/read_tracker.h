// What a session has read, so that it changes no file whose present content it does not know.
//
// A file is remembered by (device, inode, hash of its content): a path alias is the same file, a
// changed content is not the same read. Its path is remembered too, to tell "changed since" from
// "never read" when the inode is new, and to recognise an unchanged content under a new inode, also
// one that another file had before.
//
// Threads: all methods may be called at any time. Bounded: the files read longest ago are forgotten
// first, and count as not read.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <paddock/handle.h>

namespace paddock {

class ReadTracker {
public:
    ReadTracker();
    ~ReadTracker();
    ReadTracker(const ReadTracker&) = delete;
    ReadTracker& operator=(const ReadTracker&) = delete;

    void mark_read(const Identity& file, std::string_view path, std::string_view content);

    // The same for a content that passes by in pieces.
    class Passing {
    public:
        explicit Passing(const ReadTracker& tracker);
        ~Passing();
        Passing(const Passing&) = delete;
        Passing& operator=(const Passing&) = delete;
        void add(std::string_view piece);

    private:
        friend class ReadTracker;
        struct State;
        std::unique_ptr<State> state_;
    };
    void mark_read(const Identity& file, std::string_view path, Passing&& content);

    // Was this file, or a file at this path, read with just this content?
    bool has_been_read(const Identity& file, std::string_view path, std::string_view content) const;

    // Was any file read with just this content?
    bool knows_content(std::string_view content) const;

    // What was read at this path last, whatever is there now. `content` is kept for small files
    // only. Not by the file: its inode may be another's by now.
    struct Remembered {
        std::optional<std::string> content;
    };
    std::optional<Remembered> last_read(std::string_view path) const;

private:
    struct Memory;
    std::unique_ptr<Memory> memory_;
};

}  // namespace paddock
