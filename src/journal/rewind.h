// Takes entries of the timeline back, one by one from the newest, in a model of the workspace. The
// steps that would do the same on the disk are collected, and what stands in the way of them.
//
// Undo performs the steps; a diff only compares the model before and after.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <paddock/handle.h>
#include <paddock/unique_fd.h>

#include "base/outcome.h"
#include "journal/record.h"
#include "journal/timeline.h"
#include "sys/files.h"

namespace paddock::journal {

// The workspace as it would be after changes that nobody has made yet: names are looked up on the
// disk when they are first asked for, and are changed here only.
//
// No link is followed. A directory that cannot be searched has children that are kUnknown.

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

struct Step {
    enum class What : std::uint8_t {
        kNothing,        // it was never made, or has gone by itself
        kRemove,         // path
        kMove,           // path to other, either of which may be what a session has kept
        kExchange,       // path, other
        kMakeDirectory,  // path, mode
        kMakeCopy,       // path, mode: with the content of other, a kept copy
        kPutBack,        // path gets the content of other, a kept copy
        kChmod,          // path, mode
    };
    What what = What::kNothing;
    std::string path = {};
    std::string other = {};
    Object object = {};  // what must be at path; of kMake...: what it stands for
    Object second = {};  // of kExchange: what must be at other
    std::uint32_t mode = 0;
    std::uint64_t position = 0;  // of the record that it takes back
};

// Must this step not be done, whatever the journal says? The model is what the step will find.
using IsSealed = std::function<bool(const Step& step)>;
using SealOn = std::function<IsSealed(TreeModel& model)>;

struct Conflict {
    enum class Why : std::uint8_t {
        kChangedSince,  // by somebody else, or by a later call
        kRemovedSince,
        kReplacedSince,  // something else is in its place
        kNotEmpty,       // a directory that was made, and holds something else now
        kNoDirectory,    // the directory that it was in is not there
        kNotKept,        // too large, or no room
        kRunning,        // the call is not over
        kSealed,         // git would obey it
    };
    Why why = Why::kChangedSince;
    std::string path;
    std::string by = {};  // "SESSION/CALL"; empty: not by a call that the journal knows
};

// One name before and after.
struct Version {
    ModelNode before;
    ModelNode after;
};

class Rewinder {
public:
    // `seal_on`: absent, no step is sealed.
    Rewinder(int workspace, const Timeline& timeline, const SealOn& seal_on = {});

    // `path`, `other`: of the record, by the names that they have now.
    void take_back(const Entry& entry, const std::string& path, const std::string& other);

    // An entry that is not taken back, or was already: what it says of others is needed.
    void pass(const Entry& entry);

    // Objects of git that sessions made stay (stays_as_object). `selected`: all that will be taken
    // back, newest first. Without this no object stays.
    void keep_objects(const std::vector<const Entry*>& selected);

    // From here on: which names change, and how. The names of the journal are left out.
    void begin_comparing();
    std::map<std::string, Version> compared();

    TreeModel& model() noexcept { return model_; }
    std::vector<Step>& steps() noexcept { return steps_; }
    // The first step that could not be judged yet: what it changes lies in a directory that a step
    // before it opens.
    std::optional<std::size_t> first_unjudged() const noexcept { return first_unjudged_; }
    // Of all that was taken back.
    std::vector<Conflict> conflicts() const;

private:
    using Why = Conflict::Why;

    bool is(const ModelNode* node, const Object& object) const;
    bool is_lost(const Object& object) const { return lost_.contains(timeline_.canonical(object)); }
    // Asked where it was not found.
    bool may_be_lost(const Object& object) const {
        return perhaps_lost_.contains(timeline_.canonical(object));
    }
    void complain(const std::string& path, Why why);
    // Not if it turns out that the same undo takes back the making of it.
    void complain_unless_made(const Object& object, const std::string& path, Why why);
    static std::string name_now(const ModelNode& node, const std::string& path);
    void check_content(const Entry& entry, const std::string& path, const ModelNode& node);
    void add(Step step);
    void touch(const std::string& path);
    // Of the model; and of what it is compared with, as long as that has not begun.
    void change(const std::function<void(TreeModel&)>& act);

    void take_back_make(const Entry& entry, const std::string& path);
    void take_back_link(const Entry& entry, const std::string& other);
    void take_back_rename(const Entry& entry, const std::string& path, const std::string& other);
    void take_back_exchange(const Entry& entry, const std::string& path, const std::string& other);
    void bring_back(const Entry& entry, const std::string& path);
    ModelNode* changed_node(const Entry& entry, const std::string& path);
    void take_back_write(const Entry& entry, const std::string& path);
    void take_back_chmod(const Entry& entry, const std::string& path);
    void move_to(const Object& object, const std::string& from, const std::string& to);
    std::optional<std::string_view> store_of(std::string_view path);
    bool stays_as_object(const Entry& entry, const std::string& path, const std::string& other);
    bool stays_under_new_name(const Entry& entry, const std::string& path,
                              const std::string& other);
    const Entry* make_of(const Object& object);
    void remove_stayed(const std::string& directory);

    const Timeline& timeline_;
    TreeModel model_;
    const IsSealed is_sealed_;
    std::vector<Step> steps_;
    std::optional<std::size_t> first_unjudged_;
    std::uint64_t position_ = 0;  // of the entry at hand

    std::map<std::string, Conflict> conflicts_;
    std::map<Object, Conflict> unless_made_;
    std::set<Object> lost_;          // made and removed by one call: nobody needs it
    std::set<Object> perhaps_lost_;  // the same, if that was done: an earlier undo has seen to it
    std::set<Object> checked_;       // against what its last call left
    std::set<Object> checked_modes_;
    std::set<Object> foreign_;  // now as somebody else has left it
    bool keeps_objects_ = false;
    std::optional<std::map<Object, const Entry*>> made_;  // by any session
    std::set<Object> passing_;             // directories that go or come back themselves
    std::set<const Entry*> replacements_;  // that took the place of what is kept

    bool compares_ = false;
    TreeModel original_;  // as it was when that began
};

}  // namespace paddock::journal
