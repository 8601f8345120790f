#include "cli/prove/trial.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <system_error>
#include <thread>

#include <paddock/root.h>
#include <paddock/tools.h>
#include <paddock/workspace.h>

#include "cli/workspace_options.h"
#include "json/write.h"
#include "sys/identity.h"
#include "sys/process.h"
#include "sys/socket.h"
#include "tools/session.h"
#include "tools/shell.h"

namespace paddock::cli::prove {
namespace {

namespace stdfs = std::filesystem;

constexpr std::string_view kGraffiti = "written by the attacker";

template <typename Made>
Made made_or_throw(Outcome<Made> made, const char* what) {
    if (!made) throw std::runtime_error(what);
    return std::move(*made);
}

// --- the ground ------------------------------------------------------------------------------

void must(bool done, const std::string& what) {
    if (!done) throw std::system_error(errno, std::generic_category(), what);
}

// The first 4 KiB of a file, without waiting for a FIFO. Empty if it cannot be read.
std::string content_of(const std::string& path) {
    const UniqueFd file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    std::array<char, 4096> block;
    const ssize_t got = file.valid() ? ::read(file.get(), block.data(), block.size()) : -1;
    return {block.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0))};
}

void write_file(const std::string& path, std::string_view content) {
    const UniqueFd file(
        ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NONBLOCK | O_CLOEXEC, 0644));
    must(file.valid(), path);
    const ssize_t written = ::write(file.get(), content.data(), content.size());
    must(written == static_cast<ssize_t>(content.size()), path);
}

void plant_one(const Ground& ground, std::string_view entry) {
    const std::size_t end = std::min(entry.find_first_of("-=|%&"), entry.size());
    const std::string path = ground.ws(entry.substr(0, end));
    const std::string rest(entry.substr(end));
    stdfs::create_directories(stdfs::path(path).parent_path());
    if (rest.empty()) {
        stdfs::create_directories(path);
    } else if (rest[0] == '-') {
        must(::symlink(rest.c_str() + 2, path.c_str()) == 0, path);
    } else if (rest[0] == '=') {
        write_file(path, rest == "=@" ? kSecret : std::string_view(rest).substr(1));
    } else if (rest[0] == '|') {
        must(::mkfifo(path.c_str(), 0644) == 0, path);
    } else if (rest[0] == '%') {
        const auto mode = std::strtoul(rest.c_str() + 1, nullptr, 8);
        must(::chmod(path.c_str(), static_cast<mode_t>(mode)) == 0, path);
    } else {
        must(::link(ground.ws(rest.substr(1)).c_str(), path.c_str()) == 0, path);
    }
}

// --- the careless tool -------------------------------------------------------------------------
// As it is met in the field: a look at the text of a path, or at the disk, and then a call by name.
// Every link of a Ground ends in that Ground, so that nothing but decoys can be reached.

bool is_below(const std::string& directory, const std::string& path) {
    return path == directory || path.starts_with(directory + "/");
}

// The real path of the part that exists.
std::string real_path(stdfs::path path) {
    while (!stdfs::exists(path)) path = path.parent_path();
    return stdfs::canonical(path);
}

// `path` as the caller wrote it, `whole` as it would be used.
bool passes(Check check, const std::string& ws, const std::string& path, const std::string& whole) {
    const std::string normal = stdfs::path(whole).lexically_normal();
    switch (check) {
        case Check::kNothing: return true;
        case Check::kNoDots: return !path.starts_with("..");
        case Check::kDenylist: return !path.ends_with("keys");
        case Check::kLexical: return is_below(ws, normal);
        case Check::kPrefix: return normal.starts_with(ws);
        case Check::kNoLink: return is_below(ws, normal) && !stdfs::is_symlink(whole);
        case Check::kRealPath: return is_below(ws, real_path(whole));
    }
    return false;
}

void remove_carelessly(const std::string& path) {
    if (stdfs::symlink_status(path).type() == stdfs::file_type::directory) {
        for (const auto& entry : stdfs::directory_iterator(path)) remove_carelessly(entry.path());
    }
    stdfs::remove(path);
}

