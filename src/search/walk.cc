#include "search/walk.h"

#include <fcntl.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <deque>
#include <exception>
#include <list>
#include <mutex>
#include <numeric>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include <paddock/limits.h>

#include "fs/readable.h"
#include "fs/resolver.h"
#include "sys/files.h"
#include "sys/io.h"

namespace paddock::search {
namespace {

std::atomic<unsigned> searches_running = 0;

class OrderedWork {
public:
    OrderedWork(unsigned threads, std::size_t bytes_ahead_max)
        : threads_max_(std::max(threads, 1U)), bytes_ahead_max_(bytes_ahead_max) {
        ++searches_running;
    }
    OrderedWork(const OrderedWork&) = delete;
    OrderedWork& operator=(const OrderedWork&) = delete;
    ~OrderedWork() { --searches_running; }

    void run(std::unique_ptr<Task> first) {
        Task::List tasks;
        tasks.push_back(std::move(first));
        nodes_ = waiting(tasks);
        waiting_ = 1;
        work_or_stop(0);
        for (Helper& helper : helpers_) {
            if (helper.thread.joinable()) helper.thread.join();
        }
        if (thrown_) std::rethrow_exception(thrown_);
    }

private:
    enum class State : std::uint8_t { kWaiting, kRunning, kDone };

    // A helper leaves when other searches begin and take its processor, and can come back.
    struct Helper {
        std::thread thread;
        bool has_left = false;
    };

    // Neighbours that are done become one node, so there are never more nodes in front of the first
    // waiting one than two for each thread.
    struct Node {
        explicit Node(State now) : state(now) {}
        State state;
        Task::List tasks;
        std::size_t bytes = 0;
    };
    using Nodes = std::list<Node>;

    static Nodes waiting(Task::List& tasks);
    void work_or_stop(unsigned worker) noexcept;
    void work(unsigned worker);
    Nodes::iterator claim(std::unique_lock<std::mutex>& lock);
    void finish(Nodes::iterator node, Nodes behind);
    void deliver(std::unique_lock<std::mutex>& lock);
    void start_helpers();

    // Of all processors, the part that falls to each search of the process.
    std::size_t share() const {
        const unsigned running = std::max(searches_running.load(std::memory_order_relaxed), 1U);
        return (threads_max_ + running - 1) / running;
    }

    // The one that all others wait for is never held back.
    bool may_claim(Nodes::const_iterator node) const {
        return node->state == State::kWaiting &&
               (node == nodes_.begin() || bytes_ahead_ <= bytes_ahead_max_);
    }

