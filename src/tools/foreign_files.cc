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

// Root's commands run as the owner of the workspace.
std::uint32_t worker_in(const Root& workspace) {
    const auto user = sys::effective_user();
    const auto own = sys::fstat(workspace.fd());
    return user == 0 && own ? own->uid : user;
}

}  // namespace

ForeignFiles look_for_foreign_files(const Root& workspace) {
    ForeignFiles found;
    found.user = worker_in(workspace);
    std::deque<std::string> directories{"."};
    std::size_t looks = 0;
    while (!directories.empty() && !found.is_cut) {
        const std::string directory = std::move(directories.front());
        directories.pop_front();
        const auto listing = workspace.list(directory, kLooksMax - looks);
        if (!listing) continue;
        found.is_cut = listing->truncated;
        for (const ListEntry& entry : listing->entries) {
            std::string path = fs::joined(directory == "." ? "" : directory, entry.name);
            if (journal::is_journal_path(path)) continue;
            const auto stat = workspace.lstat(path);
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

std::string ForeignFiles::text() const {
    if (count == 0) return {};
    std::string names;
    for (const std::string& path : first) {
        names += (names.empty() ? "'" : ", '") + text::quote_in_sentence(path) + "'";
    }
    if (count > first.size()) names += ", ...";
    const bool is_one = count == 1;
    return std::string(is_cut ? "At least " : "") + std::to_string(count) +
           (is_one ? " entry" : " entries") + " of the workspace " +
           (is_one ? "belongs" : "belong") + " to another user (" + names +
           "). Commands may be unable to change " + (is_one ? "it" : "them") +
           ". The owner of this machine can run `sudo chown -R " + std::to_string(user) + "` on " +
           (is_one ? "it." : "them.");
}

}  // namespace paddock::tools