Attempt try_carelessly(const Ground& ground, const PathAttack& attack) try {
    constexpr auto kFollow = stdfs::directory_options::follow_directory_symlink;
    const std::string path = ground.spelled(attack.path);
    const std::string whole = path.starts_with('/') ? path : ground.ws(path);
    if (!passes(attack.check, ground.at("ws"), path, whole)) return {};
    Attempt made;
    switch (attack.call) {
        case Call::kRead:
            made.would_block = stdfs::is_fifo(whole);
            made.got = content_of(whole);
            break;
        case Call::kSearch:
            for (const auto& entry : stdfs::recursive_directory_iterator(whole, kFollow)) {
                made.got += content_of(entry.path());
            }
            break;
        case Call::kWrite: write_file(whole, kGraffiti); break;
        case Call::kReplace:
            write_file(whole + ".new", kGraffiti);
            stdfs::permissions(whole + ".new", stdfs::status(whole).permissions());
            stdfs::rename(whole + ".new", whole);
            break;
        case Call::kRemoveAll: remove_carelessly(whole); break;
    }
    return made;
} catch (const std::system_error&) {
    return {};  // it complains; nothing is gained
}

// --- paddock, and the judge of both ------------------------------------------------------------

// paddock's answer as an Attempt.
template <typename Answer>
Attempt answered(const Answer& answer, std::string got = {}) {
    return {std::move(got), answer ? std::nullopt : std::optional(answer.error().code)};
}

Attempt try_guarded(const Root& root, Call call, const std::string& path) {
    // Not made durable: a race is about names, and makes thousands of writes.
    constexpr WriteOptions kFast{.mode = {}, .durability = Durability::kNone};
    std::string got;
    const auto read_entry = [&](const WalkEntry& entry) {
        got += root.read_file(entry.path).value_or("");
        return WalkAction::kContinue;
    };
    switch (call) {
        case Call::kRead: {
            const auto content = root.read_file(path);
            return answered(content, content.value_or(""));
        }
        case Call::kSearch: {
            const auto walked = root.walk(path, read_entry);
            return answered(walked, got);
        }
        case Call::kWrite:
        case Call::kReplace: return answered(root.write_file(path, kGraffiti, kFast));
        case Call::kRemoveAll: return answered(root.remove_all(path));
    }
    return {};
}

// What is wrong after a try; empty if nothing is.
std::string harm_of(const Attempt& made, const Ground& ground, const PathAttack& attack,
                    const std::string& outside_before) {
    if (made.got.find(kSecret) != made.got.npos) return "outside was read";
    if (ground.outside() != outside_before) return "outside was changed";
    if (attack.call != Call::kReplace) return "";
    const auto mode = stdfs::status(ground.ws(attack.path)).permissions();
    const bool sets_id = (mode & stdfs::perms::set_uid) != stdfs::perms::none;
    return sets_id ? "new content runs as the file's owner" : "";
}

bool exchange_names(const std::string& one, const std::string& other) {
    return ::renameat2(AT_FDCWD, one.c_str(), AT_FDCWD, other.c_str(), RENAME_EXCHANGE) == 0;
}

// Exchanges two names again and again, until it is destroyed: the attacker of a race. While one of
// the names is absent it does nothing, and tries on.
std::jthread start_swapper(std::string one, std::string other) {
    if (!exchange_names(one, other) || !exchange_names(one, other)) {
        throw std::runtime_error("this file system cannot exchange two names");
    }
    return std::jthread(
        [one = std::move(one), other = std::move(other)](const std::stop_token& ended) {
            // Idle turns between two exchanges: without them the lock on the directory would hardly
            // ever be free for the other side. At most about as long as a check takes, and a
            // different number each time, so that the two sides do not fall into step.
            constexpr unsigned kIdleTurnsMax = 32768;
            unsigned idle_turns = 0;
            while (!ended.stop_requested()) {
                exchange_names(one, other);
                idle_turns = (idle_turns * 5 + 3) % kIdleTurnsMax;
                for (unsigned i = 0; i < idle_turns && !ended.stop_requested(); ++i) {
                }
            }
        });
}

