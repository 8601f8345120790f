// Configs and indexes of git: judged as a whole, and what was judged is what is installed.
#include "sandbox/gate.h"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include <paddock/limits.h>

#include "sys/attr.h"
#include "sys/child.h"
#include "sys/io.h"
#include "sys/name.h"
#include "sys/open.h"
#include "sys/stat.h"

namespace paddock::sandbox {
namespace {

Done read_judged(int file, std::string_view path, std::string& text) {
    std::array<char, 65536> part;
    for (;;) {
        PADDOCK_ASSIGN(got, sys::read(file, part.data(), part.size()));
        if (got == 0) return {};
        text.append(part.data(), got);
        if (text.size() > git::judged_bytes_max(path)) return Failure::from_errno(EFBIG);
    }
}

}  // namespace

int Gate::adopt_config(const std::string& path, const Caller& caller) {
    auto place = places_.beneath(path);
    if (!place) return error_of(place.error());
    const auto node = sys::node_at(place->directory.get(), place->leaf.c_str());
    if (!node) return error_of(node.error());
    const End end = install_config(*place, node->stat, *place, caller);
    return end.os_error;
}

// Whoever holds the old file open writes to it in vain: git gets a copy, and the copy was judged.
Gate::End Gate::install_config(const Place& from, const Stat& stat, const Place& to,
                               const Caller& caller) {
    if (stat.type != FileType::kRegular) return {.os_error = EACCES};
    auto file =
        sys::openat2(from.directory.get(), from.leaf.c_str(), O_RDONLY | O_NONBLOCK, kBeneath);
    if (!file) return {.os_error = error_of(file.error())};
    std::string text;
    if (const auto done = read_judged(file->get(), to.path, text); !done) {
        return {.os_error = error_of(done.error())};
    }
    const bool is_adopted = from.path == to.path;
    auto verdict =
        is_adopted ? judge_->judge_new_config(to.path, text) : judge_->judge_config(to.path, text);
    if (const auto error = refuse(std::move(verdict), to.path)) return {.os_error = *error};
    const auto old = sys::node_at(to.directory.get(), to.leaf.c_str());
    if (old && old->stat.type == FileType::kDirectory) return {.os_error = EISDIR};
    journal::Journal& journal = *setup_.journal;
    auto intent =
        journal.will_make(caller.call, to.name(), FileType::kRegular, old ? &old->stat : nullptr);
    if (!intent) return {.os_error = error_of(intent.error())};
    const auto written = write_config(to, text, stat);
    if (!written) {
        intent->failed();
        return {.os_error = error_of(written.error())};
    }
    made(to, *intent);
    if (is_adopted) return {};
    const auto gone = journal.remove(caller.call, from.name(), stat);
    return {.os_error = gone ? 0 : error_of(gone.error())};
}

// Git compares the time of an index with those of the files in it.
Done Gate::write_config(const Place& to, std::string_view text, const Stat& like) {
    PADDOCK_ASSIGN(random, sys::random_u64());
    const std::string temporary = ".paddock-" + std::to_string(random);
    sys::set_creation_mask(0);
    PADDOCK_ASSIGN(file, sys::openat2(to.directory.get(), temporary.c_str(),
                                      O_WRONLY | O_CREAT | O_EXCL, like.mode & 0777U, kBeneath));
    Done done = sys::write_all(file.get(), text);
    if (done) (void)sys::set_times(file.get(), {}, like.modified);
    if (done) {
        done = sys::renameat2(to.directory.get(), temporary.c_str(), to.directory.get(),
                              to.leaf.c_str(), sys::Rename::kReplace);
    }
    if (!done) {
        (void)sys::unlinkat(to.directory.get(), temporary.c_str(), sys::Unlink::kFile);
    }
    return done;
}

Gate::End Gate::give_draft(UniqueFd file, const GatedCall& call, const Caller& caller,
                           const Place& place) {
    constexpr std::size_t kDraftsMax = 64;
    constexpr std::uint64_t kOfNames = O_CREAT | O_EXCL | O_TRUNC | O_NOFOLLOW;
    const int wanted = static_cast<int>(call.flags & kOpenFlags & ~kOfNames) | O_TMPFILE;
    auto draft = sys::openat2(place.directory.get(), ".", wanted, call.mode & 07777, kBeneath);
    auto text = draft ? sys::openat(AT_FDCWD, own_descriptor(draft->get()).c_str(), O_RDONLY)
                      : Outcome<UniqueFd>(draft.error());
    const auto is_written =
        text ? sys::is_open_for_writing(text->get()) : Outcome<bool>(text.error());
    if (!is_written || !*is_written || drafts_.size() >= kDraftsMax) {
        const auto node = sys::node_at(place.directory.get(), place.leaf.c_str());
        if (node) (void)setup_.journal->remove(caller.call, place.name(), node->stat);
        return {.os_error =
                    *refuse(git::Refusal{PathAccess::kReadOnly, std::string(git::kConfigRule),
                                         "rename a finished file to this name"},
                            place.path)};
    }
    const End end = give(std::move(*draft), call, caller, &place);
    if (end.os_error == 0) {
        drafts_.push_back({caller.listener, std::move(*text), std::move(file)});
    }
    return end;
}

void Gate::settle_drafts() {
    std::erase_if(drafts_, [&](const Draft& draft) {
        const auto is_written = sys::is_open_for_writing(draft.text.get());
        if (is_written && *is_written) return false;
        const journal::Turn turn(*setup_.journal);
        std::string text;
        // Its directory may have another name by now.
        auto object = places_.object_behind(own_descriptor(draft.file.get()));
        if (!object || object->place.path.empty()) return true;
        const std::string& path = object->place.path;
        git::Verdict verdict =
            read_judged(draft.text.get(), path, text)
                ? judge_->judge_new_config(path, text)
                : git::Verdict(git::Refusal{PathAccess::kReadOnly, std::string(git::kConfigRule),
                                            "it could not be read"});
        if (verdict) {
            deed_ = Deed::kWrite;
            (void)refuse(std::move(verdict), path);
            late_refusals_.emplace_back(draft.listener, *std::exchange(refused_, {}));
            return true;
        }
        (void)sys::write_all(draft.file.get(), text);
        if (const auto stat = sys::fstat(draft.text.get())) {
            (void)sys::fchmod(draft.file.get(), stat->mode & 0777U);
        }
        return true;
    });
}

std::optional<GateRefusal> Gate::take_refusal(int listener) {
    const auto found = std::find_if(late_refusals_.begin(), late_refusals_.end(),
                                    [&](const auto& late) { return late.first == listener; });
    if (found == late_refusals_.end()) return std::nullopt;
    GateRefusal taken = std::move(found->second);
    late_refusals_.erase(found);
    return taken;
}

}  // namespace paddock::sandbox
