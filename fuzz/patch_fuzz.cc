// The fuzzer's bytes are a file and a patch, divided by a NUL. Whatever they are, parsing ends, and
// what applies keeps the promises of the model; and a diff that we made ourselves always applies.
#include <paddock/limits.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "text/diff.h"
#include "text/edit.h"
#include "text/patch_apply.h"
#include "text/patch_parse.h"

namespace {

using namespace paddock::text;

void check_change(const FileChange& change) {
    PADDOCK_CHECK(!change.path.empty() && !change.new_path.empty());
    const bool renames = change.kind == ChangeKind::kRename || change.kind == ChangeKind::kCopy;
    PADDOCK_CHECK(renames || change.path == change.new_path);
    PADDOCK_CHECK(change.path.find('\0') == std::string::npos);
    for (const Hunk& hunk : change.hunks) {
        bool changes = false;
        for (const HunkLine& line : hunk.lines) {
            PADDOCK_CHECK(line.mark == ' ' || line.mark == '+' || line.mark == '-');
            PADDOCK_CHECK(line.text.find('\n') == std::string_view::npos);
            changes = changes || line.mark != ' ';
        }
        PADDOCK_CHECK(changes);
    }
}

void apply_all(std::string_view content, std::string_view patch) {
    const auto changes = parse_patch(patch);
    if (!changes) {
        PADDOCK_CHECK(!changes.error().detail.empty());
        return;
    }
    for (const FileChange& change : *changes) {
        check_change(change);
        const auto applied = apply_change(content, change);
        PADDOCK_CHECK(applied || !applied.error().detail.empty());
    }
}

void apply_own_diff(const std::string& before, const std::string& after) {
    const std::string diff =
        unified_diff(before, after, "a/x", "b/x", {.bytes_max = before.max_size()}).text;
    if (diff.empty()) return PADDOCK_CHECK(before == after);
    const std::string patch = "diff --git a/x b/x\n" + diff;
    const auto changes = parse_patch(patch);
    PADDOCK_CHECK(changes.has_value() && changes->size() == 1);
    const auto applied = apply_change(before, changes->at(0));
    PADDOCK_CHECK(applied.has_value() && applied->notes.empty() && applied->content == after);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string bytes;
    for (std::size_t i = 0; i < size; ++i) bytes += static_cast<char>(data[i]);
    const std::size_t divide = std::min(bytes.find('\0'), bytes.size());
    const std::string content = bytes.substr(0, divide);
    const std::string patch = bytes.substr(std::min(divide + 1, bytes.size()));
    apply_all(content, patch);
    apply_own_diff(content, patch);
    const Edit edit[] = {{std::string_view(patch).substr(0, patch.size() / 2),
                          std::string_view(patch).substr(patch.size() / 2), true}};
    const auto edited = apply_edits(content, edit);
    PADDOCK_CHECK(edited || !edited.error().detail.empty());
    return 0;
}