// paddock's answer has to be the row's, or the row proves nothing: the attack may not have been
// there at all. In a race both answers are right.
Verdict compared(Verdict verdict, const PathAttack& attack) {
    const std::string must = attack.must ? std::string(code_name(*attack.must)) : "";
    if (attack.race || verdict.is_leak() || verdict.detail == must) return verdict;
    return {Fate::kSkipped, "paddock answered '" + verdict.detail + "', expected '" + must + "'"};
}

// On a busy machine the two sides of a race seldom run at the same time. The control stops at its
// first leak, so that it can be given more tries.
constexpr int kControlTimes = 4;

Verdict try_on(const Ground& ground, const PathAttack& attack, std::optional<ResolverKind> resolver,
               int rounds) {
    if (!resolver) {
        const auto act = [&] { return try_carelessly(ground, attack); };
        return judge(ground, attack, act, kControlTimes * rounds);
    }
    RootOptions options;
    options.resolver = *resolver;
    const auto root = Root::open(ground.at("ws"), options);
    if (!root) return {Fate::kSkipped, root.error().message()};
    const auto act = [&] { return try_guarded(*root, attack.call, ground.spelled(attack.path)); };
    return compared(judge(ground, attack, act, rounds), attack);
}

// As root directly; as an ordinary user by way of a user namespace in which one is root.
bool mount_outside(const Ground& ground, std::string_view name) {
    const std::string uid = std::to_string(::geteuid());
    const std::string gid = std::to_string(::getegid());
    if (!sys::unshare(CLONE_NEWNS)) {
        if (!sys::unshare(CLONE_NEWUSER | CLONE_NEWNS)) return false;
        write_file("/proc/self/setgroups", "deny");
        write_file("/proc/self/uid_map", "0 " + uid + " 1");
        write_file("/proc/self/gid_map", "0 " + gid + " 1");
    }
    const std::string outside = ground.at("outside");
    return sys::make_mounts_private().has_value() &&
           ::mount(outside.c_str(), ground.ws(name).c_str(), nullptr, MS_BIND, nullptr) == 0;
}

// In a child process with a mount namespace of its own: nobody else sees the mount, and it vanishes
// with the child. The exit code is the fate.
Verdict try_mounted(const Ground& ground, const PathAttack& attack,
                    std::optional<ResolverKind> resolver) {
    constexpr int kNoMount = 100;
    const pid_t child = made_or_throw(sys::fork_process(), "no child process");
    if (child == 0) {
        try {
            if (!mount_outside(ground, attack.mounted)) ::_exit(kNoMount);
            ::_exit(static_cast<int>(try_on(ground, attack, resolver, 1).fate));
        } catch (const std::exception&) {
            ::_exit(kNoMount);
        }
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : kNoMount;
    if (code == kNoMount) return {Fate::kSkipped, "no mount can be made here"};
    const auto fate = static_cast<Fate>(code);
    if (fate == Fate::kRefused) return {fate, std::string(code_name(*attack.must))};
    return {fate, fate == Fate::kHeld ? "" : "outside was read, or the answer is unexpected"};
}

// --- commands --------------------------------------------------------------------------------

// A process of the host that sends the secret to whoever connects to it, and the secret in a
// variable of this process.
class HostDecoys {
public:
    HostDecoys() {
        const auto listener = made_or_throw(sys::listen_on_loopback(), "no service can be made");
        port_ = listener.port;
        process_ = made_or_throw(sys::fork_process(), "no child process");
        if (process_ == 0) serve(listener.socket.get());
        // NOLINTNEXTLINE(concurrency-mt-unsafe): no thread looks at variables
        ::setenv("PADDOCK_PROVE_DECOY", std::string(kSecret).c_str(), 1);
    }
    ~HostDecoys() {
        ::unsetenv("PADDOCK_PROVE_DECOY");  // NOLINT(concurrency-mt-unsafe): as above
        ::kill(process_, SIGKILL);
        (void)sys::collect(process_);
    }
    HostDecoys(const HostDecoys&) = delete;
    HostDecoys& operator=(const HostDecoys&) = delete;

    std::string assignments() const {
        return "HOST=" + std::to_string(process_) + " PORT=" + std::to_string(port_);
    }
    bool lives() const {
        siginfo_t ended{};
        const auto id = static_cast<id_t>(process_);
        return ::waitid(P_PID, id, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid == 0;
    }

private:
    [[noreturn]] static void serve(int listener) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (;;) {
            const UniqueFd client(::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC));
            if (!client.valid()) ::_exit(1);
            (void)!::send(client.get(), kSecret.data(), kSecret.size(), MSG_NOSIGNAL);
        }
    }

    pid_t process_ = -1;
    int port_ = 0;
};

