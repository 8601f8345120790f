// The workspace as it would be after changes that nobody has made yet: names are looked up on the
// disk when they are first asked for, and are changed here only.
//
// No link is followed. A directory that cannot be searched has children that are kUnknown.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <paddock/handle.h>
#include <paddock/unique_fd.h>

#include "base/outcome.h"
#include "journal/record.h"
#include "sys/stat.h"

namespace paddock::journal {

enum class Presence : std::uint8_t { kAbsent, kPresent, kUnknown };

struct ModelNode {
    Presence presence = Presence::kAbsent;
    Object object = {};
    FileType type = FileType::kUnknown;
    std::uint32_t mode = 0;
    std::uint64_t size = 0;
    std::int64_t changed = 0;
    // Where its content is, or its children that were not looked up yet: a path on the disk,
    // relative to the workspace. Nothing: it is an empty directory that is not there yet.
    std::optional<std::string> on_disk = std::nullopt;

    // The same object, with the same mode and the same content.
    bool is_like(const ModelNode& other) const {
        if (presence != other.presence) return false;
        return presence == Presence::kAbsent ||
               (object == other.object && mode == other.mode && on_disk == other.on_disk);
    }
};

class TreeModel {
public:
    // `workspace` is borrowed.
    explicit TreeModel(int workspace);
    TreeModel(const TreeModel&) = delete;
    TreeModel& operator=(const TreeModel&) = delete;
    ~TreeModel();

    // nullptr: what is above it is not there, or no directory. Valid until the next change.
    ModelNode* find(std::string_view path);

    // Of names that find() knows. The target of a move is absent.
    void move(std::string_view from, std::string_view to);
    void exchange(std::string_view one, std::string_view other);
    void put(std::string_view path, ModelNode node);
    void remove(std::string_view path);

    // The names in a directory, sorted, `most` at most. Errors: those of reading it.
    Outcome<std::vector<std::string>> names_in(std::string_view directory, std::size_t most);

    // How often somebody asked for what lies behind a directory that is closed on the disk and that
    // the model has opened: it can be looked at only when that has happened.
    std::uint64_t unseen() const noexcept { return unseen_; }
    // The model is the disk again.
    void forget();

    // From here on: which nodes change. Each costs as much once as it has names, however often
    // the directories above it move.
    void begin_marking();
    void mark(std::string_view path);
    // The names that the marked nodes had when that began, and those that they have now.
    std::set<std::string> marked_names() const;

private:
    struct Branch;
    Branch* branch(std::string_view path);
    std::unique_ptr<Branch>& slot(std::string_view path);
    std::unique_ptr<Branch> look_up(const ModelNode& directory, const std::string& name);

    int workspace_;
    sys::MountId mount_ = 0;
    std::unique_ptr<Branch> root_;
    std::uint64_t unseen_ = 0;
    std::string opened_path_;
    UniqueFd opened_;
    std::set<std::string> first_names_;  // of what was marked
};

}  // namespace paddock::journal
