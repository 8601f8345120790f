#include "journal/undo_steps.h"

#include <fcntl.h>

#include <cerrno>
#include <map>
#include <utility>

#include "fs/rel_path.h"
#include "journal/keep.h"
#include "journal/place.h"
#include "sys/attr.h"
#include "sys/io.h"
#include "sys/name.h"
#include "sys/open.h"
#include "sys/process.h"
#include "sys/stat.h"

namespace paddock::journal {
namespace {

constexpr std::uint32_t kModeBits = 07777;

Failure changed_meanwhile() {
    return refuse(Code::kRace, "somebody else has changed it in the meantime");
}

// A name in a directory that is held.
struct HeldName {
    UniqueFd directory;
    std::string leaf;
    std::string_view path;

    Name name() const { return {directory.get(), leaf.c_str(), path}; }
    const char* c_leaf() const { return leaf.c_str(); }
};

Outcome<UniqueFd> open_content(const HeldName& kept) {
    PADDOCK_ASSIGN(node, sys::node_at(kept.directory.get(), kept.c_leaf()));
    return open_whatever_its_mode(kept.name(), node.stat, O_RDONLY);
}

class Performer {
public:
    Performer(int workspace, const Timeline& timeline, Journal& journal, CallId call)
        : workspace_(workspace), timeline_(timeline), journal_(journal), call_(call) {}

    Done perform(const Step& step);

private:
    Outcome<HeldName> hold(std::string_view path) const;
    Outcome<Stat> expect(const HeldName& held, const Object& object) const;
    Done expect_free(const HeldName& held) const;
    Done finish_new(const HeldName& held, int file, const Step& step, Intent& intent);

    Done remove(const Step& step);
    Done move(const Step& step);
    Done exchange(const Step& step);
    Done make_directory(const Step& step);
    Done make_copy(const Step& step);
    Done put_back(const Step& step);
    Done change_mode(const Step& step);

