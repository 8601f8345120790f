// What a guard knows of the protected paths of a workspace: how each was when it was last in order,
// and whose word that is.
//
// Commands cannot move, change or remove what the kernel holds, only rename directories above it,
// and may be doing so at any time. So what was trusted and is held is known as an object: wherever
// it is found it is the operator's, and what is found in its place is not.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <paddock/root.h>

#include "search/protected_paths.h"
#include "tools/held_objects.h"
#include "tools/judged_object.h"
#include "tools/kept_tree.h"

namespace paddock::tools {

struct KnownPath {
    search::ProtectedPath at{};
    Stat parent{};             // of the directory that it is in
    bool bound = false;        // the kernel keeps commands from this very object
    bool made_inside = false;  // was not there when all was trusted
    bool judged = false;       // accepted since: whoever made it may still be at work
    // There when all was trusted, but another session was at work: what has gone is not put back.
    bool may_be_planted = false;
    std::optional<std::string> config{};  // the text of one that is trusted, if it could be kept
    KeptTree kept{};                      // of what is trusted and may change all the same
};

enum class Trust : bool { kFull, kBesideOthers };

class KnownPaths {
public:
    using List = std::vector<search::ProtectedPath>;

    // `root` passes no link. Where the kernel does not hold, content is kept.
    // `held` must outlive this.
    KnownPaths(const Root& root, bool kernel_holds, HeldObjects& held)
        : root_(root), kernel_holds_(kernel_holds), held_(held) {}

    // Takes everything as it is now, but for what is doubted: that is known as it was before, or
    // not at all. What is held and out of sight stays known.
    void trust(const List& list, Trust trust = Trust::kFull);

    // Not in order, and could not be undone. Until the next follow().
    void doubt(const Stat& stat) { doubted_.insert_or_assign(key_of(stat), stat); }

    // As it is now, because it can do no harm. Of a config that was trusted before, with its text.
    void accept(const search::ProtectedPath& entry, std::string config = {});

    KnownPath* find(const std::string& path);
    void forget(const std::string& path) { known_.erase(path); }
    // With what is held and out of sight.
    std::size_t size() const noexcept { return known_.size() + away_.size(); }

    // Those that the kernel is to be told of; from now on they count as bound.
    List bind();
    // They are not, after all.
    void unbind(const List& list);

    // Compares with what is there: what has another path because a directory above it was renamed
    // is known under that path. The others that are not where they were are gone(); held ones whose
    // path is another object's are not known under any path until they are found again.
    void follow(const List& list);
    const std::set<std::string>& gone() const noexcept { return gone_; }

    // Was it trusted, and does the kernel keep commands from it? A config counts only as long as
    // its content does: it may have another name that is not held.
    bool holds(const Stat& stat) const;

    // The same path, or another object that is in order too.
    static void update(KnownPath& known, const search::ProtectedPath& entry);

    // What is held cannot be moved, so another object in the same directory is from outside.
    bool was_replaced_outside(const KnownPath& known, const Stat& by) const;

    // Puts back what is gone, if it was kept and the directory that it was in is there.
    bool restore(const KnownPath& known) const;

private:
    using Known = std::map<std::string, KnownPath>;

    KnownPath trusted(const search::ProtectedPath& entry);
    void keep_config(KnownPath& known);
    void hold_all();
    void set_unseen_aside(const List& list);
    bool is_doubted(const Stat& stat) const;
    bool is_away(const KnownPath& known, const List& list) const;
    std::vector<Known::node_type> take_moved(const List& list);
    void set_aside(Known::node_type node);

    const Root root_;
    const bool kernel_holds_;
    std::size_t bytes_left_ = 0;         // of content to be kept
    std::size_t config_bytes_left_ = 0;  // of configs
    Known known_;
    std::set<std::string> gone_;
    std::map<ObjectKey, Stat> doubted_;
    std::multimap<ObjectKey, Known::node_type> away_;  // held, and not found the last time
    HeldObjects& held_;
};

// The same object, and as far as it tells with the same content.
bool is_unchanged(const Stat& before, const Stat& now);

}  // namespace paddock::tools