// Both streams, until all who hold them are gone.
std::string run_plainly(const Ground& ground, const std::string& script) {
    write_file(ground.at("script"), script);
    ::setenv("PADDOCK_PROVE_GROUND", ground.at("").c_str(), 1);  // NOLINT(concurrency-mt-unsafe)
    const char* command =
        "cd \"$PADDOCK_PROVE_GROUND/ws\" && bash --norc ../script </dev/null 2>&1";
    // NOLINTNEXTLINE(cert-env33-c): a shell is what is being tried
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> output(::popen(command, "re"), ::pclose);
    if (!output) throw std::runtime_error("no plain bash");
    std::string text;
    for (int byte = 0; (byte = std::fgetc(output.get())) != EOF;) text += static_cast<char>(byte);
    return text;
}

Workspace open_workspace(const std::string& root, std::optional<Layer> needed = {}) {
    WorkspaceOptions options;
    options.root = root;
    options.redact_secrets = false;  // what gets out is to be seen
    options.shell.emplace();
    if (needed) options.shell->required.push_back(*needed);
    options.host_environment = host_environment();
    auto workspace = Workspace::open(std::move(options));
    if (!workspace) throw std::runtime_error(workspace.error().message());
    const auto shell = tools::Session::of(*workspace).shell();
    if (!shell) throw std::runtime_error(shell.error().text);
    return std::move(*workspace);
}

// The session has ended when this returns.
std::string run_confined(const Ground& ground, const std::string& script,
                         std::optional<Layer> needed) {
    const Workspace workspace = open_workspace(ground.at("ws"), needed);
    const json::Object arguments{{"command", script}};
    return tools::call(workspace, "bash", json::to_text(arguments)).text();
}

// Does anybody still hold the FIFO? A line ends the process that "daemon" leaves.
bool is_held(const std::string& fifo) {
    const UniqueFd end(::open(fifo.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC));
    return end.valid() && ::write(end.get(), "\n", 1) == 1;
}

}  // namespace

Ground::Ground(std::string base) : base_(std::move(base)) {
    for (const char* name : {"", "ws", "outside", "outside/tree", "ws-evil"}) {
        must(::mkdir(at(name).c_str(), 0755) == 0, at(name));
    }
    write_file(at("outside/secret"), kSecret);
    write_file(at("outside/tree/leaf"), "outside leaf");
    write_file(at("ws-evil/secret"), kSecret);
}

Ground::~Ground() {
    std::error_code ignored;
    stdfs::remove_all(base_, ignored);
}

std::string Ground::spelled(std::string_view path) const {
    return path.starts_with('@') ? base_ + std::string(path.substr(1)) : std::string(path);
}

void Ground::plant(const std::vector<std::string_view>& tree) const {
    for (const std::string_view entry : tree) plant_one(*this, entry);
}

void Ground::replant(const std::vector<std::string_view>& tree) const {
    const std::string top(tree.front().substr(0, tree.front().find('/')));
    std::error_code absent;
    stdfs::rename(ws(top), ws(".old"), absent);
    stdfs::remove_all(ws(".old"));
    for (const std::string_view entry : tree) plant_one(*this, ".new/" + std::string(entry));
    stdfs::rename(ws(".new/" + top), ws(top));
}

std::string Ground::outside() const {
    std::string text;
    const auto describe = [&](const std::string& path) {
        struct stat stat {};
        text += ::lstat(path.c_str(), &stat) == 0 ? path : "";
        for (const long number :
             {long{stat.st_mode}, long{stat.st_size}, stat.st_mtim.tv_sec, stat.st_mtim.tv_nsec}) {
            text.append(" ").append(std::to_string(number));
        }
        if (S_ISREG(stat.st_mode)) text += content_of(path);
    };
    // In the order in which the directory gives them: unchanged, it is always the same.
    for (const std::string& top : {at("outside"), at("ws-evil")}) {
        describe(top);
        constexpr auto kGoOn = stdfs::directory_options::skip_permission_denied;
        for (const auto& entry : stdfs::recursive_directory_iterator(top, kGoOn)) {
            describe(entry.path());
        }
    }
    return text;
}

