// Takes entries of the timeline back, one by one from the newest, in a model of the workspace. The
// steps that would do the same on the disk are collected, and what stands in the way of them.
//
// Undo performs the steps; a diff only compares the model before and after.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "journal/object_stores.h"
#include "journal/timeline.h"
#include "journal/tree_model.h"

namespace paddock::journal {

// How long a change may take after its record.
inline constexpr std::chrono::nanoseconds kChangeTime = std::chrono::milliseconds(200);

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

    // Objects of git stay where others may need them. Without this none does.
    void keep_objects(ObjectStores stores) { stores_.emplace(std::move(stores)); }

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
    void take_back_write(const Entry& entry, const std::string& path);
    void take_back_chmod(const Entry& entry, const std::string& path);
    void move_to(const Object& object, const std::string& from, const std::string& to);
    bool stays_for_others(const Entry& entry, const std::string& path, const std::string& other);

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
    std::optional<ObjectStores> stores_;

    bool compares_ = false;
    TreeModel original_;  // as it was when that began
};

}  // namespace paddock::journal
