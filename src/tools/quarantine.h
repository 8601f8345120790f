// Takes things out of a workspace, while somebody may be exchanging the directories above them:
// what is removed is the very object that was judged, and never one that must be spared. What is
// taken is kept as a copy in a directory of the operator's outside: without any permission to run,
// links as files that tell their target, nothing under a name that a program would obey. Only so
// much of it in a session (limits::kQuarantine...).
//
//   QUARANTINE/<session>/<number>/origin         where it was
//   QUARANTINE/<session>/<number>/<name>.kept    what it was, a file or a directory; so end all
//                                                names below as well
//   QUARANTINE/<session>/<number>/<name>.link    the target of a link, also below
//
// Nothing passes a link. One thread at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include <paddock/limits.h>
#include <paddock/root.h>

#include "base/outcome.h"

namespace paddock::tools {

class Quarantine {
public:
    using Spares = std::function<bool(const Stat&)>;

    // `workspace` passes no link. Without `where` nothing is kept.
    Quarantine(Root workspace, std::optional<Root> where, Spares spares);

    // Copies what is at `path`, if it is `judged`. Its name below the quarantine, or empty if it is
    // not kept: there is none, it is too large, it cannot be read, or it is another object by now.
    // What is exchanged below it meanwhile may be copied instead.
    std::string keep(const std::string& path, const Stat& judged);

    // Keeps and removes the name and all below. Directories below that do not let it are made to;
    // what cannot go all the same stays, and nothing beside it.
    struct Taken {
        std::string kept;
        Done removed;  // race: `path` does not lead to `judged` any more, and nothing was done
    };
    Taken take(const std::string& path, const Stat& judged);

private:
    Done make_session();
    // `lost` counts what could not be kept.
    Done copy(const std::string& from, const Stat& judged, const std::string& to,
              std::size_t& lost);
    Done copy_tree(const std::string& from, const std::string& to, std::size_t& lost);
    Done copy_one(const std::string& from, const std::string& to, FileType type);
    Done remove(const std::string& path, const Stat& judged) const;
    void drop(const std::string& kept) const;

    const Root workspace_;
    const std::optional<Root> where_;
    const Spares spares_;
    std::string session_{};  // its directory, once it is there
    std::uint64_t number_ = 0;
    std::uint64_t bytes_left_ = limits::kQuarantineBytesMax;
    std::uint64_t names_left_ = limits::kQuarantineNamesMax;
};

}  // namespace paddock::tools
