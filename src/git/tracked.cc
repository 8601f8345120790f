#include "git/tracked.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include <paddock/limits.h>

#include "fs/rel_path.h"
#include "fs/root_state.h"
#include "git/config.h"
#include "git/objects.h"
#include "git/settings_paths.h"

namespace paddock::git {
namespace {

// For all questions together: the largest index with its names, and thousands of objects. Forged
// files take less than a second to use it up.
constexpr std::uint64_t kWorkBytesMax = std::uint64_t{128} << 20;

// Parsing a byte of a config costs as much as reading these.
constexpr std::uint64_t kConfigByteWork = 8;

std::optional<std::string> follow_pointer(const Root& root, const std::string& directory,
                                          const std::string& content, std::string_view name) {
    const auto target = pointer_target(content, name);
    return target ? resolve_git_path(root, directory, *target) : std::nullopt;
}

// The git directory of the working tree at `top`.
std::optional<std::string> find_git_directory(const Root& root, const std::string& top,
                                              FileType dot_git) {
    std::string path = fs::joined(top, ".git");
    if (dot_git == FileType::kDirectory) return path;
    const auto content = root.read_file(path, kPointerBytesMax);
    return content ? follow_pointer(root, top, *content, ".git") : std::nullopt;
}

// The directory with the objects and the config: that of the main working tree.
std::optional<std::string> find_common_directory(const Root& root, const std::string& directory) {
    const auto content = root.read_file(fs::joined(directory, "commondir"), kPointerBytesMax);
    if (content) return follow_pointer(root, directory, *content, "commondir");
    if (content.error().code == Code::kNotFound) return directory;
    return std::nullopt;
}

bool has_sha1_objects(const Root& root, const std::string& common_directory, WorkBudget& budget) {
    const auto text =
        root.read_file(fs::joined(common_directory, "config"), limits::kGitConfigBytesMax);
    if (!text) return text.error().code == Code::kNotFound;
    if (!budget.spend(text->size() * kConfigByteWork)) return false;
    const auto settings = parse_git_config(*text);
    return settings && std::ranges::none_of(*settings, [](const GitSetting& setting) {
               return setting.key == "extensions.objectformat" && setting.value != "sha1";
           });
}

}  // namespace

struct TrackedFiles::Repository {
    std::string top;  // of the working tree
    Index index;
    ObjectStore objects;
};

TrackedFiles::TrackedFiles(const Root& root) : root_(root), budget_(kWorkBytesMax) {}
TrackedFiles::~TrackedFiles() = default;

bool TrackedFiles::holds(std::string_view path) {
    const auto name = root_.normalized(path);
    if (!name) return false;
    const auto repository = repository_of(fs::parent_of(*name));
    if (repository == nullptr) return false;
    const std::size_t top = repository->top.empty() ? 0 : repository->top.size() + 1;
    const ObjectId* const id = repository->index.find(std::string_view(*name).substr(top));
    if (id == nullptr) return false;
    const auto object = repository->objects.blob(*id);
    if (!object || !budget_.spend_on_lookup(*name)) return false;
    const auto content = root_.read_file(*name, object->size());
    return content && *content == *object;
}

std::shared_ptr<TrackedFiles::Repository> TrackedFiles::repository_of(std::string_view directory) {
    std::vector<std::string> passed;
    std::shared_ptr<Repository> found;
    for (std::string_view at = directory;; at = fs::parent_of(at)) {
        if (const auto known = repositories_.find(at); known != repositories_.end()) {
            found = known->second;
            break;
        }
        passed.emplace_back(at);
        if (!budget_.spend_on_lookup(at)) break;
        const auto dot_git = root_.lstat(fs::joined(at, ".git"));
        if (dot_git) found = open(passed.back(), dot_git->type);
        if (at.empty() || dot_git || dot_git.error().code != Code::kNotFound) break;
    }
    for (std::string& name : passed) repositories_.emplace(std::move(name), found);
    return found;
}

std::shared_ptr<TrackedFiles::Repository> TrackedFiles::open(const std::string& top,
                                                             FileType dot_git) {
    const auto directory = find_git_directory(root_, top, dot_git);
    const auto common = directory ? find_common_directory(root_, *directory) : std::nullopt;
    if (!common || !has_sha1_objects(root_, *common, budget_)) return nullptr;
    const auto bytes =
        root_.read_file(fs::joined(*directory, "index"), std::min(kIndexBytesMax, budget_.left()));
    if (!bytes || !budget_.spend(bytes->size())) return nullptr;
    auto index = Index::parse(*bytes, budget_);
    if (!index) return nullptr;
    return std::make_shared<Repository>(Repository{
        top, std::move(*index), ObjectStore(root_, fs::joined(*common, "objects"), budget_)});
}

namespace {

// How old an index may be that is asked where to look. An old one makes more secrets, not fewer.
constexpr std::chrono::milliseconds kIndexAge{500};

}  // namespace

bool Secrets::is_secret(const std::string& path, const Stat& stat) {
    if (stat.type != FileType::kRegular) return true;
    const std::pair key(stat.identity.inode, stat.created.count());
    const Version version{stat.changed, stat.size};
    const std::lock_guard lock(mutex_);
    const auto known = free_.find(key);
    if (known != free_.end() && (known->second == version || is_written_(stat))) return false;
    if (tracked_ == nullptr || Clock::now() - tracked_since_ > kIndexAge) {
        tracked_ = std::make_unique<TrackedFiles>(root_);
        tracked_since_ = Clock::now();
    }
    if (!tracked_->holds(path)) return true;
    if (stat.created.count() != 0) free_[key] = version;
    return false;
}

}  // namespace paddock::git
