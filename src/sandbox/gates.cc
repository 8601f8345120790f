#include "sandbox/gates.h"

#include <algorithm>
#include <cerrno>

#include <paddock/limits.h>

#include "base/within.h"

namespace paddock::sandbox {
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