Verdict judge(const Ground& ground, const PathAttack& attack, const std::function<Attempt()>& act,
              int rounds) {
    const bool uses_up = attack.call == Call::kRemoveAll;
    const int tries = !attack.race ? 1 : uses_up ? (rounds + 9) / 10 : rounds;
    const std::string before = ground.outside();
    std::jthread swapper;
    if (attack.race) {
        swapper = start_swapper(ground.ws(attack.race->first), ground.ws(attack.race->second));
    }
    Attempt made;
    int refused = 0;
    for (int i = 1; i <= tries && !is_interrupted(); ++i) {
        if (uses_up && i > 1) ground.replant(attack.tree);
        made = act();
        refused += made.refused ? 1 : 0;
        const std::string harm = harm_of(made, ground, attack, before);
        if (!harm.empty()) return {Fate::kLeaked, harm, i};
    }
    if (attack.race) return {Fate::kHeld, std::to_string(refused) + " calls were refused", tries};
    if (made.would_block) return {Fate::kWouldBlock};
    return made.refused ? Verdict{Fate::kRefused, std::string(code_name(*made.refused))}
                        : Verdict{Fate::kHeld};
}

Verdict try_path(const PathAttack& attack, std::optional<ResolverKind> resolver,
                 const std::string& scratch, int rounds) {
    try {
        const Ground ground(scratch + "/ground");
        ground.plant(attack.tree);
        return attack.mounted.empty() ? try_on(ground, attack, resolver, rounds)
                                      : try_mounted(ground, attack, resolver);
    } catch (const std::exception& error) {
        return {Fate::kSkipped, error.what()};
    }
}

Verdict try_command(const CommandAttack& attack, Runner runner, const std::string& scratch) {
    try {
        const Ground ground(scratch + "/ground");
        ground.plant({".env=@", ".git/HEAD=ref: refs/heads/main\n", ".git/config=[core]\n",
                      ".git/hooks/", ".git/objects/", ".git/refs/heads/", "held|"});
        const HostDecoys host;
        const std::string before = ground.outside();
        const std::string script = "OUT='" + ground.at("outside") + "' " + host.assignments() +
                                   "\n" + std::string(attack.script);
        const std::string printed = runner == Runner::kPlainBash
                                        ? run_plainly(ground, script)
                                        : run_confined(ground, script, attack.needs);
        const bool was_held = is_held(ground.ws("held"));
        const std::string planted = content_of(ground.ws(attack.planted));
        if (printed.find(kSecret) != printed.npos) return {Fate::kLeaked, "outside was read"};
        if (ground.outside() != before) return {Fate::kLeaked, "outside was changed"};
        if (planted.find("evil") != planted.npos) return {Fate::kLeaked, "a planted file will run"};
        if (!host.lives()) return {Fate::kLeaked, "a process of the host was killed"};
        if (was_held) return {Fate::kLeaked, "a process was left behind"};
        return {Fate::kHeld};
    } catch (const std::exception& error) {
        return {Fate::kSkipped, error.what()};
    }
}

Group command_contenders(const std::string& scratch) {
    try {
        const Workspace workspace = open_workspace(scratch);
        const SandboxLevel level = (*tools::Session::of(workspace).shell())->report().level;
        return {{"plain bash", std::string(level_name(level))}};
    } catch (const std::exception& error) {
        return {{}, error.what()};
    }
}

sigset_t ending_signals() noexcept {
    sigset_t set;
    sigemptyset(&set);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) sigaddset(&set, signal);
    return set;
}

bool is_interrupted() noexcept {
    sigset_t waiting;
    const sigset_t ending = ending_signals();
    sigpending(&waiting);
    sigandset(&waiting, &waiting, &ending);
    return sigisemptyset(&waiting) == 0;
}

}  // namespace paddock::cli::prove
