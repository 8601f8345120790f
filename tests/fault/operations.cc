#include "fault/operations.h"

#include <algorithm>
#include <chrono>

#include "fault/scene.h"

namespace paddock::testing {
namespace {

Result<std::string> as_text(const Status& done) {
    if (!done) return done.error();
    return std::string("done");
}

Result<std::string> as_text(const Result<Handle>& handle) {
    if (!handle) return handle.error();
    return std::string(file_type_name(handle->stat().type)) + " of " +
           std::to_string(handle->stat().size);
}

Result<std::string> as_text(const Result<Stat>& stat) {
    if (!stat) return stat.error();
    return std::string(file_type_name(stat->type)) + " " + std::to_string(stat->mode);
}

Result<std::string> as_text(const Result<Resolution>& found) {
    if (!found) return found.error();
    return found->path + (found->exists ? " is there" : " is not there");
}

Result<std::string> as_text(const Result<Listing>& listing) {
    if (!listing) return listing.error();
    std::string names;
    for (const ListEntry& entry : listing->entries) names += entry.name + " ";
    return names;
}

Result<std::string> as_text(const Result<LinkTarget>& target) {
    if (!target) return target.error();
    return target->text + (target->escapes ? " escapes" : " stays");
}

// A directory that could not be entered is marked by "!".
Result<std::string> walked(const Root& root, std::string_view path) {
    std::vector<std::string> seen;
    const auto done = root.walk(path, [&](const WalkEntry& entry) {
        seen.push_back(std::string(entry.path) + (entry.failure != nullptr ? "! " : " "));
        return WalkAction::kContinue;
    });
    if (!done) return done.error();
    std::sort(seen.begin(), seen.end());
    std::string text;
    for (const std::string& line : seen) text += line;
    return text;
}

Result<std::string> made_temp(const Root& root) {
    const auto temp = root.temp_file("dir");
    if (!temp) return temp.error();
    return temp->path().substr(0, temp->path().size() - 16);
}

Result<std::string> canonical(const Root& root) {
    const auto file = root.open_file("abs/sub/b");
    if (!file) return file.error();
    return root.canonical_path(*file);
}

Result<std::string> read_in_sub_root(const Root& root) {
    const auto sub = root.sub_root("abs/sub");
    if (!sub) return sub.error();
    return sub->read_file("b");
}

std::vector<Operation> looking_operations() {
    const auto op = [](std::string name, auto call) {
        return Operation{std::move(name), [call](const Root& r) { return as_text(call(r)); }};
    };
    const std::string up_and_down = deep_path() + "/up";
    return {
        op("open_file", [](const Root& r) { return r.open_file("dir/sub/b"); }),
        op("open_file_by_absolute_link", [](const Root& r) { return r.open_file("abs/sub/b"); }),
        op("open_file_refused", [](const Root& r) { return r.open_file("dir/escape"); }),
        op("open_directory", [](const Root& r) { return r.open_directory("abs/sub"); }),
        {"read_file", [](const Root& r) { return r.read_file("link"); }},
        {"read_file_deep", [=](const Root& r) { return r.read_file(up_and_down + "/a"); }},
        op("list", [](const Root& r) { return r.list("dir"); }),
        {"walk", [](const Root& r) { return walked(r, "dir"); }},
        {"walk_deep", [](const Root& r) { return walked(r, "deep"); }},
        op("readlink", [](const Root& r) { return r.readlink("link"); }),
        op("readlink_escaping", [](const Root& r) { return r.readlink("dir/escape"); }),
        op("lstat", [](const Root& r) { return r.lstat("dir/escape"); }),
        op("stat", [](const Root& r) { return r.stat("link"); }),
        {"exists",
         [](const Root& r) -> Result<std::string> {
             const auto found = r.exists("dir/sub/b");
             if (!found) return found.error();
             return std::string(*found ? "yes" : "no");
         }},
        op("resolve", [](const Root& r) { return r.resolve("abs/sub/b"); }),
        op("resolve_deep", [=](const Root& r) { return r.resolve(up_and_down); }),
        op("resolve_absent", [](const Root& r) { return r.resolve("abs/x/y"); }),
        {"sub_root", read_in_sub_root},
        {"canonical_path", canonical},
    };
}

Operation appending(std::string name, std::string path) {
    return {std::move(name), [path](const Root& r) { return as_text(r.append_file(path, kNew)); },
            true, true};
}

std::vector<Operation> changing_operations() {
    const auto op = [](std::string name, auto call) {
        return Operation{std::move(name), [call](const Root& r) { return as_text(call(r)); }, true};
    };
    return {
        op("open_to_write",
           [](const Root& r) {
               return r.open_file("abs/sub/b", {.write = true, .truncate = true, .mode = {}});
           }),
        op("create", [](const Root& r) { return r.create("dir/new", 0640); }),
        op("create_over", [](const Root& r) { return r.create("file"); }),
        op("create_exclusive", [](const Root& r) { return r.create_exclusive("dir/new"); }),
        appending("append_file", "dir/sub/b"),
        appending("append_file_new", "dir/new"),
        op("copy_file", [](const Root& r) { return r.copy_file("file", "dir/new"); }),
        op("copy_file_over", [](const Root& r) { return r.copy_file("dir/a", "file", true); }),
        {"temp_file", made_temp},
        op("mkdir", [](const Root& r) { return r.mkdir("dir/new", 0750); }),
        op("mkdir_all", [](const Root& r) { return r.mkdir_all("abs/x/y/z", 0750); }),
        op("remove", [](const Root& r) { return r.remove("dir/sub/b"); }),
        op("remove_link", [](const Root& r) { return r.remove("dir/escape"); }),
        op("remove_directory", [](const Root& r) { return r.remove("empty"); }),
        op("remove_all", [](const Root& r) { return r.remove_all("dir"); }),
        op("remove_all_deep", [](const Root& r) { return r.remove_all("deep"); }),
        op("rename", [](const Root& r) { return r.rename("dir/a", "file"); }),
        op("rename_no_replace",
           [](const Root& r) { return r.rename("dir", "empty/dir", RenameMode::kNoReplace); }),
        op("rename_exchange",
           [](const Root& r) { return r.rename("dir", "file", RenameMode::kExchange); }),
        op("hard_link", [](const Root& r) { return r.hard_link("dir/sub/b", "dir/new"); }),
        op("symlink", [](const Root& r) { return r.symlink("../a", "abs/sub/new"); }),
        op("chmod", [](const Root& r) { return r.chmod("abs/sub/b", 0600); }),
        op("utimes",
           [](const Root& r) {
               return r.utimes("abs/sub/b", {.accessed = {}, .modified = std::chrono::hours(1)});
           }),
    };
}

std::vector<Operation> write_file_operations() {
    const auto op = [](std::string name, std::string path, WriteOptions options) {
        return Operation{"write_file_" + name,
                         [=](const Root& r) { return as_text(r.write_file(path, kNew, options)); },
                         true};
    };
    WriteOptions quick;
    quick.durability = Durability::kNone;
    WriteOptions lasting;
    lasting.durability = Durability::kDirectory;
    WriteOptions fresh = quick;
    fresh.must_create = true;
    WriteOptions with_mode = quick;
    with_mode.mode = 0640;
    WriteOptions with_parents = quick;
    with_parents.make_parents = true;
    return {
        op("over", "file", quick),
        op("over_synced", "file", {}),
        op("over_lasting", "file", lasting),
        op("new", "dir/new", quick),
        op("new_lasting", "dir/new", lasting),
        op("new_with_mode", "abs/sub/new", with_mode),
        op("new_or_fail", "dir/new", fresh),
        op("through_link", "link", quick),
        op("through_dangling_link", "dangling", quick),
        op("with_parents", "dir/p/q/new", with_parents),
    };
}

}  // namespace

void PrintTo(const Operation& operation, std::ostream* out) { *out << operation.name; }

std::string told(const Result<std::string>& result) {
    return result ? *result : "refused: " + std::string(code_name(result.error().code));
}

const std::vector<Operation>& operations() {
    static const std::vector<Operation> all = [] {
        std::vector<Operation> joined;
        for (const auto& part :
             {looking_operations(), changing_operations(), write_file_operations()}) {
            joined.insert(joined.end(), part.begin(), part.end());
        }
        return joined;
    }();
    return all;
}

}  // namespace paddock::testing
