#include "sandbox/exit_record.h"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <type_traits>

#include <paddock/limits.h>

#include "sys/host.h"
#include "sys/io.h"

namespace paddock::sandbox {
namespace {

using What = journal::NameChange::What;

// In front of the names: for each a byte for `what`, then `path` and `from`, each ended by a NUL.
struct Head {
    ExitFacts facts;
    std::uint32_t names_bytes = 0;
};
static_assert(std::is_trivially_copyable_v<Head>);

// False: the pipe has ended.
Outcome<bool> read_whole(int status, char* bytes, std::size_t size) {
    std::size_t filled = 0;
    while (filled < size) {
        PADDOCK_ASSIGN(got, sys::read(status, bytes + filled, size - filled));
        if (got == 0) return false;
        filled += got;
    }
    return true;
}

std::string_view take_text(std::string_view& text) {
    const std::size_t end = std::min(text.find('\0'), text.size());
    const std::string_view taken = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return taken;
}

}  // namespace

Outcome<std::optional<ExitRecord>> read_exit(int status) {
    Head head;
    PADDOCK_ASSIGN(has_head, read_whole(status, reinterpret_cast<char*>(&head), sizeof head));
    if (!has_head) return std::nullopt;
    ExitRecord record;
    static_cast<ExitFacts&>(record) = head.facts;
    std::string names(std::min<std::size_t>(head.names_bytes, limits::kChangedNamesBytesMax), '\0');
    PADDOCK_ASSIGN(has_names, read_whole(status, names.data(), names.size()));
    if (!has_names) return record;
    for (std::string_view rest = names; !rest.empty();) {
        const auto what = static_cast<What>(rest[0]);
        rest.remove_prefix(1);
        const std::string path(take_text(rest));
        record.names.push_back({what, path, std::string(take_text(rest))});
    }
    return record;
}

Done write_exit(int status, const ExitRecord& record) {
    std::string text(sizeof(Head), '\0');
    const std::size_t room = std::min(sys::pipe_capacity(status), limits::kChangedNamesBytesMax);
    for (const journal::NameChange& name : record.names) {
        const std::size_t size = 1 + name.path.size() + 1 + name.from.size() + 1;
        if (text.size() + size > room) break;
        text += static_cast<char>(name.what);
        text.append(name.path.c_str(), name.path.size() + 1);
        text.append(name.from.c_str(), name.from.size() + 1);
    }
    const Head head{record, static_cast<std::uint32_t>(text.size() - sizeof(Head))};
    std::memcpy(text.data(), &head, sizeof head);
    return sys::write_all(status, text);
}

}  // namespace paddock::sandbox
