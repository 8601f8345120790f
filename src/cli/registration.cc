#include "cli/registration.h"

#include <algorithm>
#include <array>
#include <set>

#include <paddock/root.h>

#include "base/display.h"
#include "cli/clients.h"
#include "cli/workspace_options.h"
#include "config/host.h"
#include "config/toml.h"
#include "fs/rel_path.h"
#include "json/parse.h"
#include "json/splice.h"
#include "json/write.h"
#include "sys/files.h"

namespace paddock::cli {
namespace {

constexpr Mode kPrivate = 0600;
constexpr char kCopySuffix[] = ".paddock-backup";

struct Failed {
    std::string text;
    int exit_code = kRefused;
};

template <class T>
using Attempt = tl::expected<T, Failed>;

tl::unexpected<Failed> failed(std::string text, int exit_code = kRefused) {
    return tl::unexpected(Failed{std::move(text), exit_code});
}

// The file of a client, held by the directory that it lies in.
struct File {
    Root root;
    std::string name;     // below the root
    std::string display;  // for people
    std::optional<std::string> text{};
    std::optional<Stat> stat{};
};

Attempt<File> find_file(const Client& client, Scope scope) {
    std::string directory = ".";
    std::string name = client.project_file;
    if (scope == Scope::kUser) {
        const auto environment = host_environment();
        const config::Variables variables(environment);
        name = client.user.file;
        auto place =
            client.user.variable.empty() ? std::nullopt : variables.find(client.user.variable);
        if (place && place->starts_with('/')) name = client.user.in_variable;
        if (!place || !place->starts_with('/')) place = variables.find("HOME");
        if (!place) return failed("$HOME is not set", kUsageError);
        directory = *place;
    }
    RootOptions options;
    options.every_mount = permit::EveryMount{"the user's own files, at names that are fixed here"};
    auto root = Root::open(directory, options);
    if (!root) return failed(root.error().message(), kUsageError);
    const std::string display = displayable(scope == Scope::kUser ? directory + "/" + name : name);
    return File{std::move(*root), std::move(name), display};
}

Attempt<File> read_file(const Client& client, Scope scope) {
    auto file = find_file(client, scope);
    if (!file) return file;
    auto text = file->root.read_file(file->name);
    if (!text && text.error().code == Code::kNotFound) return file;
    if (!text) return failed(text.error().message());
    auto stat = file->root.stat(file->name);
    if (!stat) return failed(stat.error().message());
    file->text = std::move(*text);
    file->stat = *stat;
    return file;
}

Attempt<std::string> own_path() {
    std::array<char, limits::kPathBytesMax> buffer{};
    const auto size = sys::read_link("/proc/self/exe", buffer);
    if (!size || *size == 0 || buffer[0] != '/') {
        return failed("the path of this program is not known", kUsageError);
    }
    std::string path(buffer.data(), *size);
    if (path.ends_with(" (deleted)")) return failed("this program was removed", kUsageError);
    return path;
}

Attempt<json::Object> entry_for(const Client& client, const RegisterRequest& request) {
    const auto program = own_path();
    if (!program) return tl::unexpected(program.error());
    std::string root = client.root;
    if (!request.root.empty()) {
        const auto real = sys::real_path(request.root.c_str());
        if (!real)
            return failed(as_error(real.error(), "find", request.root).message(), kUsageError);
        root = *real;
    }
    return client.entry(*program, {"mcp", "--root", root});
}

std::string toml_value(const json::Value& value) {
    if (const std::string* text = value.as_string()) return config::toml_string(*text);
    const json::Array* array = value.as_array();
    if (array == nullptr) return json::to_text(value);
    std::string text = "[";
    for (const json::Value& item : *array)
        text += (text.size() == 1 ? "" : ", ") + toml_value(item);
    return text + "]";
}

std::vector<config::TomlEntry> as_toml(const json::Object& entry) {
    std::vector<config::TomlEntry> entries;
    for (const auto& [name, value] : entry) entries.push_back({name, toml_value(value)});
    return entries;
}

// Of a file in JSON.
std::optional<json::Object> present_entry(std::string_view text, const Client& client) {
    json::Parsed parsed = json::parse(text);
    const json::Value* at = &parsed.value;
    for (const std::string& name : client.path) {
        const json::Object* object = at == nullptr ? nullptr : at->as_object();
        at = object == nullptr ? nullptr : object->find(name);
    }
    const json::Object* present = at == nullptr ? nullptr : at->as_object();
    return present == nullptr ? std::nullopt : std::optional(*present);
}

// What the present entry says besides, such as "env".
std::set<std::string> other_members(std::string_view text, const Client& client,
                                    const json::Object& entry) {
    std::set<std::string> others;
    if (client.toml) {
        for (const config::Leaf& leaf : config::parse_toml(text).leaves) {
            if (leaf.path.size() > client.path.size() &&
                std::equal(client.path.begin(), client.path.end(), leaf.path.begin())) {
                others.insert(leaf.path[client.path.size()]);
            }
        }
    } else if (const auto present = present_entry(text, client)) {
        for (const auto& [name, value] : *present) others.insert(name);
    }
    for (const auto& [name, value] : entry) others.erase(name);
    return others;
}

// What the user has added to the entry stays, if it starts a program as ours does.
json::Spliced with_json(std::string_view text, const Client& client, const json::Object& entry) {
    const auto present = present_entry(text, client);
    if (!present || present->find("command") == nullptr) {
        return json::set_member(text, client.path, entry);
    }
    json::Spliced changed = std::string(text);
    for (const auto& [name, value] : entry) {
        const json::Value* old = present->find(name);
        if (old != nullptr && json::to_text(*old) == json::to_text(value)) continue;
        std::vector<std::string> path = client.path;
        path.push_back(name);
        if (changed) changed = json::set_member(*changed, path, value);
    }
    return changed;
}

json::Spliced with_entry(std::string_view text, const Client& client, const json::Object& entry) {
    if (client.toml) return config::set_entries(text, client.path, as_toml(entry));
    return with_json(text, client, entry);
}

json::Spliced without_entry(std::string_view text, const Client& client) {
    if (client.toml) return config::remove_table(text, client.path);
    return json::remove_member(text, client.path);
}

bool holds_nothing(std::string_view text, const Client& client) {
    if (client.toml) return text.find_first_not_of(" \t\r\n") == text.npos;
    const json::Parsed parsed = json::parse(text);
    return parsed.value.as_object() != nullptr && parsed.value.as_object()->empty();
}

bool holds_entry(const File& file, const Client& client) {
    const auto without = without_entry(file.text.value_or(""), client);
    return without && *without != file.text.value_or("");
}

// What a file with our entry looked like before is in the copy that is there already.
Attempt<void> keep_copy(const File& file, const Client& client) {
    if (!file.text) return {};
    const std::string name = file.name + kCopySuffix;
    if (holds_entry(file, client) && file.root.stat(name)) return {};
    // One of other permissions must not keep them.
    if (auto removed = file.root.remove(name);
        !removed && removed.error().code != Code::kNotFound) {
        return failed(removed.error().message());
    }
    const Mode mode = file.stat->mode & 0777U;
    if (auto kept = file.root.write_file(name, *file.text, {.must_create = true, .mode = mode});
        !kept) {
        return failed(kept.error().message());
    }
    return {};
}

// A file that somebody changed in between is not touched: agents write theirs all the time.
Attempt<void> replace(const File& file, const Client& client, const std::string& text) {
    if (auto kept = keep_copy(file, client); !kept) return kept;
    WriteOptions options{.make_parents = true, .mode = kPrivate};
    options.must_create = !file.text;
    options.replaces = file.stat;
    if (auto written = file.root.write_file(file.name, text, options); !written) {
        return failed(written.error().message());
    }
    return {};
}

std::string cannot_change(const File& file, const Client& client, const std::string& why) {
    return file.display + " cannot be changed safely: " + why +
           (client.toml ? "" : " (comments and trailing commas are not supported)");
}

std::string copy_note(const File& file) {
    return file.text ? "An earlier copy of the file: " + file.display + kCopySuffix + "\n" : "";
}

Attempt<std::string> install(const Client& client, const RegisterRequest& request) {
    const auto entry = entry_for(client, request);
    if (!entry) return tl::unexpected(entry.error());
    const std::string snippet = with_entry("", client, *entry).value_or("");
    const auto by_hand = [&](const std::string& why) {
        return failed(why + "\nNothing was changed. Add this by hand:\n" + snippet);
    };
    const auto file = read_file(client, request.scope);
    if (!file) return by_hand(file.error().text);
    const std::string old = file->text.value_or("");
    const auto others = other_members(old, client, *entry);
    // What a project brings with it, variables say, must not widen what the agent may.
    const bool is_strangers = request.scope == Scope::kProject && !others.empty();
    const json::Spliced base = is_strangers ? without_entry(old, client) : json::Spliced(old);
    const auto changed = base ? with_entry(*base, client, *entry) : base;
    if (!changed) {
        return by_hand(cannot_change(*file, client, changed.error()));
    }
    if (file->text && *changed == old) {
        return client.title + " already has it, in " + file->display + ".\n";
    }
    const bool replaces = holds_entry(*file, client);
    if (request.dry_run) {
        return (replaces ? "Would replace the entry 'paddock' in " : "Would add to ") +
               file->display + ":\n" + snippet;
    }
    if (auto done = replace(*file, client, *changed); !done) return by_hand(done.error().text);
    std::string kept;
    for (const std::string& name : others) kept += (kept.empty() ? "" : ", ") + name;
    const char* const fate =
        is_strangers ? "Left out from the old entry: " : "Kept from the old entry: ";
    return "Registered with " + client.title + " in " + file->display +
           (replaces ? ", in place of another entry 'paddock'.\n" : ".\n") +
           (kept.empty() ? "" : fate + displayable(kept) + ".\n") + copy_note(*file);
}

// Those above the file that are empty without it; the topmost, or "". A link to one is the user's.
std::string remove_empty_above(const File& file) {
    std::string topmost;
    for (auto at = fs::parent_of(file.name); !at.empty(); at = fs::parent_of(at)) {
        const auto stat = file.root.lstat(at);
        const bool is_directory = stat && stat->type == FileType::kDirectory;
        if (!is_directory || !file.root.remove(at, *stat)) break;
        topmost = at;
    }
    return topmost;
}

Attempt<std::string> uninstall(const Client& client, const RegisterRequest& request) {
    const auto file = read_file(client, request.scope);
    if (!file) return tl::unexpected(file.error());
    const std::string old = file->text.value_or("");
    const auto changed = without_entry(old, client);
    if (!changed) {
        return failed(cannot_change(*file, client, changed.error()) +
                      "\nNothing was changed. If it has an entry 'paddock', remove that by hand.");
    }
    if (!file->text || *changed == old) {
        return client.title + " does not have it, in " + file->display + ".\n";
    }
    if (request.dry_run) return "Would remove the entry 'paddock' from " + file->display + ".\n";
    // Of a file that was there before us, with nothing in it, there is a copy.
    const bool was_made =
        holds_nothing(*changed, client) && !file->root.lstat(file->name + kCopySuffix);
    if (was_made && file->root.remove(file->name, file->stat)) {
        const std::string above = remove_empty_above(*file);
        const std::string place =
            file->display.substr(0, file->display.size() - file->name.size()) + above;
        return "Removed from " + client.title + ", with " + file->display +
               (above.empty() ? "" : " and the directory " + place) +
               ", which held nothing else.\n";
    }
    if (auto done = replace(*file, client, *changed); !done) return tl::unexpected(done.error());
    return "Removed from " + client.title + ", in " + file->display + ".\n" + copy_note(*file);
}

class RegisterParser final : public CommandParser {
public:
    explicit RegisterParser(bool remove) { request_.remove = remove; }

