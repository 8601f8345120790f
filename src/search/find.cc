#include "search/find.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <iterator>
#include <span>
#include <utility>

#include <paddock/limits.h>

#include "fs/readable.h"
#include "fs/report.h"
#include "fs/resolver.h"
#include "search/sink.h"
#include "search/walk.h"
#include "sys/files.h"
#include "text/glob.h"

namespace paddock::search {
namespace {

void insert_sorted(std::vector<std::string_view>& list, std::string_view value) {
    list.insert(std::lower_bound(list.begin(), list.end(), value), value);
}

bool has(const std::vector<std::string_view>& list, std::string_view value) noexcept {
    return std::binary_search(list.begin(), list.end(), value);
}

}  // namespace

// NOLINTNEXTLINE(readability-function-size): a table.
const std::vector<FileKind>& file_kinds() {
    static const std::vector<FileKind> kinds = {
        {"ada", "*.adb *.ads"},
        {"asciidoc", "*.adoc *.asc *.asciidoc"},
        {"asm", "*.asm *.s *.S"},
        {"awk", "*.awk"},
        {"bazel", "*.bazel *.bzl *.BUILD BUILD WORKSPACE"},
        {"c", "*.c *.h *.H *.cats"},
        {"clojure", "*.clj *.cljc *.cljs *.cljx"},
        {"cmake", "*.cmake CMakeLists.txt"},
        {"config", "*.cfg *.conf *.config *.ini"},
        {"cpp", "*.C *.cc *.cpp *.cxx *.c++ *.H *.h *.hh *.hpp *.hxx *.h++ *.inl *.ipp *.tcc"},
        {"cs", "*.cs"},
        {"csproj", "*.csproj"},
        {"css", "*.css *.scss"},
        {"csv", "*.csv"},
        {"cuda", "*.cu *.cuh"},
        {"d", "*.d"},
        {"dart", "*.dart"},
        {"diff", "*.diff *.patch"},
        {"docker", "Dockerfile* *.dockerfile Containerfile"},
        {"dts", "*.dts *.dtsi"},
        {"elisp", "*.el"},
        {"elixir", "*.ex *.exs *.eex *.heex *.leex"},
        {"elm", "*.elm"},
        {"erlang", "*.erl *.hrl"},
        {"fish", "*.fish"},
        {"fortran", "*.f *.F *.f77 *.f90 *.f95 *.f03 *.f08 *.for"},
        {"fsharp", "*.fs *.fsi *.fsx"},
        {"go", "*.go"},
        {"gradle", "*.gradle *.gradle.kts"},
        {"graphql", "*.gql *.graphql *.graphqls"},
        {"groovy", "*.groovy *.gradle"},
        {"h", "*.h *.hh *.hpp"},
        {"haskell", "*.hs *.lhs *.c2hs *.cpphs *.hsc"},
        {"html", "*.htm *.html *.ejs"},
        {"java", "*.java *.jsp *.jspx *.properties"},
        {"jinja", "*.j2 *.jinja *.jinja2"},
        {"js", "*.js *.jsx *.mjs *.cjs *.vue"},
        {"json", "*.json *.jsonc *.json5 composer.lock"},
        {"jsonl", "*.jsonl *.ndjson"},
        {"jupyter", "*.ipynb *.jpynb"},
        {"kconfig", "Kconfig*"},
        {"kotlin", "*.kt *.kts"},
        {"less", "*.less"},
        {"lisp", "*.el *.lisp *.lsp *.sc *.scm *.jl"},
        {"lock", "*.lock package-lock.json"},
        {"log", "*.log"},
        {"lua", "*.lua"},
        {"make", "*.mak *.mk Makefile* makefile* GNUmakefile* Gnumakefile* gnumakefile*"},
        {"man", "*.1 *.2 *.3 *.4 *.5 *.6 *.7 *.8 *.9"},
        {"markdown", "*.markdown *.md *.mdown *.mdwn *.mdx *.mkd *.mkdn"},
        {"matlab", "*.m"},
        {"md", "*.markdown *.md *.mdown *.mdwn *.mdx *.mkd *.mkdn"},
        {"meson", "meson.build meson_options.txt meson.options"},
        {"nim", "*.nim *.nimble *.nims *.nimf"},
        {"nix", "*.nix"},
        {"objc", "*.h *.m"},
        {"objcpp", "*.h *.mm"},
        {"ocaml", "*.ml *.mli *.mll *.mly"},
        {"pascal", "*.pas *.dpr *.lpr *.pp *.inc"},
        {"perl", "*.perl *.pl *.PL *.plh *.plx *.pm *.t"},
        {"php", "*.php *.php3 *.php4 *.php5 *.php7 *.php8 *.pht *.phtml"},
        {"proto", "*.proto"},
        {"ps", "*.ps1 *.psd1 *.psm1 *.cdxml *.ps1xml"},
        {"puppet", "*.epp *.erb *.pp *.rb"},
        {"py", "*.py *.pyi"},
        {"python", "*.py *.pyi"},
        {"qml", "*.qml"},
        {"r", "*.R *.r *.Rmd *.Rnw"},
        {"rst", "*.rst"},
        {"ruby", "*.rb *.gemspec *.rbw Gemfile Rakefile config.ru .irbrc"},
        {"rust", "*.rs"},
        {"sass", "*.sass *.scss"},
        {"scala", "*.scala *.sbt"},
        {"sh", "*.sh *.bash *.zsh *.ksh *.csh *.tcsh *.bashrc .bashrc .profile .zshrc"},
        {"sql", "*.sql *.psql"},
        {"svelte", "*.svelte"},
        {"svg", "*.svg"},
        {"swift", "*.swift"},
        {"systemd",
         "*.automount *.conf *.device *.link *.mount *.path *.scope *.service *.slice *.socket "
         "*.swap *.target *.timer"},
        {"tcl", "*.tcl"},
        {"tex", "*.tex *.ltx *.cls *.sty *.bib *.dtx *.ins"},
        {"tf", "*.tf *.tfvars *.terraformrc terraform.rc"},
        {"toml", "*.toml Cargo.lock"},
        {"ts", "*.ts *.tsx *.cts *.mts"},
        {"txt", "*.txt"},
        {"typescript", "*.ts *.tsx *.cts *.mts"},
        {"vb", "*.vb"},
        {"verilog", "*.v *.vh *.sv *.svh"},
        {"vhdl", "*.vhd *.vhdl"},
        {"vim", "*.vim .vimrc .gvimrc vimrc gvimrc"},
        {"vue", "*.vue"},
        {"wasm", "*.wat *.wast"},
        {"xml", "*.xml *.xsd *.xsl *.xslt *.rng *.dtd *.sch *.xhtml *.xjb *.xml.dist"},
        {"yacc", "*.y"},
        {"yaml", "*.yaml *.yml"},
        {"zig", "*.zig"},
        {"zsh", "*.zsh .zshenv .zlogin .zlogout .zprofile .zshrc"},
    };
    return kinds;
}

Done KindFilter::add(std::string_view kind) {
    const auto& kinds = file_kinds();
    const auto at = std::lower_bound(
        kinds.begin(), kinds.end(), kind,
        [](const FileKind& one, std::string_view name) { return one.name < name; });
    if (at == kinds.end() || at->name != kind) {
        return refuse(Code::kInvalidArgument, "is not a known file type");
    }
    for (std::string_view rest = at->patterns; !rest.empty();) {
        const std::size_t end = std::min(rest.find(' '), rest.size());
        const std::string_view pattern = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        if (pattern.starts_with("*.")) {
            insert_sorted(endings_, pattern.substr(2));
        } else if (pattern.ends_with('*')) {
            insert_sorted(starts_, pattern.substr(0, pattern.size() - 1));
        } else {
            insert_sorted(names_, pattern);
        }
    }
    return {};
}

bool KindFilter::matches(std::string_view name) const noexcept {
    for (std::size_t dot = name.rfind('.'); dot != name.npos;) {
        if (has(endings_, name.substr(dot + 1))) return true;
        if (dot == 0) break;
        dot = name.rfind('.', dot - 1);
    }
    if (has(names_, name)) return true;
    return std::any_of(starts_.begin(), starts_.end(),
                       [name](std::string_view start) { return name.starts_with(start); });
}

Done PathFilter::add_glob(std::string_view glob) {
    const bool excludes = glob.starts_with('!');
    if (excludes) glob.remove_prefix(1);
    PADDOCK_ASSIGN(compiled, text::Glob::compile(glob, {.any_depth = true}));
    rules_.push_back({std::move(compiled), excludes});
    includes_ = includes_ || !excludes;
    return {};
}

void PathFilter::set_start(std::string_view start) {
    start_bytes_ = start.empty() ? 0 : start.size() + 1;
}

std::string_view PathFilter::below_start(std::string_view path) const noexcept {
    return path.substr(std::min(start_bytes_, path.size()));
}

bool PathFilter::excludes(std::string_view path, bool is_directory) const {
    const auto decides = [&](const Rule& rule) {
        if (rule.glob.matches(below_start(path), is_directory)) return true;
        return start_bytes_ > 0 && rule.glob.matches(path, is_directory);
    };
    const auto rule = std::find_if(rules_.rbegin(), rules_.rend(), decides);
    if (rule != rules_.rend()) return rule->excludes;
    return includes_ && !is_directory;
}

bool PathFilter::may_include_below(std::string_view path) const {
    if (!includes_) return true;
    return std::any_of(rules_.begin(), rules_.end(), [&](const Rule& rule) {
        if (rule.excludes) return false;
        if (rule.glob.may_match_below(below_start(path))) return true;
        return start_bytes_ > 0 && rule.glob.may_match_below(path);
    });
}

Interest PathFilter::choose(std::string_view path, std::string_view name, FileType type) const {
    if (type == FileType::kDirectory) {
        return {.enter = rules_.empty() || (!excludes(path, true) && may_include_below(path))};
    }
    if (type != FileType::kRegular) return {};
    if (!kinds_.empty() && !kinds_.matches(name)) return {};
    return {.take = rules_.empty() || !excludes(path, false)};
}

void FoundFiles::expect(std::size_t files, std::size_t path_bytes) {
    files_.reserve(files_.size() + files);
    blocks_.emplace_back().reserve(path_bytes);
}

void FoundFiles::append(FoundFiles&& later, std::size_t count) {
    count = std::min(count, later.files_.size());
    if (count == 0) return;
    for (File file : std::span(later.files_).first(count)) {
        file.block += blocks_.size();
        files_.push_back(file);
    }
    std::move(later.blocks_.begin(), later.blocks_.end(), std::back_inserter(blocks_));
}

void FoundFiles::keep_newest(std::size_t count) {
    struct Key {  // moves more quickly than a file
        std::chrono::nanoseconds modified;
        std::size_t index;
    };
    std::vector<Key> keys;
    keys.reserve(files_.size());
    for (const File& file : files_) keys.push_back({file.modified, keys.size()});
    // Most are of the same time after a fresh checkout, or from an archive.
    std::stable_sort(keys.begin(), keys.end(),
                     [](const Key& a, const Key& b) { return a.modified > b.modified; });
    if (keys.size() > count) {
        FoundFiles kept;
        for (const Key& key : std::span(keys).first(count)) {
            const File& file = files_[key.index];
            kept.add(file.type, file.modified, [&](std::string& text) { text += path(file); });
        }
        *this = std::move(kept);
        return;
    }
    std::vector<File> sorted;
    sorted.reserve(keys.size());
    for (const Key& key : keys) sorted.push_back(files_[key.index]);
    files_ = std::move(sorted);
}

std::size_t FoundFiles::bytes() const noexcept {
    std::size_t bytes = files_.capacity() * sizeof(File);
    for (const std::string& block : blocks_) bytes += sizeof(std::string) + block.capacity();
    return bytes;
}

FoundFile FoundFiles::operator[](std::size_t i) const noexcept {
    const File& file = files_[i];
    return {path(file), file.type, file.modified};
}

namespace {

constexpr std::size_t kFilesHeld = 4096;  // however few are wanted: sorting often costs more

class FindRun final : public Visitor {
public:
    explicit FindRun(const FindQuery& query)
        : query_(query), interruption_(query.time_max, query.cancel) {}

