#include "journal/object_stores.h"

#include <fcntl.h>

#include <utility>
#include <vector>

#include "fs/rel_path.h"
#include "journal/place.h"
#include "sys/dir.h"
#include "sys/open.h"
#include "sys/stat.h"

namespace paddock::journal {
namespace {

constexpr std::string_view kObjects = "objects";

// Here lie no names for objects of this repository.
bool is_beside_names(std::string_view name) {
    return name == kObjects || name == "paddock" || name == "modules" || name == "hooks";
}

}  // namespace

bool is_temporary_object(std::string_view path) {
    for (; !path.empty(); path = fs::parent_of(path)) {
        const std::string_view name = fs::leaf_of(path);
        if (name == kObjects) return false;
        const bool is_new = name.starts_with("tmp_") || name.starts_with("incoming-");
        if (is_new || name.ends_with(".lock")) return true;
    }
    return false;
}

bool ObjectStores::is_needed(TreeModel& model, std::string_view path) {
    for (std::string_view store = fs::parent_of(path); !store.empty();
         store = fs::parent_of(store)) {
        if (fs::leaf_of(store) != kObjects) continue;
        const std::string_view repository = fs::parent_of(store);
        if (was_changed(model, repository)) return true;
        // One above it may have it for a submodule.
        for (std::string_view above = repository; !above.empty();) {
            above = fs::parent_of(above);
            if (was_changed(model, fs::joined(above, ".git"))) return true;
        }
    }
    return false;
}

bool ObjectStores::was_changed(TreeModel& model, std::string_view repository) {
    const ModelNode* node = model.find(repository);
    if (node == nullptr || !node->on_disk || node->type != FileType::kDirectory) return false;
    const std::string& on_disk = *node->on_disk;
    auto known = changed_.find(on_disk);
    if (known == changed_.end()) known = changed_.emplace(on_disk, look_at(on_disk)).first;
    return known->second;
}

// By the files that name objects: refs, their logs, an index, heads of all kinds. What cannot be
// looked at may have been changed.
bool ObjectStores::look_at(const std::string& repository) const {
    const auto top = open_directory(workspace_, repository);
    if (!top || !sys::node_at(top->get(), "refs")) return false;
    std::vector<std::string> directories{repository};
    while (!directories.empty()) {
        const std::string directory = std::move(directories.back());
        directories.pop_back();
        constexpr int kRead = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK;
        const auto held = open_directory(workspace_, directory);
        const auto opened = held ? sys::openat(held->get(), ".", kRead) : held.error();
        if (!opened) return true;
        sys::DirReader reader;
        for (;;) {
            const auto entry = reader.next(opened->get());
            if (!entry) return true;
            if (*entry == nullptr) break;
            const std::string name = (*entry)->name;
            if (directory == repository && is_beside_names(name)) continue;
            const auto node = sys::node_at(opened->get(), name.c_str());
            if (!node) continue;  // gone
            const bool is_directory = node->stat.type == FileType::kDirectory;
            if (is_directory) directories.push_back(fs::joined(directory, name));
            if (!is_directory && is_changed_by_others(node->stat)) return true;
        }
    }
    return false;
}

// An undo brings back what was there before. An index that says the same as before names the same.
bool ObjectStores::is_changed_by_others(const Stat& stat) const {
    const std::int64_t changed = stat.changed.count();
    if (changed <= since_) return false;
    const Object object = object_of(stat);
    if (timeline_.canonical(object) != object) return false;
    const SessionLog* last = timeline_.last_session_of(object);
    return last == nullptr || !last->is_undo() || changed > last->last_time;
}

}  // namespace paddock::journal
