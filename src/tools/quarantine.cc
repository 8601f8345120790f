#include "tools/quarantine.h"

#include <array>
#include <cstdio>
#include <utility>

#include "fs/copy.h"
#include "fs/rel_path.h"
#include "fs/resolver.h"
#include "fs/tree.h"
#include "sys/io.h"

namespace paddock::tools {
namespace {

constexpr Mode kPrivateFile = 0600;
constexpr Mode kPrivateDirectory = 0700;

// No program obeys a name that ends so. Every name gets an ending, so that none gets another's
// name.
constexpr std::string_view kEnding = ".kept";
constexpr std::string_view kLinkEnding = ".link";
constexpr std::size_t kNameBytes = limits::kComponentBytesMax - kEnding.size();

template <class T>
Done done(const Result<T>& result) {
    if (result) return {};
    return static_cast<const Failure&>(result.error());
}

Done write_private(const Root& where, const std::string& path, const std::string& text) {
    WriteOptions options;
    options.mode = kPrivateFile;
    options.durability = Durability::kNone;
    return done(where.write_file(path, text, options));
}

// One that has to be cut is told from others that begin alike.
std::string kept_name(std::string_view name, FileType type) {
    std::string kept(name);
    if (name.size() > kNameBytes) {
        std::array<char, 18> mark{};
        (void)std::snprintf(mark.data(), mark.size(), "-%016zx",
                            std::hash<std::string_view>()(name));
        kept.replace(kNameBytes - mark.size() + 1, std::string::npos, mark.data());
    }
    return kept.append(type == FileType::kSymlink ? kLinkEnding : kEnding);
}

// Of something in a directory that is kept.
std::string kept_path(std::string_view below, FileType type) {
    std::string path;
    while (!below.empty()) {
        const std::string_view name = fs::take_component(below);
        path.append("/").append(kept_name(name, below.empty() ? type : FileType::kDirectory));
    }
    return path;
}

}  // namespace

Quarantine::Quarantine(Root workspace, std::optional<Root> where, Spares spares)
    : workspace_(std::move(workspace)), where_(std::move(where)), spares_(std::move(spares)) {}

Done Quarantine::make_session() {
    if (!session_.empty()) return {};
    PADDOCK_ASSIGN(number, sys::random_u64());
    std::array<char, 17> name{};
    (void)std::snprintf(name.data(), name.size(), "%016llx",
                        static_cast<unsigned long long>(number));
    PADDOCK_TRY(done(where_->mkdir(name.data(), kPrivateDirectory)));
    session_ = name.data();
    return {};
}

std::string Quarantine::keep(const std::string& path, const Stat& judged) {
    if (!where_ || !make_session()) return {};
    const std::string item = session_ + "/" + std::to_string(++number_);
    std::string name = fs::joined(item, kept_name(fs::leaf_of(path), judged.type));
    std::size_t lost = 0;
    const Done kept = [&]() -> Done {
        PADDOCK_TRY(done(where_->mkdir(item, kPrivateDirectory)));
        PADDOCK_TRY(copy(path, judged, name, lost));
        const std::string rest =
            lost == 0 ? "" : std::to_string(lost) + " names below it could not be kept\n";
        return write_private(*where_, item + "/origin", path + "\n" + rest);
    }();
    if (kept) return name;
    drop(name);
    return {};
}

void Quarantine::drop(const std::string& kept) const {
    if (!kept.empty()) (void)where_->remove_all(fs::parent_of(kept));
}

Quarantine::Taken Quarantine::take(const std::string& path, const Stat& judged) {
    Taken taken{keep(path, judged), remove(path, judged)};
    if (taken.removed) return taken;
    if (taken.removed.error().code == Code::kNotFound) taken.removed = refuse(Code::kRace);
    if (taken.removed.error().code == Code::kRace) drop(std::exchange(taken.kept, {}));
    return taken;
}

Done Quarantine::copy(const std::string& from, const Stat& judged, const std::string& to,
                      std::size_t& lost) {
    const auto stat = workspace_.lstat(from);
    if (!stat) return done(stat);
    if (!is_same_object(*stat, judged)) return refuse(Code::kRace);
    if (stat->type == FileType::kDirectory) return copy_tree(from, to, lost);
    return copy_one(from, to, stat->type);
}

// What cannot be kept, for its size or depth, costs nobody else the place.
Done Quarantine::copy_tree(const std::string& from, const std::string& to, std::size_t& lost) {
    PADDOCK_TRY(copy_one(from, to, FileType::kDirectory));
    const Status walked = workspace_.walk(from, [&](const WalkEntry& entry) {
        const std::string kept = to + kept_path(entry.path.substr(from.size()), entry.type);
        const bool is_kept =
            entry.failure == nullptr && copy_one(std::string(entry.path), kept, entry.type);
        if (!is_kept) ++lost;
        return WalkAction::kContinue;
    });
    return done(walked);
}

Done Quarantine::copy_one(const std::string& from, const std::string& to, FileType type) {
    if (names_left_ == 0) return refuse(Code::kLimitReached);
    --names_left_;
    if (type == FileType::kDirectory) return done(where_->mkdir(to, kPrivateDirectory));
    if (type == FileType::kSymlink) {
        const auto target = workspace_.readlink(from);
        if (!target) return done(target);
        return write_private(*where_, to, target->text + "\n");
    }
    if (type != FileType::kRegular) return {};
    const auto source = workspace_.open_file(from);
    if (!source) return done(source);
    if (source->stat().size > bytes_left_) return refuse(Code::kTooLarge);
    bytes_left_ -= source->stat().size;
    const auto target = where_->create_exclusive(to, kPrivateFile);
    if (!target) return done(target);
    return fs::copy_content(source->fd(), source->stat().size, target->fd());
}

Done Quarantine::remove(const std::string& path, const Stat& judged) const {
    const fs::RootState& state = fs::state_of(workspace_);
    PADDOCK_ASSIGN(at, fs::parse_path(path, state.rules));
    PADDOCK_ASSIGN(place, fs::locate_name(state, at));
    const fs::Sparing sparing{judged, spares_};
    return fs::remove_tree(state, place, &sparing);
}

}  // namespace paddock::tools
