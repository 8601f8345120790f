// A call goes one way: decode, locate (text first, then one openat2 beneath the workspace), judge,
// record, act on the held directory, answer. From locate() to the act the gate holds the
// workspace's turn, so no other command, session or tool changes a name in between.
#include "sandbox/gate.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include <paddock/limits.h>

#include "base/text.h"
#include "sandbox/denial.h"
#include "sys/files.h"

namespace paddock::sandbox {

Outcome<std::unique_ptr<Gate>> Gate::make(GateSetup setup) {
    auto gate = std::unique_ptr<Gate>(new Gate(std::move(setup)));
    PADDOCK_ASSIGN(workspace, sys::openat(gate->setup_.workspace, ".", O_PATH | O_DIRECTORY));
    auto root = Root::adopt(std::move(workspace));
    if (!root) return static_cast<const Failure&>(root.error());
    gate->secrets_ = std::make_unique<git::Secrets>(
        root->linkless(),
        [self = gate.get()](const Stat& stat) { return self->setup_.journal->has_written(stat); });
    Gate* self = gate.get();
    git::Judge::Facts facts;
    facts.is_own = [self](const Stat& stat) { return self->setup_.journal->is_own(stat); };
    facts.is_secret = [self](const std::string& path, const Stat& stat) {
        return self->secrets_->is_secret(path, stat);
    };
    facts.repositories = [self] { return self->repositories_; };
    facts.home = gate->setup_.home;
    facts.gated = gate->setup_.others_of_owner;
    facts.changes = [self] { return self->setup_.journal->shared_count(); };
    facts.count_change = [self] { self->setup_.journal->increase_shared_count(); };
    gate->root_.emplace(root->linkless());
    gate->judge_ = std::make_unique<git::Judge>(*gate->root_, std::string(), *gate->setup_.rules,
                                                std::move(facts));
    return gate;
}

Gate::Answer Gate::handle(const sys::seccomp::Notification& call, int listener, journal::CallId of,
                          std::optional<GateRefusal>& refused) {
    const auto decoded = decode(call);
    if (!decoded) return Answer::kContinue;
    if (call.process == 0) {  // a caller that this process does not see
        if (may_let_through(*decoded)) return Answer::kContinue;
        (void)sys::seccomp::answer(listener, call.id, 0, EPERM);
        return Answer::kDone;
    }
    if (!drafts_.empty()) settle_drafts();
    refused_.reset();
    operation_ = operation_of(*decoded);
    const End end = perform(*decoded, {call.process, listener, call.id, of});
    if (end.os_error == ENOSPC && !refused_ && setup_.journal->is_full()) {
        refused_ =
            GateRefusal{operation_, setup_.journal->path(), std::string(journal::kLogIsFull)};
    }
    refused = std::move(refused_);
    if (end.answer == Answer::kDone) {
        (void)sys::seccomp::answer(listener, call.id, end.value, end.os_error);
    }
    return end.answer;
}

// Landlock knows nothing of modes and attributes, and some know nothing of sizes.
bool Gate::may_let_through(const GatedCall& call) const {
    switch (call.kind) {
        case GatedKind::kChmod:
        case GatedKind::kSetAttribute:
        case GatedKind::kRemoveAttribute: return false;
        case GatedKind::kTruncate: return setup_.landlock_truncate;
        case GatedKind::kOpen:
            return setup_.landlock_truncate || (call.flags & O_TRUNC) == 0 ||
                   (call.flags & O_ACCMODE) != O_RDONLY;
        default: return true;
    }
}

bool Gate::may_let_through(const sys::seccomp::Notification& call) const {
    const auto decoded = decode(call);
    return !decoded || may_let_through(*decoded);
}

bool Gate::is_elsewhere(std::string_view path) const {
    return std::any_of(setup_.others.begin(), setup_.others.end(),
                       [path](const std::string& other) { return is_within(path, other); });
}

// A file that is covered from commands, or not of this mount, is as good as sealed.
int Gate::error_of(const Failure& failure) {
    if (failure.os_error == 0) return EIO;
    const bool is_covered = failure.os_error == EXDEV || failure.os_error == EBUSY;
    return is_covered ? EACCES : failure.os_error;
}

// A path that cannot be read is the kernel's to refuse.
Gate::End Gate::not_located(const Failure& failure) {
    if (failure.os_error == EFAULT) return {.answer = Answer::kContinue};
    return {.os_error = error_of(failure)};
}

Gate::End Gate::perform(const GatedCall& call, const Caller& caller) {
    switch (call.kind) {
        case GatedKind::kOpen: return open(call, caller);
        case GatedKind::kTruncate: return truncate(call, caller);
        case GatedKind::kMakeDirectory:
        case GatedKind::kMakeNode:
        case GatedKind::kSymlink: return make_name(call, caller);
        case GatedKind::kLink: return link(call, caller);
        case GatedKind::kRename: return rename(call, caller);
        case GatedKind::kUnlink:
        case GatedKind::kRemoveDirectory: return remove(call, caller);
        case GatedKind::kChmod: return chmod(call, caller);
        case GatedKind::kSetAttribute:
        case GatedKind::kRemoveAttribute: return change_attribute(call, caller);
        case GatedKind::kBind: return bind(call, caller);
    }
    return {.answer = Answer::kContinue};
}

std::optional<int> Gate::refuse(git::Verdict verdict, const std::string& path) {
    if (!verdict) return std::nullopt;
    std::string why = protected_by(verdict->rule);
    if (!verdict->detail.empty()) why += ": " + verdict->detail;
    refused_ = GateRefusal{operation_, path, std::move(why)};
    return EACCES;
}

void Gate::made(const Place& place, journal::Intent& intent) {
    const auto node = sys::node_at(place.directory.get(), place.leaf.c_str());
    if (node) intent.made(node->stat);
}

// What git begins to obey by this is replaced by copies that were judged.
Outcome<journal::Intent> Gate::prepare_to_make(const Place& place, FileType type,
                                               const Caller& caller, std::string_view target) {
    auto verdict = type == FileType::kSymlink ? judge_->make_link(place.path, target)
                                              : judge_->make(place.path, type);
    if (const auto error = refuse(std::move(verdict), place.path)) {
        return Failure::from_errno(*error);
    }
    for (const std::string& config : judge_->configs_completed_by(place.path)) {
        if (const int error = adopt_config(config, caller)) return Failure::from_errno(error);
    }
    return setup_.journal->will_make(caller.call, place.name(), type);
}

void Gate::set_repositories(const std::vector<std::string>& directories) {
    repositories_ = std::make_shared<const git::Repositories>(
        git::leading_repositories(*root_, directories, setup_.home));
}

void Gate::forget(int listener) {
    std::erase_if(parked_, [&](const Parked& each) { return each.caller.listener == listener; });
    std::erase_if(drafts_, [&](const Draft& each) { return each.listener == listener; });
    std::erase_if(late_refusals_, [&](const auto& each) { return each.first == listener; });
}

namespace {

void name_in_root(std::string& path, const std::string& prefix) {
    if (!prefix.empty()) path = path == "." ? prefix : prefix + "/" + path;
}

void name_in_root(std::optional<GateRefusal>& refusal, const std::string& prefix) {
    if (refusal) name_in_root(refusal->path, prefix);
}

}  // namespace

void Gates::add(std::unique_ptr<Gate> gate, std::string prefix) {
    entries_.push_back({std::move(gate), std::move(prefix)});
}

Gate::Answer Gates::handle(const sys::seccomp::Notification& call, int listener, const CallIds& of,
                           std::optional<GateRefusal>& refused) {
    for (std::size_t i = 0; i < entries_.size(); ++i) {
        Gate& gate = *entries_[i].gate;
        const Gate::Answer answer = gate.handle(call, listener, of[i], refused);
        name_in_root(refused, entries_[i].prefix);
        if (answer != Gate::Answer::kContinue) return answer;
    }
    // Each took it for another's, or could not read the path: somebody exchanges it meanwhile.
    if (!entries_.front().gate->may_let_through(call)) {
        (void)sys::seccomp::answer(listener, call.id, 0, EACCES);
        return Gate::Answer::kDone;
    }
    return Gate::Answer::kContinue;
}

bool Gates::has_parked() const noexcept {
    return std::any_of(entries_.begin(), entries_.end(),
                       [](const Entry& each) { return each.gate->has_parked(); });
}

void Gates::retry() {
    for (Entry& each : entries_) each.gate->retry();
}

std::optional<GateRefusal> Gates::take_refusal(int listener) {
    for (Entry& each : entries_) {
        auto refusal = each.gate->take_refusal(listener);
        name_in_root(refusal, each.prefix);
        if (refusal) return refusal;
    }
    return std::nullopt;
}

void Gates::set_repositories(std::span<const std::string> directories) {
    for (Entry& each : entries_) {
        std::vector<std::string> own;
        for (const std::string& directory : directories) {
            const bool is_absolute = directory.starts_with('/');
            if (each.prefix.empty() && !is_absolute) own.push_back(directory);
            if (each.prefix.empty() || !is_within(directory, each.prefix)) continue;
            own.push_back(directory.substr(std::min(directory.size(), each.prefix.size() + 1)));
        }
        each.gate->set_repositories(own);
    }
}

void Gates::forget(int listener) {
    for (Entry& each : entries_) each.gate->forget(listener);
}

journal::Changes Gates::end_call(const CallIds& calls, std::vector<journal::NameChange>& names) {
    journal::Changes all;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
        std::vector<journal::NameChange> own;
        const journal::Changes one = entries_[i].gate->journal().end_call(calls[i], &own);
        all.made += one.made;
        all.changed += one.changed;
        all.removed += one.removed;
        all.not_kept += one.not_kept;
        for (journal::NameChange& name : own) {
            if (names.size() >= limits::kChangedNamesMax) break;
            name_in_root(name.path, entries_[i].prefix);
            if (!name.from.empty()) name_in_root(name.from, entries_[i].prefix);
            names.push_back(std::move(name));
        }
    }
    return all;
}

}  // namespace paddock::sandbox
