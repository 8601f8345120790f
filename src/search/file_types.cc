#include "search/file_types.h"

#include <algorithm>

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
        return refuse(Code::kInvalidArgument, "is not a known type of file");
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

}  // namespace paddock::search
