// The log of a session: one line for each record, appended before the change that it tells of.
//
// A line is sixteen fields, separated by blanks, and a final ";" that a cut line lacks:
//
//   time writer call verb path other inode birth inode birth type mode size time keeping kept ;
//
// Times are nanoseconds since 1970. In names every byte that is a blank, a control character or a
// backslash is written as a backslash and three octal digits; an empty name is "-", and that name
// itself is "\055". What a verb does not use is "-" or 0.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <paddock/handle.h>

namespace paddock::journal {

// A file, on the workspace's own file system. A number that is used again has another birth.
struct Object {
    std::uint64_t inode = 0;
    std::int64_t birth = 0;  // nanoseconds; 0: not known

    friend bool operator==(const Object&, const Object&) = default;
    friend auto operator<=>(const Object&, const Object&) = default;
};

inline Object object_of(const Stat& stat) noexcept {
    return {stat.identity.inode, stat.created.count()};
}

enum class Verb : std::uint8_t {
    kCall,  // path: the tool, other: the detail
    kMake,  // path, type
    kMade,  // object: what the writer's last kMake made. A kMake without it made nothing
    // These tell type, mode, size and changed of the object too, as they were before.
    kLink,      // path: the existing name, other: the new one; object
    kRename,    // path to other; object
    kExchange,  // path, other; object and second: what was there before
    kReplace,   // path, object, keeping: loses its name to a kRename that follows
    kWrite,     // path, object, keeping: before its content changed
    kChmod,     // path, object
    kRemove,    // path, object, keeping
    kState,     // path, object: as they are at the end of the call
    kDone,      // object, second: counts of the call, made, changed, removed, not kept
    kReverts,   // path: session, size: position; what follows takes back that record; "-": nothing
    kFailed,    // the writer's last record was not followed by its change
};

// Where what a change took away is.
enum class Keeping : std::uint8_t {
    kNone,      // lost: too large, or no room
    kInode,     // the inode itself, in the journal
    kCopy,      // a copy of its content, in the journal
    kOwn,       // the same call made it: nobody needs it
    kEmptyDir,  // it was an empty directory, nothing but a mode
};

struct Record {
    std::int64_t time = 0;
    char writer = '-';
    std::uint32_t call = 0;
    Verb verb = Verb::kFailed;
    std::string_view path = {};
    std::string_view other = {};
    Object object = {};
    Object second = {};
    FileType type = FileType::kUnknown;
    std::uint32_t mode = 0;
    std::uint64_t size = 0;
    std::int64_t changed = 0;
    Keeping keeping = Keeping::kNone;
    std::string_view kept = {};  // a name in the session's "kept"

    std::uint64_t position = 0;  // of the line in the log; not written
};

// Appends the line, with its newline.
void append_line(std::string& text, const Record& record);

// The records of a log. Lines that are cut or damaged are left out.
class Log {
public:
    explicit Log(std::string text);
    Log(const Log&) = delete;
    Log& operator=(const Log&) = delete;
    Log(Log&&) = delete;
    Log& operator=(Log&&) = delete;

    const std::vector<Record>& records() const noexcept { return records_; }

private:
    std::optional<Record> parse(std::string_view line);
    std::optional<std::string_view> parse_name(std::string_view field);

    std::string text_;
    std::deque<std::string> unescaped_;  // names that differ from their text
    std::vector<Record> records_;
};

// What a call has changed, in numbers and by name.
struct NameChange {
    enum class What : std::uint8_t { kMade, kChanged, kMoved, kRemoved };
    What what = What::kMade;
    std::string path;
    std::string from = {};  // of kMoved, which counts as changed
};

// What one call changed, by distinct names.
struct Changes {
    std::uint64_t made = 0;
    std::uint64_t changed = 0;
    std::uint64_t removed = 0;
    std::uint64_t not_kept = 0;  // changed beyond what can be undone: too large, no room

    std::uint64_t names() const noexcept { return made + changed + removed; }
    bool any() const noexcept { return names() > 0; }
    void count(NameChange::What what) noexcept {
        ++(what == NameChange::What::kMade      ? made
           : what == NameChange::What::kRemoved ? removed
                                                : changed);
    }
};

}  // namespace paddock::journal
