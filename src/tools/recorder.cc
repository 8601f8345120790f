#include "tools/recorder.h"

#include <cerrno>
#include <utility>

#include "base/text.h"
#include "fs/rel_path.h"
#include "journal/journal.h"

namespace paddock::tools {
namespace {

thread_local Recorder::Call* current_call = nullptr;

}  // namespace

bool is_for_want_of_rights(const Failure& why) noexcept {
    return why.code == Code::kPermissionDenied || why.code == Code::kReadOnly;
}

Outcome<journal::Journal*> Recorder::journal() {
    const std::lock_guard lock(mutex_);
    if (!journal_) {
        PADDOCK_ASSIGN(opened, journal::Journal::open(setup_.workspace.fd(), {.client = client_}));
        journal_.emplace(std::move(opened));
    }
    return &*journal_;
}

void Recorder::name_client(const std::string& client) {
    const std::lock_guard lock(mutex_);
    client_ = client;
    if (journal_) journal_->name_client(client);
}

bool Recorder::has_written(const Stat& stat) const noexcept {
    const std::lock_guard lock(mutex_);
    return journal_ && journal_->has_written(stat);
}

bool Recorder::is_own(const Stat& stat) const noexcept {
    const std::lock_guard lock(mutex_);
    return journal_ && journal_->is_own(stat);
}

std::uint64_t Recorder::shared_count() const noexcept {
    const std::lock_guard lock(mutex_);
    return journal_ ? journal_->shared_count() : 0;
}

void Recorder::increase_shared_count() noexcept {
    const std::lock_guard lock(mutex_);
    if (journal_) journal_->increase_shared_count();
}

Result<Recorder::Change> Recorder::begin() {
    if (!setup_.records) return Change(*this, nullptr, 0);
    const auto opened = journal();
    if (!opened && is_for_want_of_rights(opened.error())) return Change(*this, nullptr, 0);
    if (!opened) {
        return tool_error(opened.error().code,
                          "The journal of the workspace cannot be opened (" +
                              as_error(opened.error(), "open", {}).explanation() +
                              "). Nothing was changed, because it could not be undone.");
    }
    Call* call = current_call;
    while (call != nullptr && &call->recorder_ != this) call = call->outer_;
    if (call == nullptr) return Change(*this, *opened, 0);
    if (call->id_ == 0) call->id_ = (*opened)->begin_call(call->tool_, call->detail_);
    return Change(*this, *opened, call->id_);
}

Recorder::Call::Call(Recorder& recorder, std::string_view tool, std::string detail)
    : recorder_(recorder), tool_(tool), detail_(std::move(detail)), outer_(current_call) {
    current_call = this;
}

Recorder::Call::~Call() {
    current_call = outer_;
    if (id_ == 0) return;
    try {
        (void)recorder_.journal_->end_call(id_);
    } catch (...) {
        // Without its end, undo cannot tell who changed a file last, and asks.
    }
}

Recorder::Change::Change(const Recorder& recorder, journal::Journal* journal, journal::CallId call)
    : recorder_(recorder), journal_(journal), call_(call) {
    if (journal_ != nullptr) turn_ = std::make_unique<journal::Turn>(*journal_);
}

Outcome<std::optional<Recorder::Change::Held>> Recorder::Change::hold(
    const std::string& path) const {
    const std::string& base = recorder_.setup_.base;
    if (!records(path)) return std::nullopt;
    const std::string_view parent = fs::parent_of(path);
    auto directory = recorder_.setup_.root.open_directory(parent.empty() ? "." : parent);
    if (!directory) return static_cast<const Failure&>(directory.error());
    Held held;
    held.directory.emplace(std::move(*directory));
    held.leaf = fs::leaf_of(path);
    held.path = base.empty() ? path : path.substr(base.size() + 1);
    return std::optional<Held>(std::move(held));
}

Outcome<journal::Intent> Recorder::Change::will_make(const std::string& path, FileType type,
                                                     const std::optional<Stat>& replaced) {
    PADDOCK_ASSIGN(held, hold(path));
    if (!held) return journal::Intent();
    return journal_->will_make(call_, held->name(), type, replaced ? &*replaced : nullptr);
}

void Recorder::Change::made(const std::string& path, journal::Intent& intent) const {
    if (journal_ == nullptr) return;
    const auto stat = recorder_.setup_.root.lstat(path);
    if (stat) intent.made(*stat);
}

Outcome<journal::Intent> Recorder::Change::will_rename(const std::string& from,
                                                       const std::string& to, const Stat& stat,
                                                       const std::optional<Stat>& replaced) {
    PADDOCK_ASSIGN(source, hold(from));
    PADDOCK_ASSIGN(target, hold(to));
    const Stat* lost = replaced ? &*replaced : nullptr;
    // Into the workspace, or out of it: only without a boundary. What is lost inside is kept.
    if (!source && target && lost != nullptr) {
        return journal_->will_make(call_, target->name(), stat.type, lost);
    }
    if (!source || !target) return journal::Intent();
    return journal_->will_rename(call_, source->name(), target->name(), stat, lost);
}

Outcome<journal::Intent> Recorder::Change::will_exchange(const std::string& one,
                                                         const std::string& other) {
    PADDOCK_ASSIGN(first, hold(one));
    PADDOCK_ASSIGN(second, hold(other));
    // Across the border of the workspace: only without a boundary.
    if (!first || !second) return journal::Intent();
    return journal_->will_exchange(call_, first->name(), second->name());
}

Done Recorder::Change::will_chmod(const std::string& path, const Stat& stat) {
    PADDOCK_ASSIGN(held, hold(path));
    return held ? journal_->will_chmod(call_, held->name(), stat) : Done();
}

bool Recorder::Change::records(const std::string& path) const {
    return journal_ != nullptr && is_within(path, recorder_.setup_.base);
}

Done Recorder::Change::remove(const std::string& path, const Stat& stat) {
    // Somebody outside may have written to it since.
    const auto now = recorder_.setup_.root.lstat(path);
    if (!now) return static_cast<const Failure&>(now.error());
    if (!is_unwritten(*now, stat)) return refuse(Code::kRace);
    PADDOCK_ASSIGN(held, hold(path));
    if (held) {
        if (stat.type == FileType::kDirectory) return journal_->remove(call_, held->name(), stat);
        // Moved away it can be looked at again, and goes back if it is not what was meant.
        Done done = journal_->remove_tree(call_, held->name(), stat);
        if (done || !journal::cannot_be_moved(done.error())) return done;
        return journal_->remove(call_, held->name(), stat);
    }
    const auto done = recorder_.setup_.root.remove(path, stat);
    return done ? Done() : Done(static_cast<const Failure&>(done.error()));
}

Done Recorder::Change::remove_tree(const std::string& path, const Stat& stat,
                                   const std::stop_token& cancel) {
    if (stat.type != FileType::kDirectory) return remove(path, stat);
    PADDOCK_ASSIGN(held, hold(path));
    if (held) return journal_->remove_tree(call_, held->name(), stat);
    const auto done = recorder_.setup_.root.remove_all(path, cancel);
    return done ? Done() : Done(static_cast<const Failure&>(done.error()));
}

}  // namespace paddock::tools
