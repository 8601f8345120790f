#include "tools/foreign_files.h"

#include <deque>

#include "fs/rel_path.h"
#include "journal/journal.h"
#include "sys/process.h"
#include "sys/stat.h"
#include "text/quote.h"

namespace paddock::tools {
namespace {

constexpr std::size_t kLooksMax = 256;
constexpr std::size_t kNamed = 3;

struct Found {
    std::uint32_t user = 0;            // who works here
    std::size_t count = 0;             // a directory counts once, with all below it
    std::vector<std::string> first{};  // some of them, relative to the root
    bool is_cut = false;               // there may be more: not all was looked at
};

// Root's commands change each root as its owner.
std::uint32_t worker_in(const Root& root) {
    const auto user = sys::effective_user();
    const auto own = sys::fstat(root.fd());
    return user == 0 && own ? own->uid : user;
}

Found look_in(const Root& root) {
    Found found;
    found.user = worker_in(root);
    std::deque<std::string> directories{"."};
    std::size_t looks = 0;
    while (!directories.empty() && !found.is_cut) {
        const std::string directory = std::move(directories.front());
        directories.pop_front();
        const auto listing = root.list(directory, kLooksMax - looks);
        if (!listing) continue;
        found.is_cut = listing->truncated;
        for (const ListEntry& entry : listing->entries) {
            std::string path = fs::joined(directory == "." ? "" : directory, entry.name);
            if (journal::is_journal_path(path)) continue;
            const auto stat = root.lstat(path);
            ++looks;
            if (!stat) continue;
            if (stat->uid != found.user) {
                ++found.count;
                if (found.first.size() < kNamed) found.first.push_back(std::move(path));
            } else if (stat->type == FileType::kDirectory) {
                directories.push_back(std::move(path));
            }
        }
        found.is_cut = found.is_cut || (looks >= kLooksMax && !directories.empty());
    }
    return found;
}

std::string as_text(const Found& found, const std::string& prefix) {
    if (found.count == 0) return {};
    std::string names;
    for (const std::string& path : found.first) {
        const std::string whole = prefix.empty() ? path : prefix + "/" + path;
        names += (names.empty() ? "'" : ", '") + text::quote_in_sentence(whole) + "'";
    }
    if (found.count > found.first.size()) names += ", ...";
    const bool is_one = found.count == 1;
    return std::string(found.is_cut ? "At least " : "") + std::to_string(found.count) +
           (is_one ? " entry" : " entries") + " of " +
           (prefix.empty() ? "the workspace" : "'" + text::quote_in_sentence(prefix) + "'") +
           (is_one ? " belongs" : " belong") + " to another user (" + names +
           "). Commands may be unable to change " + (is_one ? "it" : "them") +
           ". The owner of this machine can run `sudo chown -R " + std::to_string(found.user) +
           "` on " + (is_one ? "it." : "them.");
}

}  // namespace

std::vector<std::string> foreign_files(std::span<SessionRoot* const> roots) {
    std::vector<std::string> lines;
    for (const SessionRoot* root : roots) {
        const OpenedRoot& opened = root->opened;
        if (opened.read_only && !opened.prefix.empty()) continue;
        std::string line = as_text(look_in(opened.workspace), opened.prefix);
        if (!line.empty()) lines.push_back(std::move(line));
    }
    return lines;
}

}  // namespace paddock::tools