    int workspace_;
    const Timeline& timeline_;
    Journal& journal_;
    CallId call_;
    std::map<Object, Object> made_;  // what is brought back -> what stands for it now
};

Outcome<HeldName> Performer::hold(std::string_view path) const {
    PADDOCK_ASSIGN(directory, open_directory(workspace_, fs::parent_of(path)));
    PADDOCK_ASSIGN(node, sys::node(directory.get()));
    PADDOCK_ASSIGN(top, sys::node(workspace_));
    if (node.mount != top.mount) return refuse(Code::kMountCrossing);
    return HeldName{std::move(directory), std::string(fs::leaf_of(path)), path};
}

Outcome<Stat> Performer::expect(const HeldName& held, const Object& object) const {
    PADDOCK_ASSIGN(node, sys::node_at(held.directory.get(), held.c_leaf()));
    const Object wanted = timeline_.canonical(object);
    const Object found = object_of(node.stat);
    const auto stand_in = made_.find(wanted);
    const bool is_it = timeline_.canonical(found) == wanted ||
                       (stand_in != made_.end() && stand_in->second == found);
    if (!is_it) return changed_meanwhile();
    return node.stat;
}

Done Performer::expect_free(const HeldName& held) const {
    const auto node = sys::node_at(held.directory.get(), held.c_leaf());
    if (node) return changed_meanwhile();
    return node.error().os_error == ENOENT ? Done() : Done(node.error());
}

Done Performer::remove(const Step& step) {
    PADDOCK_ASSIGN(held, hold(step.path));
    PADDOCK_ASSIGN(stat, expect(held, step.object));
    return journal_.remove(call_, held.name(), stat);
}

Done Performer::move(const Step& step) {
    PADDOCK_ASSIGN(from, hold(step.path));
    PADDOCK_ASSIGN(stat, expect(from, step.object));
    PADDOCK_ASSIGN(to, hold(step.other));
    PADDOCK_TRY(expect_free(to));
    PADDOCK_ASSIGN(intent, journal_.will_rename(call_, from.name(), to.name(), stat));
    Done moved =
        move_to_free_name(from.directory.get(), from.c_leaf(), to.directory.get(), to.c_leaf());
    if (!moved) intent.failed();
    return moved;
}

Done Performer::exchange(const Step& step) {
    PADDOCK_ASSIGN(one, hold(step.path));
    PADDOCK_ASSIGN(other, hold(step.other));
    PADDOCK_TRY(expect(one, step.object));
    PADDOCK_TRY(expect(other, step.second));
    PADDOCK_ASSIGN(intent, journal_.will_exchange(call_, one.name(), other.name()));
    Done done = sys::renameat2(one.directory.get(), one.c_leaf(), other.directory.get(),
                               other.c_leaf(), sys::Rename::kExchange);
    if (!done) intent.failed();
    return done;
}

// Root gives it to whoever has the directory that it is in.
Done Performer::finish_new(const HeldName& held, int file, const Step& step, Intent& intent) {
    PADDOCK_ASSIGN(node, sys::node(file));
    intent.made(node.stat);
    made_[timeline_.canonical(step.object)] = object_of(node.stat);
    if (sys::effective_user() == 0) {
        PADDOCK_ASSIGN(above, sys::fstat(held.directory.get()));
        PADDOCK_TRY(sys::fchown(file, above.uid, above.gid));
    }
    return sys::fchmod(file, step.mode & kModeBits);
}

Done Performer::make_directory(const Step& step) {
    PADDOCK_ASSIGN(held, hold(step.path));
    PADDOCK_ASSIGN(intent, journal_.will_make(call_, held.name(), FileType::kDirectory));
    if (Done done = sys::mkdirat(held.directory.get(), held.c_leaf(), 0700); !done) {
        intent.failed();
        return done;
    }
    constexpr int kOpen = O_RDONLY | O_DIRECTORY | O_NOFOLLOW;
    PADDOCK_ASSIGN(made, sys::openat(held.directory.get(), held.c_leaf(), kOpen));
    return finish_new(held, made.get(), step, intent);
}

Done Performer::make_copy(const Step& step) {
    PADDOCK_ASSIGN(kept, hold(step.other));
    PADDOCK_ASSIGN(content, open_content(kept));
    PADDOCK_ASSIGN(stat, sys::fstat(content.get()));
    PADDOCK_ASSIGN(held, hold(step.path));
    PADDOCK_ASSIGN(intent, journal_.will_make(call_, held.name(), FileType::kRegular));
    constexpr int kNew = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW;
    auto made = sys::openat(held.directory.get(), held.c_leaf(), kNew, 0600);
    if (!made) {
        intent.failed();
        return made.error();
    }
    PADDOCK_TRY(finish_new(held, made->get(), step, intent));
    return copy_file(content.get(), stat.size, made->get());
}

Done Performer::put_back(const Step& step) {
    PADDOCK_ASSIGN(kept, hold(step.other));
    PADDOCK_ASSIGN(content, open_content(kept));
    PADDOCK_ASSIGN(size, sys::fstat(content.get()));
    PADDOCK_ASSIGN(held, hold(step.path));
    PADDOCK_ASSIGN(stat, expect(held, step.object));
    if (stat.type != FileType::kRegular) return changed_meanwhile();
    PADDOCK_ASSIGN(file, open_whatever_its_mode(held.name(), stat, O_RDWR));
    PADDOCK_ASSIGN(opened, sys::node(file.get()));
    if (opened.stat.identity != stat.identity) return changed_meanwhile();
    PADDOCK_TRY(journal_.will_write(call_, held.name(), file.get(), stat));
    PADDOCK_TRY(sys::truncate(file.get(), 0));
    return copy_file(content.get(), size.size, file.get());
}

Done Performer::change_mode(const Step& step) {
    PADDOCK_ASSIGN(held, hold(step.path));
    PADDOCK_ASSIGN(stat, expect(held, step.object));
    if (stat.type == FileType::kSymlink) return changed_meanwhile();
    PADDOCK_TRY(journal_.will_chmod(call_, held.name(), stat));
    return sys::chmodat(held.directory.get(), held.c_leaf(), step.mode & kModeBits);
}

Done Performer::perform(const Step& step) {
    switch (step.what) {
        case Step::What::kNothing: return {};
        case Step::What::kRemove: return remove(step);
        case Step::What::kMove: return move(step);
        case Step::What::kExchange: return exchange(step);
        case Step::What::kMakeDirectory: return make_directory(step);
        case Step::What::kMakeCopy: return make_copy(step);
        case Step::What::kPutBack: return put_back(step);
        case Step::What::kChmod: return change_mode(step);
    }
    return {};
}

}  // namespace

UndoResult perform_steps(int workspace, const Timeline& timeline, Journal& journal,
                         const UndoPlan& plan) {
    UndoResult result;
    // It may bring back settings of git, which are files: others look when the turn is theirs.
    journal.increase_shared_count();
    const CallId call = journal.begin_call("undo", plan.target.text());
    Performer performer(workspace, timeline, journal, call);
    TreeModel disk(workspace);
    IsSealed is_sealed;
    for (std::size_t i = 0; i < plan.steps.size(); ++i) {
        const Step& step = plan.steps[i];
        if (i == plan.first_unjudged) is_sealed = plan.seal_on(disk);
        disk.forget();
        journal.begin_reverting(call, plan.target.session, step.position);
        const bool is_refused = is_sealed && is_sealed(step);
        const Done done = is_refused ? Done(refuse(Code::kDeniedByRule, "git would obey it"))
                                     : performer.perform(step);
        if (done) continue;
        result.failed_path = is_journal_path(step.path) ? step.other : step.path;
        result.failure = done.error();
        break;
    }
    // Without this the last one counts as not taken back.
    if (!result.failure) journal.begin_reverting(call, {}, 0);
    result.changes = journal.end_call(call);
    result.session = journal.session();
    return result;
}

}  // namespace paddock::journal
