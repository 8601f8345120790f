#include "tools/files.h"

#include <algorithm>

#include <paddock/limits.h>

#include "base/outcome.h"
#include "base/text.h"
#include "fs/readable.h"
#include "fs/rel_path.h"
#include "git/obeyed_names.h"
#include "sys/files.h"
#include "sys/io.h"
#include "text/names.h"
#include "tools/near_paths.h"

namespace paddock::tools {
namespace {

Error has_read_enough() {
    return tool_error(Code::kQuotaExceeded,
                      "This session has reached its read limit. Ask the operator for more.");
}

// With "." for the root, as resolutions have it.
std::string_view directory_of(std::string_view path) {
    const std::string_view parent = fs::parent_of(path);
    return parent.empty() ? "." : parent;
}

// Where the next ".." of an absolute path ends, or npos.
std::size_t end_of_dotdot(std::string_view path) {
    for (std::size_t at = path.find("/.."); at != path.npos; at = path.find("/..", at + 1)) {
        if (at + 3 == path.size() || path[at + 3] == '/') return at + 3;
    }
    return path.npos;
}

// Without a boundary "link/.." is the parent of where the link leads, not of the link. What does
// not exist is left to be reduced as text.
std::string as_the_system_goes_up(std::string path) {
    if (path.find('\0') != path.npos) return path;  // no path at all
    for (std::size_t end; (end = end_of_dotdot(path)) != path.npos;) {
        const auto real = sys::real_path(path.substr(0, end).c_str());
        if (!real) return path;
        path = *real + path.substr(end);
    }
    return path;
}

bool ends_in_dots(std::string_view path) {
    return fs::leaf_of(path) == "." || fs::leaf_of(path) == "..";
}

// A Root that passes no link says so as an escape; whether it is one, the other Root tells.
bool met_a_link(const Error& error) { return error.code == Code::kPathEscape; }

}  // namespace

Result<void> OpenFile::count(std::uint64_t from, std::uint64_t bytes) {
    const std::uint64_t again = from < counted_ ? std::min(bytes, counted_ - from) : 0;
    if (from <= counted_) counted_ = std::max(counted_, from + bytes);
    if (!meter_.add_read(bytes - again)) return has_read_enough();
    return {};
}

Result<std::size_t> OpenFile::read_at(std::uint64_t position, char* buffer, std::size_t size) {
    const auto got = sys::read_at(handle_.fd(), buffer, size, position);
    if (!got) return as_error(got.error(), "read", named_);
    if (auto allowed = count(position, *got); !allowed) return allowed.error();
    return *got;
}

Result<std::string> OpenFile::read_all(std::uint64_t bytes_max) {
    auto bytes = fs::read_content(handle_.fd(), stat().size, bytes_max);
    if (!bytes) return as_error(bytes.error(), "read", named_);
    if (auto allowed = count(0, bytes->size()); !allowed) return allowed.error();
    return std::move(*bytes);
}

Files::Files(Setup setup)
    : root_(std::move(setup.root)),
      linkless_(std::move(setup.linkless)),
      base_(std::move(setup.base)),
      prefix_(std::move(setup.prefix)),
      read_only_(setup.read_only),
      rules_(setup.rules),
      recorder_(setup.recorder),
      hidden_(setup.hidden),
      meter_(setup.meter),
      disk_(setup.disk),
      reads_(setup.reads),
      scanner_(setup.scanner),
      ignored_(std::move(setup.ignored)),
      judge_(linkless_, base_, rules_,
             {.is_own = [this](const Stat& stat) { return recorder_.is_own(stat); },
              .is_secret = [this](const std::string& path,
                                  const Stat& stat) { return hidden_.is_secret(path, stat); },
              .repositories = [this] { return hidden_.repositories(); },
              .home = std::move(setup.home),
              .changes = [this] { return recorder_.shared_count(); },
              .count_change = [this] { recorder_.increase_shared_count(); }}) {}

std::string_view Files::ruled(std::string_view canonical) const {
    if (base_.empty() || !canonical.starts_with(base_)) return canonical;
    if (canonical.size() == base_.size()) return ".";
    return canonical[base_.size()] == '/' ? canonical.substr(base_.size() + 1) : canonical;
}

std::string_view Files::ruled_directory(std::string_view canonical) const {
    const std::string_view directory = ruled(canonical);
    return directory == "." ? std::string_view() : directory;
}

std::string Files::named(std::string_view canonical) const {
    if (!prefix_.empty()) return canonical == "." ? prefix_ : fs::joined(prefix_, canonical);
    const std::string_view path = ruled(canonical);
    const bool outside = !base_.empty() && path == canonical;
    return outside ? "/" + std::string(path) : std::string(path);
}

std::string Files::named_given(std::string_view path) {
    return text::unquote(path).value_or(std::string(path));
}

std::string Files::shown(std::string_view canonical) const {
    return text::quote_if_needed(named(canonical));
}

std::string Files::shown_directory(std::string_view canonical) const {
    return text::quote_if_needed(named(canonical) + "/");
}

std::string Files::shown_given(std::string_view path) {
    return text::quote_if_needed(named_given(path));
}

Error Files::with_shown_path(Error error) const {
    error.path = named(error.path);
    return error;
}

Error Files::with_shown_path(Error error, std::string_view given) {
    error.path = named_given(given);
    return error;
}

std::string Files::written(std::string_view path) const {
    std::string name = named_given(path);
    if (base_.empty()) return name;
    return as_the_system_goes_up(name.starts_with('/') ? name : "/" + base_ + "/" + name);
}

bool Files::names_directory(std::string_view path) {
    return path.ends_with('/') || ends_in_dots(path);
}

bool Files::hides(std::string_view canonical) const { return judge_.look(canonical).has_value(); }

Result<Handle> Files::open_to_read(std::string_view path) const {
    auto handle = linkless_.open_file(path);
    if (handle && hidden_.holds(*handle)) {
        return as_error(refuse(Code::kDeniedByRule), "open", path);
    }
    return handle;
}

// The name as written and where it leads must both be allowed.
Result<Resolution> Files::resolve(std::string_view path, std::string_view given,
                                  Purpose purpose) const {
    const auto lexical = root_.normalized(path);
    if (!lexical) return with_shown_path(lexical.error(), given);
    if (auto allowed = check(*lexical, purpose, given); !allowed) return allowed.error();
    const auto found = root_.resolve(path);
    if (!found) return with_shown_path(found.error(), given);
    if (auto allowed = check(found->path, purpose, given); !allowed) return allowed.error();
    return *found;
}

Result<Resolution> Files::resolve_parent(std::string_view parent, std::string_view given) const {
    const auto found = root_.resolve(parent);
    if (!found) return with_shown_path(found.error(), given);
    if (auto allowed = check(found->path, Purpose::kLook, given); !allowed) return allowed.error();
    return *found;
}

Result<OpenFile> Files::open(std::string_view given) const {
    const std::string path = written(given);
    const auto lexical = root_.normalized(path);
    if (!lexical) return with_shown_path(lexical.error(), given);
    if (auto allowed = check(*lexical, Purpose::kLook, given); !allowed) return allowed.error();
    const bool as_directory = names_directory(path);
    auto handle = open_to_read(as_directory ? *lexical + "/" : *lexical);
    if (handle) return OpenFile(*lexical, named_given(given), std::move(*handle), meter_);
    if (!met_a_link(handle.error())) return with_shown_path(handle.error(), given);
    const auto found = resolve(path, given, Purpose::kLook);
    if (!found) return found.error();
    handle = open_to_read(as_directory ? found->path + "/" : found->path);
    if (handle) return OpenFile(found->path, named_given(given), std::move(*handle), meter_);
    Error error = handle.error();
    if (met_a_link(error)) error.code = Code::kRace;
    return with_shown_path(std::move(error), given);
}

Result<FileContent> Files::read(const std::string& canonical, std::uint64_t bytes_max) const {
    if (auto allowed = check(canonical, Purpose::kLook); !allowed) return allowed.error();
    auto handle = open_to_read(canonical);
    if (!handle) return with_shown_path(handle.error());
    OpenFile file(canonical, named(canonical), std::move(*handle), meter_);
    auto bytes = file.read_all(bytes_max);
    if (!bytes) return bytes.error();
    return FileContent{canonical, file.stat(), std::move(*bytes)};
}

Result<void> Files::count_read(std::uint64_t bytes) const {
    if (meter_.add_read(bytes)) return {};
    return has_read_enough();
}

std::uint64_t Files::may_still_read() const {
    const auto most = meter_.limits().bytes_read;
    if (!most) return UINT64_MAX;
    return *most - std::min(*most, meter_.usage().bytes_read);
}

Result<std::string> Files::directory(std::string_view given) const {
    const std::string path = written(given);
    const auto found = resolve(path, given, Purpose::kLook);
    if (!found) return no_directory(given, found.error());
    const auto opened = linkless_.open_directory(found->path);
    if (opened) return found->path;
    return no_directory(given, with_shown_path(opened.error(), given));
}

// With a slash at its end a file is not found as one.
Error Files::no_directory(std::string_view given, Error otherwise) const {
    if (otherwise.code != Code::kNotADirectory) return otherwise;
    const auto lexical = root_.normalized(written(given));
    if (!lexical) return otherwise;
    const auto found = resolve(*lexical, given, Purpose::kLook);
    if (!found || !found->exists || found->type == FileType::kDirectory) return otherwise;
    const bool is_file = found->type == FileType::kRegular;
    return tool_error(Code::kNotADirectory,
                      "'" + shown_given(given) + "' is a " +
                          std::string(file_type_name(found->type)) + ", not a directory. " +
                          (is_file ? "Read it with read_file, look" : "Look") +
                          " at it with file_info, or give its directory: '" +
                          shown(directory_of(found->path)) + "'.");
}

Result<std::string> Files::command_directory(std::string_view given) const {
    const auto canonical = directory(given);
    if (!canonical && canonical.error().code == Code::kNotFound) return missing(given);
    if (!canonical) return canonical.error();
    std::string path = named(*canonical);
    if (!path.starts_with('/') || !prefix_.empty()) return path;
    return tool_error(
        Code::kPathEscape,
        "'" + shown_given(given) +
            "' is outside the workspace, where commands cannot run. Give a directory inside it.");
}

Result<std::string> Files::start_of_search(std::string_view given) const {
    const std::string path = written(given);
    const auto found = resolve(path, given, Purpose::kLook);
    if (!found) return found.error();
    if (!found->exists) return missing(given);
    return found->path;
}

search::WalkOptions Files::walk(bool hidden, bool ignored) const {
    return {.hidden = hidden,
            .ignored = ignored,
            .visible = [this](std::string_view path, FileType) { return !hides(path); },
            .readable = [this](const Handle& file) { return !hidden_.holds(file); },
            .global_rules = ignored_};
}

Result<std::string> Files::name(std::string_view given) const {
    const std::string path = written(given);
    const auto lexical = root_.normalized(path);
    if (!lexical) return with_shown_path(lexical.error(), given);
    if (*lexical == ".") return std::string(".");
    if (auto allowed = check(*lexical, Purpose::kLook, given); !allowed) return allowed.error();
    const auto parent = resolve_parent(directory_of(*lexical), given);
    if (!parent) return parent.error();
    std::string canonical = fs::joined(parent->path, fs::leaf_of(*lexical));
    if (auto allowed = check(canonical, Purpose::kLook, given); !allowed) return allowed.error();
    if (names_directory(path)) {
        const auto there = linkless_.lstat(canonical);
        if (there && there->type != FileType::kDirectory) {
            return with_shown_path(as_error(refuse(Code::kNotADirectory), "look at", canonical),
                                   given);
        }
    }
    return canonical;
}

Result<std::string> Files::own_name(std::string_view given) const {
    auto canonical = name(given);
    if (canonical && *canonical != "." && ends_in_dots(written(given))) {
        return tool_error(
            Code::kInvalidArgument,
            "'" + shown_given(given) + "' ends in '.' or '..'. Give the name itself.");
    }
    return canonical;
}

bool Files::has_known(const std::string& canonical) const {
    return reads_ != nullptr && reads_->last_read(canonical);
}

Result<Stat> Files::stat_name(const std::string& canonical) const {
    const auto stat = linkless_.lstat(canonical);
    if (!stat) return with_shown_path(stat.error());
    return *stat;
}

Result<std::string> Files::link_target(const std::string& canonical) const {
    const auto own = linkless_.readlink(canonical);
    if (!own) return with_shown_path(own.error());
    const auto target = root_.readlink(canonical);
    if (!target) return with_shown_path(target.error());
    if (target->text != own->text) {
        return with_shown_path(as_error(refuse(Code::kRace), "read link", canonical));
    }
    if (target->escapes) return std::string("(outside the workspace)");
    const bool names_host = base_.empty() && target->text.starts_with('/');
    if (!names_host) return text::quote_if_needed(target->text);
    const auto inside = root_.normalized(target->text);
    if (!inside) return std::string("(outside the workspace)");
    return shown(*inside) + " (from the root)";
}

Result<Listing> Files::list(const std::string& canonical, std::size_t entries_max) const {
    auto listing = linkless_.list(canonical, entries_max);
    if (!listing) return with_shown_path(listing.error());
    std::erase_if(listing->entries,
                  [&](const ListEntry& entry) { return hides(fs::joined(canonical, entry.name)); });
    return std::move(*listing);
}

Error Files::missing(std::string_view given) const {
    const std::string text = "'" + shown_given(given) + "' does not exist. ";
    const std::string check = "Check the name by listing its directory.";
    const auto lexical = root_.normalized(written(given));
    if (!lexical || *lexical == ".") return tool_error(Code::kNotFound, text + check);
    if (const auto target = link_target(*lexical)) {
        return tool_error(Code::kNotFound, "'" + shown_given(given) + "' is a link to '" + *target +
                                               "', which does not exist. Use another file.");
    }
    std::string near;
    for (const std::string& path :
         near_paths(*this, *lexical, base_.empty() ? "." : base_, ignored_)) {
        near += (near.empty() ? "'" : ", '") + shown(path) + "'";
    }
    if (!near.empty()) return tool_error(Code::kNotFound, text + "Did you mean " + near + "?");
    const std::string above = directory_above(*this, *lexical);
    if (above == directory_of(*lexical)) return tool_error(Code::kNotFound, text + check);
    return tool_error(Code::kNotFound, text + "Its directory does not exist either. List '" +
                                           shown(above) +
                                           "', or find the file by its name with glob.");
}

// What is refused, in words.
namespace {

// What is judged costs time by the length of its path. Of paths that are too long for any call, so
// many bytes are judged for one directory: somebody may have nested names that rules mean.
constexpr std::size_t kLongPathsBytesMax = std::size_t{16} << 20;

}  // namespace

Error Files::refused(const git::Refusal& refusal, const std::string& shown) const {
    std::string text = "'" + shown + "' is ";
    text += refusal.access == PathAccess::kDeny ? "protected" : "read-only";
    text += " by the workspace's rule '" + refusal.rule + "'";
    if (!refusal.detail.empty()) text += ": " + refusal.detail;
    return tool_error(Code::kDeniedByRule, std::move(text) + ". Work with another file.");
}

Result<void> Files::allowed(const git::Verdict& verdict, std::string_view canonical) const {
    if (!verdict) return {};
    return refused(*verdict, shown(canonical));
}

// The search for what is hidden takes the turn itself: nobody waits for it with the turn held.
Result<Recorder::Change> Files::begin_change() const {
    hidden_.wait_for_search();
    return recorder_.begin();
}

Result<void> Files::check(std::string_view canonical, Purpose purpose,
                          std::optional<std::string_view> given) const {
    // Files are replaced, never changed in place.
    const auto verdict = purpose == Purpose::kLook ? judge_.look(canonical)
                                                   : judge_.make(canonical, FileType::kRegular);
    if (!verdict) return {};
    return refused(*verdict, given ? shown_given(*given) : shown(canonical));
}

Result<void> Files::check_file(const std::string& canonical, std::string_view content) const {
    if (auto fine = check(canonical, Purpose::kChange); !fine) return fine;
    if (judge_.is_commondir_of_worktree(canonical) && content != git::kCommonOfWorktree) {
        return allowed(git::Refusal{PathAccess::kReadOnly, std::string(git::kConfigRule)},
                       canonical);
    }
    if (!judge_.is_config(canonical)) return {};
    return allowed(judge_.judge_config(canonical, content), canonical);
}

Result<void> Files::check_removal(const std::string& canonical) const {
    return allowed(judge_.remove(canonical), canonical);
}

Result<void> Files::check_in(const std::string& whole, const git::Verdict& verdict,
                             const std::string& path) const {
    if (!verdict) return {};
    if (verdict->access != PathAccess::kDeny) return refused(*verdict, shown(path));
    return tool_error(Code::kDeniedByRule,
                      "'" + shown(whole) + "' holds something that the workspace's rule '" +
                          verdict->rule + "' protects. Work with another file.");
}

// What cannot be looked at is not carried away.
Result<void> Files::check_below(const std::string& directory, const std::string& named,
                                const std::stop_token& cancel) const {
    const bool gets_names = named != directory;
    git::OrdinaryNames leaving(judge_, directory);
    git::OrdinaryNames arriving(judge_, named);
    std::size_t long_bytes = 0;
    const auto check_entry = [&](const WalkEntry& entry) -> Result<void> {
        if (cancel.stop_requested()) return call_cancelled();
        if (entry.failure != nullptr) {
            return with_shown_path(as_error(*entry.failure, "look into", std::string(entry.path)));
        }
        const bool leaves_unasked = leaving.include(entry);
        const bool arrives_unasked = !gets_names || arriving.include(entry);
        if (leaves_unasked && arrives_unasked) return {};
        if (entry.path.size() > limits::kPathBytesMax) long_bytes += entry.path.size();
        if (long_bytes > kLongPathsBytesMax) {
            return tool_error(Code::kLimitReached,
                              "'" + shown(directory) +
                                  "' has too many deeply nested names to check against the rules. "
                                  "Take its parts one by one.");
        }
        if (!leaves_unasked) {
            const std::string path(entry.path);
            if (auto fine = check_in(directory, judge_.remove(path), path); !fine) return fine;
        }
        if (arrives_unasked) return {};
        const std::string path = named + std::string(entry.path.substr(directory.size()));
        return check_in(named, judge_.carry(path), path);
    };
    Result<void> verdict;
    const Status walked = linkless_.walk(directory, [&](const WalkEntry& entry) {
        verdict = check_entry(entry);
        return verdict ? WalkAction::kContinue : WalkAction::kStop;
    });
    if (!verdict) return verdict;
    const bool is_leaf = !walked && (walked.error().code == Code::kNotADirectory ||
                                     walked.error().code == Code::kNotFound ||
                                     walked.error().code == Code::kPathEscape);
    if (!walked && !is_leaf) return with_shown_path(walked.error());
    return {};
}

}  // namespace paddock::tools