    std::unique_ptr<Task> visit(Batch batch) override;
    std::uint32_t batch_entries() const noexcept override { return 256; }
    Next unreadable(std::string_view path, const Failure& failure) override {
        if (result_.unreadable++ > 0) return Next::kGoOn;
        result_.first_unreadable = path;
        result_.why_unreadable = failure;
        return Next::kGoOn;
    }
    bool interrupted() const noexcept override { return interruption_.requested(); }

    // Of every entry, on any thread.
    void count_entry() noexcept {
        if (!query_.entries_max) return;
        if (entries_.fetch_add(1, std::memory_order_relaxed) < *query_.entries_max) return;
        interruption_.request(Interruption::Cause::kEnough);
    }

    bool by_time() const noexcept { return query_.order == FindQuery::Order::kNewestFirst; }
    Next deliver(FoundFiles found);
    FindResult finish();

private:
    const FindQuery& query_;
    mutable Interruption interruption_;
    std::atomic<std::uint64_t> entries_ = 0;
    FindResult result_;
};

class FindTask final : public Task {
public:
    FindTask(FindRun& run, Batch batch) : run_(run), batch_(std::move(batch)) {}

    void run(unsigned worker, List& behind) override;
    Next deliver() override {
        if (!done_) return run_.unreadable(path_, done_.error());
        return run_.deliver(std::move(found_));
    }
    std::size_t bytes() const noexcept override { return found_.bytes(); }

private:
    FindRun& run_;
    Batch batch_;
    FoundFiles found_;
    Done done_;
    std::string path_;  // of the directory, if it could not be read
};

void FindTask::run(unsigned, List&) {
    const Batch batch = std::move(batch_);
    const WalkedDirectory& directory = *batch.directory;
    const auto held = directory.hold();
    if (!held) {
        if (held.error().os_error == ENOENT) return;
        done_ = held.error();
        path_ = directory.path();
        return;
    }
    found_.expect(batch.end - batch.begin, directory.path_bytes(batch.begin, batch.end));
    for (std::uint32_t i = batch.begin; i < batch.end; ++i) {
        const auto& entry = directory.entries()[i];
        if (!entry.interest.take) continue;
        std::chrono::nanoseconds modified{};
        if (run_.by_time()) {
            const auto time = sys::modified_at(held->fd, directory.name(entry));
            if (!time) continue;
            modified = *time;
        }
        found_.add(entry.type, modified,
                   [&](std::string& text) { directory.append_path(entry, text); });
    }
}

std::unique_ptr<Task> FindRun::visit(Batch batch) {
    return std::make_unique<FindTask>(*this, std::move(batch));
}

Next FindRun::deliver(FoundFiles found) {
    result_.total += found.size();
    if (by_time()) {
        result_.found.append(std::move(found), found.size());
        // Now and then, so that no more than twice as many are held.
        const std::size_t held = std::max(query_.limit, kFilesHeld);
        if (result_.found.size() / 2 > held) result_.found.keep_newest(query_.limit);
    } else {
        result_.found.append(std::move(found), query_.limit - result_.found.size());
    }
    return Next::kGoOn;
}

FindResult FindRun::finish() {
    if (by_time()) result_.found.keep_newest(query_.limit);
    switch (interruption_.cause()) {
        case Interruption::Cause::kNone: break;
        case Interruption::Cause::kEnough: result_.cut = FindResult::Cut::kEntries; break;
        case Interruption::Cause::kTime: result_.cut = FindResult::Cut::kTime; break;
        case Interruption::Cause::kCancelled: result_.cut = FindResult::Cut::kCancelled; break;
    }
    return std::move(result_);
}

// Only names that the pattern can match, relative to the start of the walk.
Chooser chooser_of(const text::Glob& glob, FindRun& run, bool directories,
                   std::size_t start_bytes) {
    return [&, directories, start_bytes](std::string_view path, std::string_view, FileType type) {
        run.count_entry();
        const std::string_view below = path.substr(start_bytes);
        if (type != FileType::kDirectory) return Interest{.take = glob.matches(below, false)};
        const bool asked_for =
            glob.matches(below, true) && (directories || !glob.matches(below, false));
        return Interest{.take = asked_for, .enter = glob.may_match_below(below)};
    };
}

}  // namespace

Result<FindResult> find(const Root& root, const FindQuery& query) {
    const auto glob = text::Glob::compile(query.pattern, {.any_depth = true});
    if (!glob) return as_error(glob.error(), "glob", query.pattern);
    const fs::RootState& state = fs::state_of(root);
    const auto act = [&](const fs::RelPath& at) -> Outcome<FindResult> {
        PADDOCK_ASSIGN(directory, fs::open_listing(state, at));
        FindRun run(query);
        WalkShare share{
            state, query.walk,
            chooser_of(*glob, run, query.directories, at.is_root() ? 0 : at.text.size() + 1)};
        walk_in_order(share, std::move(directory), at, run, search_threads(query.threads));
        FindResult result = run.finish();
        result.excluded = std::move(share.excluded);
        return result;
    };
    return fs::report("glob", state, query.path, act);
}

}  // namespace paddock::search
