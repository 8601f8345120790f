#include "search/walked_directory.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <numeric>

#include <paddock/limits.h>

#include "fs/entry.h"
#include "fs/resolver.h"

namespace paddock::search {
namespace {

// Room for most directories from the beginning: a tree has many small ones.
constexpr std::size_t kEntriesUsual = 64;
constexpr std::size_t kNameBytesUsual = 16;

bool is_worth_walking(FileType type) {
    return type == FileType::kRegular || type == FileType::kDirectory || type == FileType::kSymlink;
}

}  // namespace

WalkedDirectory::WalkedDirectory(WalkShare& share, UniqueFd fd, std::string path)
    : share_(share), fd_(std::move(fd)), path_(std::move(path)) {
    share_.held.fetch_add(1, std::memory_order_relaxed);
}

WalkedDirectory::~WalkedDirectory() {
    if (fd_.valid()) share_.held.fetch_sub(1, std::memory_order_relaxed);
}

Outcome<std::shared_ptr<const WalkedDirectory>> WalkedDirectory::read(WalkShare& share,
                                                                      unsigned worker, UniqueFd fd,
                                                                      std::string path,
                                                                      const IgnoreScope& above) {
    const std::shared_ptr<WalkedDirectory> made(
        new WalkedDirectory(share, std::move(fd), std::move(path)));
    PADDOCK_ASSIGN(present, made->list(share.readers[worker]));
    if (!share.options.ignored) {
        made->scope_ = ignore_scope_in(share.state, made->fd_.get(), made->path_, above, present,
                                       share.options.global_rules);
    }
    made->choose();
    if (share.held.load(std::memory_order_relaxed) > limits::kSearchHeldDirectoriesMax) {
        made->fd_.reset();
        share.held.fetch_sub(1, std::memory_order_relaxed);
    }
    return std::shared_ptr<const WalkedDirectory>(made);
}

Outcome<IgnoreFilesPresent> WalkedDirectory::list(sys::DirReader& reader) {
    IgnoreFilesPresent present;
    entries_.reserve(kEntriesUsual);
    names_.reserve(kEntriesUsual * kNameBytesUsual);
    reader.reset();
    for (;;) {
        auto entry = reader.next(fd_.get());
        // A removed directory that is still open reads as ENOENT: it has no entries.
        if (!entry && entry.error().os_error == ENOENT) break;
        if (!entry) return entry.error();
        if (*entry == nullptr) break;
        const std::string_view name = (*entry)->name;
        if (name.front() == '.') {
            present.note(name);
            if (!share_.options.hidden) continue;
        }
        const FileType type = fs::type_of_entry(fd_.get(), **entry);
        if (!share_.options.sockets && !is_worth_walking(type)) continue;
        if (entries_.size() == share_.options.directory_entries_max) {
            return refuse(Code::kLimitReached, "has too many entries");
        }
        entries_.push_back({static_cast<std::uint32_t>(names_.size()),
                            static_cast<std::uint32_t>(name.size()),
                            type,
                            {}});
        names_.append(name.data(), name.size() + 1);
    }
    return present;
}

void WalkedDirectory::choose() {
    std::string path;
    path.reserve(path_.size() + 1 + limits::kComponentBytesMax);
    if (!path_.empty()) path.append(path_).append(1, '/');
    const std::size_t prefix_bytes = path.size();
    std::uint64_t excluded = 0;
    std::string first_excluded;
    bool is_first_directory = false;
    const auto unwanted = [&](Entry& entry) {
        path.resize(prefix_bytes);
        path += text(entry);
        entry.interest = share_.choose(path, text(entry), entry.type);
        if (!entry.interest.take && !entry.interest.enter) return true;
        if (share_.options.visible && !share_.options.visible(path, entry.type)) return true;
        const bool is_directory = entry.type == FileType::kDirectory;
        if (!scope_ || !scope_->ignores(path, is_directory)) return false;
        if (++excluded > 1 && path > first_excluded) return true;
        first_excluded = path;
        is_first_directory = is_directory;
        return true;
    };
    entries_.erase(std::remove_if(entries_.begin(), entries_.end(), unwanted), entries_.end());
    if (excluded > 0) note_excluded(excluded, std::move(first_excluded), is_first_directory);
    std::sort(entries_.begin(), entries_.end(),
              [this](const Entry& a, const Entry& b) { return text(a) < text(b); });
}

void WalkedDirectory::note_excluded(std::uint64_t names, std::string first,
                                    bool is_directory) const {
    const std::lock_guard lock(share_.mutex);
    Excluded& all = share_.excluded;
    const bool is_first = all.names == 0 || first < all.first;
    all.names += names;
    if (!is_first) return;
    auto ruling = scope_->ruling(first, is_directory);
    all.first = std::move(first);
    all.file = std::move(ruling.file);
    all.line = ruling.line;
}

std::string_view WalkedDirectory::text(const Entry& entry) const noexcept {
    return {&names_[entry.begin], entry.bytes};
}

std::string WalkedDirectory::path(const Entry& entry) const {
    std::string path;
    path.reserve(path_.size() + 1 + entry.bytes);
    append_path(entry, path);
    return path;
}

void WalkedDirectory::append_path(const Entry& entry, std::string& to) const {
    if (!path_.empty()) to.append(path_).append(1, '/');
    to += text(entry);
}

std::size_t WalkedDirectory::path_bytes(std::size_t first, std::size_t end) const noexcept {
    return std::accumulate(entries_.begin() + static_cast<std::ptrdiff_t>(first),
                           entries_.begin() + static_cast<std::ptrdiff_t>(end),
                           (end - first) * (path_.size() + 1),
                           [](std::size_t sum, const Entry& entry) { return sum + entry.bytes; });
}

Outcome<WalkedDirectory::Held> WalkedDirectory::hold() const {
    if (fd_.valid()) return Held{fd_.get()};
    fs::RelPath at;
    at.text = path_;
    PADDOCK_ASSIGN(fd, fs::open_object(share_.state, at, O_PATH | O_DIRECTORY, Symlinks::kReject));
    const int number = fd.get();
    return Held{number, std::move(fd)};
}

}  // namespace paddock::search
