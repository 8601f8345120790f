#include "tools/session.h"

#include <algorithm>
#include <deque>

#include <paddock/limits.h>

#include "base/display.h"
#include "base/reason.h"
#include "base/utf8.h"
#include "fs/rel_path.h"
#include "journal/journal.h"
#include "secrets/match.h"
#include "sys/files.h"
#include "sys/process.h"
#include "text/names.h"
#include "tools/call.h"

namespace paddock::tools {
namespace {

// Of what stands for a secret in results.
std::size_t count_marks(std::string_view text) {
    std::size_t count = 0;
    for (std::size_t at = text.find(secrets::kMarkStart); at != text.npos;
         at = text.find(secrets::kMarkStart, at + 1)) {
        ++count;
    }
    return count;
}

// Nothing if no text is to pass it.
Outcome<std::optional<secrets::SecretScanner>> scanner_for(const WorkspaceOptions& options) {
    if (!options.redact_secrets) return std::nullopt;
    std::vector<secrets::KnownSecret> known;
    known.reserve(options.secrets.size());
    for (const NamedSecret& secret : options.secrets) known.push_back({secret.name, secret.value});
    PADDOCK_ASSIGN(scanner, secrets::SecretScanner::create(known));
    return std::optional(std::move(scanner));
}

Status check_names(const std::vector<std::string>& tools) {
    const auto valid = listable_names();
    for (const std::string& name : tools) {
        if (std::find(valid.begin(), valid.end(), name) != valid.end()) continue;
        return as_error(refuse(Code::kInvalidArgument, "is not a tool"), "list", name);
    }
    return {};
}

Outcome<search::IgnoreFile> rules_from(const std::string& text) {
    PADDOCK_ASSIGN(rules, text::IgnoreFile::parse(text));
    if (rules.empty()) return nullptr;
    return std::make_shared<const text::IgnoreFile>(std::move(rules));
}

Result<OpenedRoot> open_confined(const WorkspaceOptions& options) {
    auto root = Root::open(options.root, options.paths);
    if (!root) return root.error();
    const Root linkless = root->linkless();
    return OpenedRoot{std::move(*root), linkless, {}, linkless, {}, options.read_only};
}

// The whole file system is then the root, and the workspace only where relative paths begin and
// where commands stay.
Result<OpenedRoot> open_unconfined(const WorkspaceOptions& options) {
    if (!is_reason(options.unconfined->reason)) {
        return as_error(refuse(Code::kInvalidArgument, "cannot be left without a reason"),
                        "open root", options.root);
    }
    auto opened = open_confined(options);
    if (!opened) return opened.error();
    auto real = sys::real_path(options.root.c_str());
    if (!real) return as_error(real.error(), "open root", options.root);
    RootOptions paths = options.paths;
    paths.every_mount = permit::EveryMount{options.unconfined->reason};
    paths.absolute = AbsolutePaths::kInside;
    auto root = Root::open("/", paths);
    if (!root) return root.error();
    Root linkless = root->linkless();
    return OpenedRoot{
        std::move(*root), std::move(linkless), real->substr(1), std::move(opened->workspace), {},
        options.read_only};
}

// Of the user on the host; empty if it is not said.
std::string home_of(const WorkspaceOptions& options) {
    constexpr std::string_view kHome = "HOME=";
    for (const std::string& variable : options.host_environment) {
        if (variable.starts_with(kHome)) return variable.substr(kHome.size());
    }
    return {};
}

}  // namespace

Session::Session(WorkspaceOptions options, OpenedRoot workspace, std::vector<OpenedRoot> further,
                 policy::PathRules rules, search::GlobalIgnores ignored,
                 std::optional<secrets::SecretScanner> scanner)
    : options_(std::move(options)),
      meter_(options_.limits),
      ignored_(std::move(ignored)),
      scanner_(std::move(scanner)),
      rules_(std::move(rules)),
      workspace_(std::move(workspace), shared()),
      shell_(std::unique_ptr<Shell>()) {
    for (OpenedRoot& each : further) further_.emplace_back(std::move(each), shared());
    shell_ = start_shell();
}

SharedByRoots Session::shared() {
    return {options_, rules_, meter_, scanner_ ? &*scanner_ : nullptr, ignored_, home_of(options_)};
}

std::vector<SessionRoot*> Session::roots() {
    std::vector<SessionRoot*> all{&workspace_};
    for (SessionRoot& each : further_) all.push_back(&each);
    return all;
}

const Files& Session::files_for(std::string_view given) const {
    if (further_.empty()) return workspace_.files;
    const std::string path = text::unquote(given).value_or(std::string(given));
    for (const SessionRoot& each : further_) {
        if (each.holds(path)) return each.files;
    }
    return workspace_.files;
}

Result<std::unique_ptr<Shell>> Session::start_shell() {
    if (!options_.shell || options_.read_only) return std::unique_ptr<Shell>();
    // Done while the sandbox is built, it takes no time, and the warden has no copy of it.
    const auto prepare = [this] {
        if (scanner_) secrets::SecretScanner::prepare();
    };
    return Shell::start({roots(), rules_, home_of(options_), options_, scanner_, prepare});
}

void Session::meet_client(std::string_view name) {
    const std::string shown = displayable(cut_utf8(name, limits::kClientNameBytesMax));
    if (shown.empty()) return;
    const std::lock_guard lock(meeting_);
    const bool is_known = std::find(clients_.begin(), clients_.end(), shown) != clients_.end();
    if (is_known || clients_.size() >= limits::kClientNamesMax) return;
    clients_.push_back(shown);
    std::string all;
    for (const std::string& each : clients_) all += (all.empty() ? "" : ", ") + each;
    for (SessionRoot* root : roots()) root->recorder.name_client(all);
}

Result<Shell*> Session::shell() {
    if (!shell_) return shell_.error();
    if (*shell_ == nullptr)
        return tool_error(Code::kNotAvailable, "Commands cannot be run here. Use the other tools.");
    return shell_->get();
}

Result<std::shared_ptr<Session>> Session::open(WorkspaceOptions options) {
    if (auto checked = check_names(options.tools); !checked) return checked.error();
    auto opened = options.unconfined ? open_unconfined(options) : open_confined(options);
    if (!opened) return opened.error();
    auto rules =
        policy::PathRules::of(options.rules, options.default_rules, options.further_default_rules);
    if (!rules) return rules.error();
    auto ignored = rules_from(options.ignore_rules);
    if (!ignored) return as_error(ignored.error(), "ignore rules", {});
    // The operator's lines are stronger.
    auto in_repositories = rules_from(options.git_excludes + "\n" + options.ignore_rules);
    if (!in_repositories) return as_error(in_repositories.error(), "ignore rules", {});
    auto scanner = scanner_for(options);
    if (!scanner) return as_error(scanner.error(), "named secrets", {});
    if (options.read_only) {
        opened->root = opened->root.read_only();
        opened->linkless = opened->linkless.read_only();
    }
    auto further = open_further_roots(options, opened->workspace);
    if (!further) return further.error();
    return std::shared_ptr<Session>(
        new Session(std::move(options), std::move(*opened), std::move(*further), std::move(*rules),
                    search::GlobalIgnores{std::move(*ignored), std::move(*in_repositories)},
                    std::move(*scanner)));
}

std::size_t Session::redact(std::string& text, std::vector<secrets::Replacements>* passes) const {
    return scanner_ ? scanner_->redact(text, passes) : 0;
}

bool Session::loses_a_secret(std::string_view before, std::string_view after) const {
    if (!scanner_) return false;
    const std::size_t marks = count_marks(before);
    if (count_marks(after) <= marks) return false;
    std::string shown(before);
    return marks == 0 || redact(shown) > 0;
}

// Web tokens are no longer than what an operator may name.
std::size_t Session::secret_margin() const noexcept {
    return std::max(limits::kKnownSecretBytesMax, scanner_ ? scanner_->reach() : 0);
}

std::string Session::redact_part(std::string_view text, std::size_t begin,
                                 std::size_t length) const {
    std::string redacted(text);
    secrets::TextPart part{begin, begin + length};
    if (scanner_) scanner_->redact(redacted, &part);
    return redacted.substr(part.begin, part.end - part.begin);
}

}  // namespace paddock::tools

