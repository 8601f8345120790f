#include "cli/journal_view.h"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <utility>

#include "base/display.h"
#include "cli/undo_seal.h"
#include "cli/workspace_options.h"
#include "fs/rel_path.h"
#include "sys/open.h"
#include "sys/stat.h"

namespace paddock::cli {
namespace {

constexpr std::size_t kShortIdSize = 4;

Ending failed(const Failure& failure, std::string_view operation, const std::string& path) {
    return {kUsageError, as_error(failure, operation, path).message()};
}

std::string time_text(journal::Time time, bool is_local, const char* form) {
    const auto seconds = std::chrono::floor<std::chrono::seconds>(time).time_since_epoch().count();
    const std::time_t when = seconds;
    std::tm parts = {};
    if ((is_local ? ::localtime_r(&when, &parts) : ::gmtime_r(&when, &parts)) == nullptr) return "";
    std::array<char, 64> text = {};
    return std::string(text.data(), std::strftime(text.data(), text.size(), form, &parts));
}

bool is_hex(std::string_view text) {
    return std::all_of(text.begin(), text.end(),
                       [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

bool is_number(std::string_view text) {
    return !text.empty() &&
           std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool looks_like_target(std::string_view word) {
    const std::size_t slash = word.find('/');
    const std::string_view session = word.substr(0, slash);
    const bool is_session =
        journal::is_session_id(session) || (session.size() == kShortIdSize && is_hex(session));
    if (slash != word.npos) return is_session && is_number(word.substr(slash + 1));
    return is_session || is_number(word);
}

}  // namespace

tl::expected<Past, Ending> open_past(const SettingWords& words, std::string_view target,
                                     RewrittenIndexes rewritten) {
    const auto made = configuration(words, StateDirectory::kLeave);
    if (!made) return tl::unexpected(Ending(made.error()));
    const std::string& root = made->workspace.root;
    const auto real = sys::real_path(root.c_str());
    if (!real) return tl::unexpected(failed(real.error(), "open", root));
    auto directory = sys::openat(AT_FDCWD, real->c_str(), O_PATH | O_DIRECTORY);
    if (!directory) return tl::unexpected(failed(directory.error(), "open", root));
    const bool compares = rewritten == RewrittenIndexes::kCompare;
    auto timeline = journal::Timeline::read(
        directory->get(), compares ? same_index_in(directory->get()) : journal::IsSameIndex(),
        target.substr(0, target.find('/')));
    if (!timeline) return tl::unexpected(failed(timeline.error(), "read the journal of", root));
    return Past{std::move(*directory), *real, std::move(*timeline)};
}

std::optional<std::string> path_in(const Past& past, const std::string& path) {
    fs::PathRules rules;
    if (const auto spelling = fs::spelling_of(past.root)) rules.spellings.push_back(*spelling);
    const auto parsed = fs::parse_path(path, rules);
    if (!parsed || parsed->is_root()) return std::nullopt;
    return parsed->text;
}

PastWords past_words(std::vector<std::string> operands) {
    PastWords words;
    auto first = operands.begin();
    if (first != operands.end() && looks_like_target(*first)) words.target = std::move(*first++);
    words.files.assign(std::make_move_iterator(first), std::make_move_iterator(operands.end()));
    return words;
}

tl::expected<journal::UndoTarget, Ending> target_of(const Past& past, const PastWords& words) {
    journal::UndoTarget target;
    if (!words.target.empty()) {
        auto parsed = journal::parse_target(past.timeline, words.target);
        if (!parsed) {
            return tl::unexpected(Ending{kUsageError, "'" + displayable(words.target) + "': " +
                                                          std::string(parsed.error().reason) +
                                                          ". See 'paddock log'"});
        }
        target = std::move(*parsed);
    }
    for (const std::string& file : words.files) {
        const auto path = path_in(past, file);
        if (!path) {
            return tl::unexpected(
                Ending{kUsageError, "'" + displayable(file) + "' is no file in the workspace"});
        }
        target.files.push_back(*path);
    }
    return target;
}

std::string short_name(const journal::Timeline& timeline, std::string_view id_and_call) {
    const std::string_view id = id_and_call.substr(0, id_and_call.find('/'));
    const std::string_view call = id_and_call.substr(id.size());
    const std::string_view end = id.substr(id.size() - std::min(id.size(), kShortIdSize));
    const bool is_unique = timeline.find_session(end).has_value();
    return std::string(is_unique ? end : id).append(call);
}

std::string local_time(journal::Time time) { return time_text(time, true, "%Y-%m-%d %H:%M:%S"); }
std::string utc_time(journal::Time time) { return time_text(time, false, "%Y-%m-%dT%H:%M:%SZ"); }

std::string octal_mode(std::uint32_t mode) {
    std::string text;
    for (int shift = 9; shift >= 0; shift -= 3) {
        text += static_cast<char>('0' + ((mode >> shift) & 7U));
    }
    return text;
}

std::string counts_text(const journal::Changes& changes) {
    std::string text;
    const auto add = [&text](std::uint64_t count, std::string_view what) {
        if (count == 0) return;
        if (!text.empty()) text += ", ";
        text += std::to_string(count);
        text += ' ';
        text += what;
    };
    add(changes.made, "made");
    add(changes.changed, "changed");
    add(changes.removed, "removed");
    add(changes.not_kept, "cannot be undone");
    return text.empty() ? "nothing" : text;
}

}  // namespace paddock::cli
