#include <algorithm>

#include <paddock/limits.h>

#include "fs/readable.h"
#include "fs/rel_path.h"
#include "search/sink.h"
#include "search/walk.h"
#include "text/glob.h"
#include "text/names.h"
#include "tools/answer.h"
#include "tools/call.h"
#include "tools/declaration.h"
#include "tools/search_pattern.h"
#include "tools/session.h"

namespace paddock::tools {
namespace {

class Lister {
public:
    Lister(const Session& session, const Files& files, const Arguments& arguments,
           std::vector<text::Glob> left_out, search::Interruption& interruption)
        : interruption_(interruption),
          time_max_(session.search_time()),
          files_(files),
          ignored_(files.walk(false, false).global_rules),
          depth_(static_cast<std::size_t>(arguments.integer("depth"))),
          offset_(static_cast<std::size_t>(arguments.integer("offset"))),
          sizes_(arguments.flag("sizes")),
          left_out_(std::move(left_out)) {}

    Result<void> list(const std::string& start) {
        const std::string path = start == "." ? "" : start;
        auto scope = search::ignore_scope_above(state(), path, ignored_);
        return list_level(start, 1, scope);
    }

    std::vector<ListedEntry> take() { return std::move(entries_); }

    std::string closing() const {
        Notes notes;
        const bool out_of_time = interruption_.cause() == search::Interruption::Cause::kTime;
        if (shown_ == 0 && offset_ > 0 && !has_unlisted_ && !out_of_time) {
            notes.add("There are no more entries.");
        }
        if (left_ > 0) {
            const std::size_t next = offset_ + shown_;
            const bool may_go_on = next <= static_cast<std::size_t>(limits::kListOffsetMax);
            notes.add(std::to_string(shown_) + " entries shown, at least " + std::to_string(left_) +
                      " more; " +
                      (may_go_on ? "continue with offset=" + std::to_string(next) + ", " : "") +
                      "list a directory below, use a smaller depth, or use glob.");
        }
        if (out_of_time) {
            notes.add("Stopped after " + seconds_of(time_max_) +
                      " s; the result is partial. Use a smaller depth.");
        }
        if (has_unlisted_) {
            notes.add("A directory has more than " + std::to_string(limits::kListEntriesMax) +
                      " entries; the last ones, by name, are not listed. Find them with glob.");
        }
        return notes.sentences();
    }

private:
    const fs::RootState& state() const { return fs::state_of(files_.linkless()); }

    Result<void> list_level(const std::string& directory, std::size_t level,
                            const search::IgnoreScope& above) {
        auto listing = files_.list(directory, limits::kListEntriesMax);
        if (!listing) return listing.error();
        has_unlisted_ = has_unlisted_ || listing->truncated;
        auto& entries = listing->entries;
        std::stable_partition(entries.begin(), entries.end(), [](const ListEntry& entry) {
            return entry.type == FileType::kDirectory;
        });
        const auto scope = level < depth_ ? scope_of(directory, entries, above) : above;
        for (const ListEntry& entry : entries) {
            if (interruption_.requested()) break;
            const std::string path = fs::joined(directory, entry.name);
            const bool is_directory = entry.type == FileType::kDirectory;
            const bool unwanted = std::any_of(
                left_out_.begin(), left_out_.end(),
                [&](const text::Glob& glob) { return glob.matches(path, is_directory); });
            if (!unwanted) list_entry(path, entry, level, scope);
        }
        return {};
    }

    void list_entry(const std::string& path, const ListEntry& entry, std::size_t level,
                    const search::IgnoreScope& scope) {
        if (shown_ == limits::kListShownMax) {
            ++left_;
            return;
        }
        const bool is_before = passed_over_ < offset_;
        const std::size_t begin = entries_.size();
        ++(is_before ? passed_over_ : shown_);
        const std::size_t shown = shown_;
        const bool is_directory = entry.type == FileType::kDirectory;
        if (!is_before || is_directory) add(path, entry, level);
        if (is_directory && level < depth_) {
            std::string why_not = enter(path, entry, level, scope);
            entries_[begin].remark = std::move(why_not);
        }
        // A directory of an earlier page is named again only above what it holds of this one.
        if (is_before && shown_ == shown) entries_.resize(begin);
    }

    // Empty, or why it was not entered.
    std::string enter(const std::string& path, const ListEntry& entry, std::size_t level,
                      const search::IgnoreScope& scope) {
        if (entry.name == ".git" || (scope && scope->ignores(path, true))) return "not entered";
        auto below = list_level(path, level + 1, scope);
        return below ? "" : std::string(code_name(below.error().code));
    }