    const unsigned threads_max_;
    const std::size_t bytes_ahead_max_;
    std::mutex mutex_;
    std::condition_variable changed_;
    Nodes nodes_;  // in order; what was delivered is gone
    std::size_t waiting_ = 0;
    std::size_t bytes_ahead_ = 0;
    bool delivering_ = false;
    bool stopped_ = false;
    std::exception_ptr thrown_;   // by a task, the first
    std::deque<Helper> helpers_;  // the first is worker 1
};

OrderedWork::Nodes OrderedWork::waiting(Task::List& tasks) {
    Nodes nodes;
    for (auto& task : tasks) nodes.emplace_back(State::kWaiting).tasks.push_back(std::move(task));
    return nodes;
}

void OrderedWork::work_or_stop(unsigned worker) noexcept {
    try {
        work(worker);
    } catch (...) {
        const std::lock_guard lock(mutex_);
        if (!thrown_) thrown_ = std::current_exception();
        stopped_ = true;
        changed_.notify_all();
    }
}

void OrderedWork::work(unsigned worker) {
    std::unique_lock lock(mutex_);
    for (Task::List behind;; behind.clear()) {
        const auto node = claim(lock);
        if (node == nodes_.end()) return;
        lock.unlock();
        node->tasks.front()->run(worker, behind);
        Nodes added = waiting(behind);
        lock.lock();
        finish(node, std::move(added));
        deliver(lock);
        if (worker == 0) start_helpers();
        if (worker == 0 || worker < share()) continue;
        helpers_[worker - 1].has_left = true;
        changed_.notify_all();  // what it delivered may let others go on
        return;
    }
}

// Waits for something to do; the end of the list if there will be nothing any more.
OrderedWork::Nodes::iterator OrderedWork::claim(std::unique_lock<std::mutex>& lock) {
    for (;;) {
        if (stopped_ || nodes_.empty()) return nodes_.end();
        for (auto node = nodes_.begin(); waiting_ > 0 && node != nodes_.end(); ++node) {
            if (node->state != State::kWaiting) continue;
            if (!may_claim(node)) break;
            node->state = State::kRunning;
            --waiting_;
            return node;
        }
        changed_.wait(lock);
    }
}

void OrderedWork::finish(Nodes::iterator node, Nodes behind) {
    const auto next = std::next(node);
    const bool brings_work = !behind.empty();
    waiting_ += behind.size();
    nodes_.splice(next, std::move(behind));
    node->state = State::kDone;
    node->bytes = node->tasks.front()->bytes();
    bytes_ahead_ += node->bytes;
    const auto join = [this](Nodes::iterator left, Nodes::iterator right) {
        std::move(right->tasks.begin(), right->tasks.end(), std::back_inserter(left->tasks));
        left->bytes += right->bytes;
        nodes_.erase(right);
    };
    if (!brings_work && next != nodes_.end() && next->state == State::kDone) join(node, next);
    if (node != nodes_.begin() && std::prev(node)->state == State::kDone) {
        join(std::prev(node), node);
    }
    if (brings_work) changed_.notify_all();
}

void OrderedWork::deliver(std::unique_lock<std::mutex>& lock) {
    if (delivering_) return;
    delivering_ = true;
    while (!stopped_ && !nodes_.empty() && nodes_.front().state == State::kDone) {
        Task::List ready = std::move(nodes_.front().tasks);
        bytes_ahead_ -= nodes_.front().bytes;
        nodes_.pop_front();
        lock.unlock();
        Next next = Next::kGoOn;
        for (const auto& task : ready) {
            next = task->deliver();
            if (next == Next::kStop) break;
        }
        ready.clear();  // here, where nobody waits for the lock
        lock.lock();
        if (next == Next::kStop) stopped_ = true;
        if (stopped_ || nodes_.empty() || bytes_ahead_max_ > 0) changed_.notify_all();
    }
    delivering_ = false;
}

void OrderedWork::start_helpers() {
    const std::size_t wanted = std::min<std::size_t>(share() - 1, waiting_);
    for (std::size_t i = 0; i < wanted; ++i) {
        if (i == helpers_.size()) helpers_.emplace_back().has_left = true;
        Helper& helper = helpers_[i];
        if (!helper.has_left) continue;
        if (helper.thread.joinable()) helper.thread.join();
        try {
            const auto number = static_cast<unsigned>(i) + 1;
            helper.thread = std::thread([this, number] { work_or_stop(number); });
            helper.has_left = false;
        } catch (const std::system_error&) {
            return;  // the machine has no more; those that there are do all the work
        }
    }
}

}  // namespace

unsigned search_threads(unsigned wanted) noexcept {
    if (wanted == 0) wanted = std::thread::hardware_concurrency();
    return std::clamp(wanted, 1U, kSearchThreadsMax);
}

void run_in_order(std::unique_ptr<Task> first, unsigned threads, std::size_t bytes_ahead_max) {
    OrderedWork(threads, bytes_ahead_max).run(std::move(first));
}

namespace {

Outcome<std::string> content_of(const Handle& file) {
    std::string content(limits::kIgnoreFileBytesMax < file.stat().size
                            ? limits::kIgnoreFileBytesMax + 1
                            : file.stat().size,
                        '\0');
    for (std::size_t filled = 0; filled < content.size();) {
        PADDOCK_ASSIGN(got, sys::read(file.fd(), content.data() + filled, content.size() - filled));
        if (got == 0) content.resize(filled);
        filled += got;
    }
    return content;
}

IgnoreFile read_rules(const fs::RootState& state, int directory, const char* name) {
    const auto file = fs::open_file_entry(state, directory, name);
    if (!file) return nullptr;
    const auto content = content_of(*file);
    if (!content) return nullptr;
    auto rules = text::IgnoreFile::parse(*content);
    if (!rules || rules->empty()) return nullptr;
    return std::make_shared<const text::IgnoreFile>(std::move(*rules));
}

IgnoreFile read_exclude(const fs::RootState& state, int directory) {
    const auto git = fs::open_directory_entry(state, directory, ".git");
    if (!git) return nullptr;
    const auto info = fs::open_directory_entry(state, git->get(), "info");
    return info ? read_rules(state, info->get(), "exclude") : nullptr;
}

}  // namespace

void IgnoreFilesPresent::note(std::string_view name) noexcept {
    if (name == ".ignore") ignore = true;
    if (name == ".gitignore") gitignore = true;
    if (name == ".git") repository = true;
}

IgnoreScope ignore_scope_in(const fs::RootState& state, int directory, std::string_view path,
                            IgnoreScope above, const IgnoreFilesPresent& present,
                            const GlobalIgnores& global) {
    const bool is_root = path.empty();
    if (!present.any() && !is_root) return above;
    text::IgnoreScope::Files files;
    files.starts_repository = present.repository || (is_root && global.root_in_repository);
    const bool in_repository = files.starts_repository || (above && above->is_in_repository());
    if (present.ignore) files.ignore = read_rules(state, directory, ".ignore");
    if (present.gitignore && in_repository)
        files.gitignore = read_rules(state, directory, ".gitignore");
    if (present.repository) files.exclude = read_exclude(state, directory);
    if (files.starts_repository) {
        files.global = global.in_repositories;
    } else if (is_root) {
        files.global = global.everywhere;
    }
    if (!files.ignore && !files.gitignore && !files.global && !files.starts_repository) {
        return above;
    }
    return std::make_shared<const text::IgnoreScope>(std::move(above), path, std::move(files));
}

IgnoreScope ignore_scope_above(const fs::RootState& state, std::string_view path,
                               const GlobalIgnores& global) {
    IgnoreScope scope;
    for (std::size_t slash = 0; !path.empty() && slash != path.npos;
         slash = path.find('/', slash + 1)) {
        fs::RelPath above;
        above.text = path.substr(0, slash);
        const auto directory = fs::open_object(state, above, O_PATH | O_DIRECTORY);
        if (!directory) break;
        const bool repository = sys::node_at(directory->get(), ".git").has_value();
        scope = ignore_scope_in(state, directory->get(), above.text, std::move(scope),
                                {true, true, repository}, global);
    }
    return scope;
}

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
    if (share.held.load(std::memory_order_relaxed) > kSearchHeldDirectoriesMax) {
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

namespace {

class DirectoryTask final : public Task {
public:
    DirectoryTask(WalkShare& share, Visitor& visitor, std::string path)
        : share_(share), visitor_(visitor), path_(std::move(path)) {}

    // A child of `parent`, or the start of the walk.
    void set_parent(std::shared_ptr<const WalkedDirectory> parent,
                    const WalkedDirectory::Entry& entry) {
        parent_ = std::move(parent);
        entry_ = entry;
    }
    void set_start(UniqueFd start, IgnoreScope above) {
        start_ = std::move(start);
        above_ = std::move(above);
    }

    void run(unsigned worker, List& behind) override;
    Next deliver() override;
    std::size_t bytes() const noexcept override { return 0; }

private:
    Outcome<std::shared_ptr<const WalkedDirectory>> open(unsigned worker);
    void hand_out(const std::shared_ptr<const WalkedDirectory>& directory, List& behind);

    WalkShare& share_;
    Visitor& visitor_;
    std::string path_;
    std::shared_ptr<const WalkedDirectory> parent_;
    WalkedDirectory::Entry entry_;
    UniqueFd start_;
    IgnoreScope above_;
    Done done_;
};

Outcome<std::shared_ptr<const WalkedDirectory>> DirectoryTask::open(unsigned worker) {
    if (parent_ == nullptr) {
        return WalkedDirectory::read(share_, worker, std::move(start_), path_, above_);
    }
    if (path_.size() > limits::kPathBytesMax) {
        return refuse(Code::kLimitReached, "is nested too deep");
    }
    PADDOCK_ASSIGN(held, parent_->hold());
    PADDOCK_ASSIGN(fd, fs::open_directory_entry(share_.state, held.fd, parent_->name(entry_)));
    return WalkedDirectory::read(share_, worker, std::move(fd), path_, parent_->scope());
}

void DirectoryTask::run(unsigned worker, List& behind) {
    if (visitor_.interrupted()) return;
    const auto directory = open(worker);
    parent_.reset();
    if (directory) {
        hand_out(*directory, behind);
    } else if (directory.error().os_error != ENOENT) {
        done_ = directory.error();
    }
}

void DirectoryTask::hand_out(const std::shared_ptr<const WalkedDirectory>& directory,
                             List& behind) {
    const auto& entries = directory->entries();
    const auto count = static_cast<std::uint32_t>(entries.size());
    const std::uint32_t batch_entries = visitor_.batch_entries();
    std::uint32_t begin = 0;
    std::uint32_t taken = 0;
    const auto end_batch = [&](std::uint32_t end) {
        if (taken > 0) behind.push_back(visitor_.visit({directory, begin, end}));
        begin = end;
        taken = 0;
    };
    for (std::uint32_t i = 0; i < count; ++i) {
        if (entries[i].interest.take && ++taken == batch_entries) end_batch(i + 1);
        if (!entries[i].interest.enter) continue;
        end_batch(i + 1);
        auto below = std::make_unique<DirectoryTask>(share_, visitor_, directory->path(entries[i]));
        below->set_parent(directory, entries[i]);
        behind.push_back(std::move(below));
    }
    end_batch(count);
}

Next DirectoryTask::deliver() {
    if (visitor_.interrupted()) return Next::kStop;
    return done_ ? Next::kGoOn : visitor_.unreadable(path_, done_.error());
}

}  // namespace

void walk_in_order(WalkShare& share, UniqueFd start, const fs::RelPath& path, Visitor& visitor,
                   unsigned threads) {
    IgnoreScope above;
    if (!share.options.ignored) {
        above = ignore_scope_above(share.state, path.text, share.options.global_rules);
    }
    share.readers.resize(threads);
    auto first = std::make_unique<DirectoryTask>(share, visitor, path.text);
    first->set_start(std::move(start), std::move(above));
    run_in_order(std::move(first), threads, kSearchAheadBytesMax);
}

}  // namespace paddock::search