namespace paddock {

Result<Workspace> Workspace::open(WorkspaceOptions options) {
    auto session = tools::Session::open(std::move(options));
    if (!session) return session.error();
    return Workspace(std::move(*session));
}

bool Workspace::is_read_only() const noexcept { return session_->options().read_only; }

ReadTracker& Workspace::reads() const noexcept { return session_->reads(); }

}  // namespace paddock

namespace paddock::tools {
namespace {

constexpr std::size_t kLooksMax = 256;
constexpr std::size_t kNamed = 3;

struct Found {
    std::uint32_t user = 0;            // who works here
    std::size_t count = 0;             // a directory counts once, with all below it
    std::vector<std::string> first{};  // some of them, relative to the root
    bool is_cut = false;               // there may be more: not all was looked at
};

// Root's commands change each root as its owner.
std::uint32_t worker_in(const Root& root) {
    const auto user = sys::effective_user();
    const auto own = sys::fstat(root.fd());
    return user == 0 && own ? own->uid : user;
}

Found look_in(const Root& root) {
    Found found;
    found.user = worker_in(root);
    std::deque<std::string> directories{"."};
    std::size_t looks = 0;
    while (!directories.empty() && !found.is_cut) {
        const std::string directory = std::move(directories.front());
        directories.pop_front();
        const auto listing = root.list(directory, kLooksMax - looks);
        if (!listing) continue;
        found.is_cut = listing->truncated;
        for (const ListEntry& entry : listing->entries) {
            std::string path = fs::joined(directory == "." ? "" : directory, entry.name);
            if (journal::is_journal_path(path)) continue;
            const auto stat = root.lstat(path);
            ++looks;
            if (!stat) continue;
            if (stat->uid != found.user) {
                ++found.count;
                if (found.first.size() < kNamed) found.first.push_back(std::move(path));
            } else if (stat->type == FileType::kDirectory) {
                directories.push_back(std::move(path));
            }
        }
        found.is_cut = found.is_cut || (looks >= kLooksMax && !directories.empty());
    }
    return found;
}

std::string as_text(const Found& found, const std::string& prefix) {
    if (found.count == 0) return {};
    std::string names;
    for (const std::string& path : found.first) {
        const std::string whole = prefix.empty() ? path : prefix + "/" + path;
        names += (names.empty() ? "'" : ", '") + text::quote_in_sentence(whole) + "'";
    }
    if (found.count > found.first.size()) names += ", ...";
    const bool is_one = found.count == 1;
    return std::string(found.is_cut ? "At least " : "") + std::to_string(found.count) +
           (is_one ? " entry" : " entries") + " of " +
           (prefix.empty() ? "the workspace" : "'" + text::quote_in_sentence(prefix) + "'") +
           (is_one ? " belongs" : " belong") + " to another user (" + names +
           "). Commands may be unable to change " + (is_one ? "it" : "them") +
           ". The owner of this machine can run `sudo chown -R " + std::to_string(found.user) +
           "` on " + (is_one ? "it." : "them.");
}

}  // namespace

std::vector<std::string> foreign_files(std::span<SessionRoot* const> roots) {
    std::vector<std::string> lines;
    for (const SessionRoot* root : roots) {
        const OpenedRoot& opened = root->opened;
        if (opened.read_only && !opened.prefix.empty()) continue;
        std::string line = as_text(look_in(opened.workspace), opened.prefix);
        if (!line.empty()) lines.push_back(std::move(line));
    }
    return lines;
}

}  // namespace paddock::tools
