#include "tools/files.h"

#include <algorithm>
#include <array>
#include <mutex>

#include <paddock/limits.h>

#include "fs/readable.h"
#include "fs/report.h"
#include "text/diff.h"
#include "text/quote.h"
#include "text/similar.h"

namespace paddock::tools {
namespace {

// Changes to one path take turns within this process, whichever session makes them.
std::mutex& turn_of(const std::string& canonical) {
    static std::array<std::mutex, 64> turns;
    return turns[std::hash<std::string>{}(canonical) % turns.size()];
}

struct Split {
    std::string_view parent;  // "." for a name in the root
    std::string_view leaf;
};

Split split(std::string_view path) {
    const std::size_t slash = path.rfind('/');
    if (slash == std::string_view::npos) return {".", path};
    return {path.substr(0, slash), path.substr(slash + 1)};
}

std::string joined(std::string_view directory, std::string_view name) {
    if (directory == ".") return std::string(name);
    return std::string(directory).append("/").append(name);
}

// A Root that passes no link says so as an escape; whether it is one, the other Root tells.
bool met_a_link(const Error& error) { return error.code == Code::kPathEscape; }

}  // namespace

Files::Files(Root root, Root linkless, std::string base, policy::PathRules rules,
             policy::Meter& meter, ReadTracker* reads)
    : root_(std::move(root)),
      linkless_(std::move(linkless)),
      base_(std::move(base)),
      rules_(std::move(rules)),
      meter_(meter),
      reads_(reads) {}

std::string Files::ruled(std::string_view canonical) const {
    if (base_.empty()) return std::string(canonical);
    if (canonical == base_) return ".";
    if (canonical.starts_with(base_ + "/")) return std::string(canonical.substr(base_.size() + 1));
    return std::string(canonical);
}

std::string Files::ruled_directory(std::string_view canonical) const {
    std::string directory = ruled(canonical);
    return directory == "." ? std::string() : directory;
}

std::string Files::shown(std::string_view canonical) const {
    std::string path = ruled(canonical);
    const bool outside = !base_.empty() && path == canonical;
    return text::quote_if_needed(outside ? "/" + path : path);
}

std::string Files::shown_name(std::string_view name) { return text::quote_if_needed(name); }

std::string Files::written(std::string_view path) const {
    auto bytes = text::unquote(path);
    std::string name = bytes ? std::move(*bytes) : std::string(path);
    if (base_.empty() || name.starts_with('/')) return name;
    return base_ + "/" + name;
}

Problem Files::denied(std::string_view path, std::string_view rule, PathAccess access) const {
    std::string text = "'" + shown(path) + "' is ";
    text += access == PathAccess::kDeny ? "protected" : "read-only";
    text += " by the workspace's rule '" + std::string(rule) + "'. Work with another file.";
    return Problem(Code::kDeniedByRule, std::move(text));
}

bool Files::hides(std::string_view canonical) const {
    return rules_.decide(ruled(canonical)).access == PathAccess::kDeny;
}

bool Files::protects(std::string_view canonical) const {
    return rules_.decide(ruled(canonical)).access != PathAccess::kAllow;
}

Attempt<void> Files::check(std::string_view canonical, std::string_view path,
                           Purpose purpose) const {
    const auto decision = rules_.decide(ruled(canonical));
    const bool refused = decision.access == PathAccess::kDeny ||
                         (purpose == Purpose::kChange && decision.access != PathAccess::kAllow);
    if (refused) return denied(path, decision.pattern, decision.access);
    return {};
}

// The name as written and where it leads must both be allowed.
Attempt<Resolution> Files::resolve(std::string_view path, Purpose purpose) const {
    const auto lexical = root_.normalized(path);
    if (!lexical) return lexical.error();
    if (auto allowed = check(*lexical, path, purpose); !allowed) return allowed.error();
    const auto found = root_.resolve(path);
    if (!found) return found.error();
    if (auto allowed = check(found->path, path, purpose); !allowed) return allowed.error();
    return *found;
}

Attempt<OpenFile> Files::open(std::string_view given) const {
    const std::string path = written(given);
    const auto lexical = root_.normalized(path);
    if (!lexical) return lexical.error();
    if (auto allowed = check(*lexical, path, Purpose::kLook); !allowed) return allowed.error();
    const bool as_directory = path.ends_with('/');
    auto handle = linkless_.open_file(as_directory ? *lexical + "/" : *lexical);
    if (handle) return OpenFile{*lexical, std::move(*handle)};
    if (!met_a_link(handle.error())) {
        Error error = handle.error();
        error.path = path;
        return error;
    }
    const auto found = resolve(path, Purpose::kLook);
    if (!found) return found.error();
    handle = linkless_.open_file(as_directory ? found->path + "/" : found->path);
    if (handle) return OpenFile{found->path, std::move(*handle)};
    Error error = handle.error();
    if (met_a_link(error)) error.code = Code::kRace;
    error.path = path;
    return error;
}

Attempt<FileContent> Files::read(std::string_view path, std::uint64_t bytes_max) const {
    auto file = open(path);
    if (!file) return file.error();
    const Stat& stat = file->handle.stat();
    auto bytes = fs::read_content(file->handle.fd(), stat.size, bytes_max);
    if (!bytes) return fs::as_error(bytes.error(), "read", written(path));
    if (auto allowed = count_read(bytes->size()); !allowed) return allowed.error();
    return FileContent{std::move(file->path), stat, std::move(*bytes)};
}

Attempt<void> Files::count_read(std::uint64_t bytes) const {
    if (meter_.add_read(bytes)) return {};
    return Problem(Code::kQuotaExceeded,
                   "This session has read as much as it may. Ask the operator for more.");
}

Attempt<std::string> Files::directory(std::string_view given) const {
    const std::string path = written(given);
    const auto found = resolve(path, Purpose::kLook);
    if (!found) return found.error();
    const auto opened = linkless_.open_directory(found->path);
    if (opened) return found->path;
    Error error = opened.error();
    error.path = path;
    return error;
}

Attempt<std::string> Files::start_of_search(std::string_view given) const {
    const std::string path = written(given);
    const auto found = resolve(path, Purpose::kLook);
    if (!found) return found.error();
    if (!found->exists) return missing(given);
    return found->path;
}

std::function<bool(std::string_view, FileType)> Files::visibility() const {
    return [this](std::string_view path, FileType) { return !hides(path); };
}

Attempt<std::string> Files::name(std::string_view given) const {
    const std::string path = written(given);
    const auto lexical = root_.normalized(path);
    if (!lexical) return lexical.error();
    if (*lexical == ".") return std::string(".");
    const Split parts = split(*lexical);
    if (auto allowed = check(*lexical, path, Purpose::kLook); !allowed) return allowed.error();
    const auto parent = resolve(parts.parent, Purpose::kLook);
    if (!parent) return parent.error();
    std::string canonical = joined(parent->path, parts.leaf);
    if (auto allowed = check(canonical, path, Purpose::kLook); !allowed) return allowed.error();
    return canonical;
}

Attempt<Stat> Files::stat_name(const std::string& canonical) const {
    const auto stat = linkless_.lstat(canonical);
    if (!stat) return stat.error();
    return *stat;
}

Attempt<LinkTarget> Files::link_target(const std::string& canonical) const {
    const auto target = root_.readlink(canonical);
    if (!target) return target.error();
    return *target;
}

Attempt<Listing> Files::list(const std::string& canonical, std::size_t entries_max) const {
    auto listing = linkless_.list(canonical, entries_max);
    if (!listing) return listing.error();
    std::erase_if(listing->entries,
                  [&](const ListEntry& entry) { return hides(joined(canonical, entry.name)); });
    return std::move(*listing);
}

Problem Files::missing(std::string_view given) const {
    const std::string path = written(given);
    std::string text = "'" + text::quote_if_needed(given) + "' does not exist.";
    const auto lexical = root_.normalized(path);
    if (!lexical || *lexical == ".") return Problem(Code::kNotFound, std::move(text));
    const Split parts = split(*lexical);
    const auto parent = resolve(parts.parent, Purpose::kLook);
    std::vector<std::string> names;
    if (parent && parent->exists) {
        if (const auto listing = list(parent->path, limits::kNearNamesLookedAt)) {
            for (const ListEntry& entry : listing->entries) names.push_back(entry.name);
        }
    }
    std::string near;
    for (const std::string& name : text::similar_names(parts.leaf, names, 3)) {
        near += (near.empty() ? "'" : ", '") + shown(joined(parts.parent, name)) + "'";
    }
    text +=
        near.empty() ? " Check the name by listing its directory." : " Did you mean " + near + "?";
    return Problem(Code::kNotFound, std::move(text));
}

Attempt<void> Files::check_known(const FileContent& content) const {
    if (reads_ == nullptr) return {};
    if (reads_->has_been_read(content.stat.identity, content.path, content.bytes)) return {};
    const std::string name = "'" + shown(content.path) + "'";
    const auto before = reads_->last_read(content.stat.identity, content.path);
    if (!before) {
        return Problem(Code::kNotRead, name +
                                           " exists and has not been read in this session. "
                                           "Read it first, then change it.");
    }
    std::string text = name + " has changed since it was read. Read it again.";
    if (before->content) {
        const auto diff = text::unified_diff(*before->content, content.bytes, "as it was read",
                                             "as it is now", {.bytes_max = 4000});
        text += " What changed:\n" + diff.text;
    }
    return Problem(Code::kStaleRead, std::move(text));
}

Attempt<Resolution> Files::target(std::string_view path) const {
    return resolve(written(path), Purpose::kChange);
}

Attempt<Change> Files::prepare(std::string_view given) const {
    const std::string path = written(given);
    if (path.ends_with('/')) {
        return Problem(Code::kIsADirectory,
                       "'" + shown(path) + "' names a directory. Name a file.");
    }
    const auto found = resolve(path, Purpose::kChange);
    if (!found) return found.error();
    if (!found->exists) return Change{found->path, std::nullopt};
    auto content = read(found->path, limits::kReadFileBytesMax);
    if (!content) return content.error();
    if (auto known = check_known(*content); !known) return known.error();
    return Change{found->path, std::move(*content)};
}

Attempt<void> Files::count_written(std::uint64_t bytes) const {
    if (meter_.add_written(bytes)) return {};
    return Problem(Code::kQuotaExceeded,
                   "This session has written as much as it may. Ask the operator for more.");
}

Attempt<void> Files::commit(const Change& change, std::string_view content,
                            std::optional<Mode> mode) const {
    if (auto allowed = count_written(content.size()); !allowed) return allowed.error();
    WriteOptions options;
    options.make_parents = true;
    options.mode = mode;
    options.must_create = !change.old;
    if (change.old) options.replaces = change.old->stat;
    const std::lock_guard turn(turn_of(change.path));
    const auto done = linkless_.write_file(change.path, content, options);
    if (!done) return done.error();
    if (change.old && mode && (change.old->stat.mode & 0777U) != *mode) {
        if (auto set = linkless_.chmod(change.path, *mode); !set) return set.error();
    }
    if (reads_ == nullptr) return {};
    if (const auto now = linkless_.stat(change.path)) {
        reads_->mark_read(now->identity, change.path, content);
    }
    return {};
}

Attempt<void> Files::check_below(const std::string& canonical, Purpose purpose) const {
    if (!rules_.covers_something_below(ruled_directory(canonical))) return {};
    Attempt<void> verdict;
    const Status walked = linkless_.walk(canonical, [&](const WalkEntry& entry) {
        verdict = check(entry.path, entry.path, purpose);
        return verdict ? WalkAction::kContinue : WalkAction::kStop;
    });
    if (!verdict) return verdict;
    const bool is_leaf = !walked && (walked.error().code == Code::kNotADirectory ||
                                     walked.error().code == Code::kNotFound ||
                                     walked.error().code == Code::kPathEscape);
    if (!walked && !is_leaf) return walked.error();
    return {};
}

Attempt<void> Files::make_directory(const std::string& canonical) const {
    if (auto allowed = check(canonical, canonical, Purpose::kChange); !allowed) return allowed;
    const auto made = linkless_.mkdir_all(canonical);
    if (!made) return made.error();
    return {};
}

Attempt<void> Files::move(const std::string& from, const std::string& to, bool overwrite) const {
    for (const std::string& path : {from, to}) {
        if (auto allowed = check(path, path, Purpose::kChange); !allowed) return allowed;
        if (auto allowed = check_below(path, Purpose::kChange); !allowed) return allowed;
    }
    const auto done =
        linkless_.rename(from, to, overwrite ? RenameMode::kReplace : RenameMode::kNoReplace);
    if (!done) return done.error();
    return {};
}

Attempt<Copied> Files::copy(const std::string& from, const std::string& to, bool overwrite) const {
    if (auto allowed = check(from, from, Purpose::kLook); !allowed) return allowed.error();
    if (auto allowed = check_below(from, Purpose::kLook); !allowed) return allowed.error();
    Copied copied;
    const auto type = stat_name(from);
    if (!type) return type.error();
    if (auto done = copy_one(from, to, type->type, overwrite, copied); !done) return done.error();
    if (type->type != FileType::kDirectory) return copied;
    if (to.starts_with(from + "/")) {
        return Problem(Code::kInvalidArgument,
                       "A directory cannot be copied into itself. Choose another destination.");
    }
    Attempt<void> verdict;
    const Status walked = linkless_.walk(from, [&](const WalkEntry& entry) {
        const std::string target = to + std::string(entry.path.substr(from.size()));
        if (entry.failure != nullptr) ++copied.left_out;
        if (entry.failure == nullptr) {
            verdict = copy_one(std::string(entry.path), target, entry.type, overwrite, copied);
        }
        return verdict ? WalkAction::kContinue : WalkAction::kStop;
    });
    if (!verdict) return verdict.error();
    if (!walked) return walked.error();
    return copied;
}

Attempt<void> Files::copy_one(const std::string& from, const std::string& to, FileType type,
                              bool overwrite, Copied& copied) const {
    if (auto allowed = check(to, to, Purpose::kChange); !allowed) return allowed;
    Status done;
    if (type == FileType::kDirectory) {
        done = linkless_.mkdir(to);
        const bool merges = !done && overwrite && done.error().code == Code::kAlreadyExists;
        if (merges) done = Status();
    } else if (type == FileType::kRegular) {
        const auto stat = linkless_.lstat(from);
        if (!stat) return stat.error();
        if (auto allowed = count_written(stat->size); !allowed) return allowed;
        done = linkless_.copy_file(from, to, overwrite);
        ++copied.files;
    } else if (type == FileType::kSymlink) {
        const auto target = root_.readlink(from);
        if (!target) return target.error();
        done = root_.symlink(target->text, to);
        if (!done && done.error().code == Code::kPathEscape) {
            ++copied.left_out;
            return {};
        }
        ++copied.files;
    } else {
        ++copied.left_out;
    }
    if (!done) return done.error();
    return {};
}

Attempt<void> Files::remove(const std::string& canonical, bool recursive) const {
    if (auto allowed = check(canonical, canonical, Purpose::kChange); !allowed) return allowed;
    if (auto allowed = check_below(canonical, Purpose::kChange); !allowed) return allowed;
    const auto done = recursive ? linkless_.remove_all(canonical) : linkless_.remove(canonical);
    if (!done) return done.error();
    return {};
}

}  // namespace paddock::tools