    void declare(Parser& parser) override {
        parser.choice<Scope>(
            {.names = {"--scope"},
             .help = "Register for all your projects, or in a file of the current directory"},
            request_.scope, {{"user", Scope::kUser}, {"project", Scope::kProject}});
        parser.flag({.names = {"-n", "--dry-run"}, .help = "Only print what would be written"},
                    request_.dry_run);
        if (request_.remove) return;
        parser.text({.names = {"--root"},
                     .unit = "DIR",
                     .help = "Always use this workspace, instead of the open project",
                     .offers = Offers::kHostDirectory},
                    request_.root);
    }

    Request finish(Parser& parser) override {
        request_.client = parser.operands().front();
        if (find_client(request_.client) != nullptr) return std::move(request_);
        Words names;
        for (const Client& client : clients()) names.push_back(client.name);
        return complaint(
            "unknown agent '" + displayable(request_.client) + "'" + meant(request_.client, names),
            parser.manual().name);
    }

private:
    RegisterRequest request_;
};

}  // namespace

int run(const RegisterRequest& request) {
    const Client& client = *find_client(request.client);
    const auto done = request.remove ? uninstall(client, request) : install(client, request);
    if (done) return print(*done) ? 0 : kUsageError;
    complain(done.error().text);
    return done.error().exit_code;
}

std::vector<Command> registration_commands() {
    Operand agent{.name = "AGENT"};
    for (const Client& client : clients()) agent.choices.push_back(client.name);
    const Manual install{
        .name = "install",
        .summary = "Register paddock with an agent.",
        .description =
            "Adds 'paddock mcp' to the servers of claude, codex, gemini, opencode, cursor or "
            "vscode, with the path of this program. Everything else in the agent's file stays, and "
            "a copy of the file is kept. A file that cannot be changed safely (for example one "
            "with comments) is not touched; paddock prints the text to add.",
        .operands = {agent},
        .examples = {"paddock install claude", "paddock install codex --dry-run",
                     "paddock install vscode --scope project"},
        .no = "nothing could be changed"};
    const Manual uninstall{
        .name = "uninstall",
        .summary = "Remove paddock from the servers of an agent.",
        .description =
            "Everything else in the agent's file stays. If the file holds nothing else and "
            "'install' made it, it is removed too, with the empty directories above it.",
        .operands = {agent},
        .examples = {"paddock uninstall claude"},
        .no = "nothing could be changed"};
    return {{install, [] { return std::make_unique<RegisterParser>(false); }},
            {uninstall, [] { return std::make_unique<RegisterParser>(true); }}};
}

}  // namespace paddock::cli