    search::IgnoreScope scope_of(const std::string& directory,
                                 const std::vector<ListEntry>& entries,
                                 const search::IgnoreScope& above) const {
        search::IgnoreFilesPresent present;
        for (const ListEntry& entry : entries) present.note(entry.name);
        if (!present.any() && directory != ".") return above;
        const auto handle = files_.linkless().open_directory(directory);
        if (!handle) return above;
        return search::ignore_scope_in(state(), handle->fd(), directory == "." ? "" : directory,
                                       above, present, ignored_);
    }

    void add(const std::string& path, const ListEntry& entry, std::size_t level) {
        const bool is_directory = entry.type == FileType::kDirectory;
        ListedEntry& added = entries_.emplace_back();
        added.depth = level - 1;
        added.name = text::quote_if_needed(is_directory ? entry.name + "/" : entry.name);
        added.type = entry.type;
        if (entry.type == FileType::kSymlink) {
            if (auto target = files_.link_target(path)) added.target = std::move(*target);
        } else if (entry.type == FileType::kRegular && sizes_) {
            if (const auto stat = files_.stat_name(path)) added.size = stat->size;
        }
    }

    search::Interruption& interruption_;
    const std::chrono::milliseconds time_max_;
    const Files& files_;
    const search::GlobalIgnores ignored_;
    const std::size_t depth_;
    const std::size_t offset_;
    const bool sizes_;
    const std::vector<text::Glob> left_out_;
    std::vector<ListedEntry> entries_;
    std::size_t passed_over_ = 0;  // of `offset_`
    std::size_t shown_ = 0;
    std::size_t left_ = 0;
    bool has_unlisted_ = false;
};

Result<std::vector<text::Glob>> globs_of(const std::vector<std::string>& patterns) {
    std::vector<text::Glob> globs;
    std::size_t alternatives = 0;
    for (const std::string& pattern : patterns) {
        auto glob = text::Glob::compile(written_pattern(pattern), {.any_depth = true});
        if (!glob) return bad_pattern(glob.error(), pattern);
        alternatives += text::expand_braces(pattern).value_or(std::vector<std::string>{}).size();
        if (alternatives > limits::kGlobAlternativesMax) {
            return tool_error(Code::kLimitReached,
                              "list_directory: the globs of 'ignore' expand to more than " +
                                  std::to_string(limits::kGlobAlternativesMax) +
                                  " patterns. Give fewer alternatives.");
        }
        globs.push_back(std::move(*glob));
    }
    return globs;
}

Result<Answer> run_list_directory(Session& session, const Arguments& arguments,
                                  const CallOptions& options) {
    const Files& files = session.files_for(arguments.text("path"));
    const std::string& path = arguments.text("path");
    const auto directory = files.directory(path);
    if (!directory && directory.error().code == Code::kNotFound) return files.missing(path);
    if (!directory) return directory.error();
    auto left_out = globs_of(arguments.texts("ignore"));
    if (!left_out) return left_out.error();
    search::Interruption interruption(session.search_time(), options.cancel);
    Lister lister(session, files, arguments, std::move(*left_out), interruption);
    if (auto listed = lister.list(*directory); !listed) return listed.error();
    if (interruption.cause() == search::Interruption::Cause::kCancelled) return call_cancelled();
    return found_answer(ListedDirectory{files.shown_directory(*directory), lister.take()},
                        lister.closing());
}

}  // namespace

const Declaration& list_directory() {
    static const Declaration kTool{
        .name = "list_directory",
        .title = "List directory",
        .summary = "List a directory, subdirectories first.",
        .description =
            "With a depth above 1, subdirectories are listed too, indented. Links are shown as "
            "links. .git and directories that .gitignore excludes are named but not entered.",
        .traits = {.read_only = true, .idempotent = true},
        .arguments = {directory_argument("The directory to list"),
                      {.name = "depth",
                       .type = Type::kInteger,
                       .help = "Number of levels to show",
                       .default_value = 1,
                       .smallest = 1,
                       .largest = limits::kListDepthMax},
                      {.name = "ignore",
                       .type = Type::kTexts,
                       .help = "Leave out names that match these globs, such as '*.o'",
                       .aliases = {"exclude", "excludePatterns"},
                       .largest = 100},
                      {.name = "sizes",
                       .type = Type::kFlag,
                       .help = "Show the sizes of files",
                       .default_value = false},
                      {.name = "offset",
                       .type = Type::kInteger,
                       .help = "Number of entries to skip, to continue after a cut",
                       .default_value = 0,
                       .smallest = 0,
                       .largest = limits::kListOffsetMax}},
        .example = R"({"depth": 2, "sizes": true})",
        .run = run_list_directory};
    return kTool;
}

}  // namespace paddock::tools
