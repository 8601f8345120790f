#include "search/ignore_rules.h"

#include <fcntl.h>

#include <string>
#include <utility>

#include <paddock/limits.h>

#include "fs/entry.h"
#include "fs/resolver.h"
#include "sys/io.h"
#include "sys/stat.h"

namespace paddock::search {
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

}  // namespace paddock::search
