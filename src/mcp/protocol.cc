#include "mcp/protocol.h"

#include <paddock/limits.h>

#include "base/display.h"
#include "base/utf8.h"
#include "json/write.h"
#include "tools/call.h"
#include "tools/session.h"

namespace paddock::mcp {

// How long a client may go without asking again what tools there are. They never change while the
// server runs; the next one may have others.
constexpr std::chrono::milliseconds kMcpCacheTime{300'000};

const Method* Methods::find(std::string_view name, Era era) const noexcept {
    const auto it = table_.find(name);
    if (it == table_.end()) return nullptr;
    const Eras other = era == Era::kModern ? Eras::kLegacy : Eras::kModern;
    return it->second.eras == other ? nullptr : &it->second;
}

std::string instructions_for(const Workspace& workspace) {
    const WorkspaceOptions& options = tools::Session::of(workspace).options();
    std::string text;
    if (options.unconfined) {
        text += "Relative paths begin in the workspace directory.\n";
    } else {
        text +=
            "These tools work in one directory, the workspace, and cannot leave it. Paths are "
            "relative to it ('src/main.c'), or absolute and below it. Paths that lead out, by '..' "
            "or by a link, are refused: path_escape. Do not look for a way around; work inside.\n";
    }
    for (const tools::SessionRoot& root : tools::Session::of(workspace).further_roots()) {
        text += "- Also: " + root.files.shown(".") + (root.opened.read_only ? ", read-only" : "") +
                ". Use absolute paths for it, in tools and commands.\n";
    }
    // The operator may have chosen some tools only.
    const auto has = [&](std::string_view name) {
        return tools::is_listed(*tools::find_tool(name), options);
    };
    if (has("glob") && has("grep")) {
        text += "- Find: glob by name, grep by content";
        if (has("list_directory")) text += ", list_directory for a tree";
        text += ". They skip hidden files and what .gitignore excludes unless asked.\n";
    }
    if (has("read_file")) {
        text +=
            "- read_file numbers lines (the numbers are not in the file) and says how to read "
            "on.\n";
    }
    if (options.read_only) {
        text += "- Read-only: nothing can be changed, and no commands can be run.\n";
    } else if (has("edit_file")) {
        text += options.track_reads
                    ? "- Change: read a file first, or the call fails with not_read; stale_read "
                      "means that it has changed, so read it again. "
                    : "- Change: ";
        text +=
            "edit_file replaces text that occurs exactly once, copied from the file without line "
            "numbers";
        if (has("patch")) text += "; patch changes several files, all or none";
        if (has("write_file")) text += "; write_file makes new files";
        text += ".\n";
    }
    if (has("bash")) {
        text += "- bash runs commands inside the workspace, with its own /tmp";
        text += options.shell->host_network            ? ". "
                : options.shell->network_allow.empty() ? " and without network. "
                                                       : " and, by HTTP_PROXY, listed hosts. ";
        text += "The directory lasts from call to call, variables do not. ";
        if (has("bash_output") && has("bash_kill")) {
            text +=
                "Run servers and long jobs with run_in_background, then bash_output, bash_input "
                "and bash_kill. ";
        }
        if (has("read_file")) text += "Prefer the file tools over cat, sed and find.";
        text += "\n";
    }
    text +=
        "- Files that hold secrets, git's hooks and the like may be denied or read-only "
        "(denied_by_rule)";
    if (options.redact_secrets) {
        text +=
            ", and secrets in results are replaced by [REDACTED:kind]: never write such a "
            "placeholder back";
    }
    text +=
        ". A result that was cut says how to get the rest. Errors begin with a code and end with "
        "the next step.";
    if (has("workspace_info")) text += " workspace_info shows what is allowed.";
    return text + "\n";
}

namespace {

const json::Object* meta_of(const Message& message) noexcept {
    const json::Value* meta = message.params.find("_meta");
    return meta == nullptr ? nullptr : meta->as_object();
}

std::string shown(std::string_view text) {
    return "'" + displayable(cut_utf8(text, limits::kMcpShownBytes)) + "'";
}

RpcError lacks(std::string_view name, std::string_view kind) {
    return {error_code::kInvalidParams, "params._meta needs '" + std::string(name) + "', " +
                                            std::string(kind) + ", in every request"};
}

json::Array all_versions() {
    json::Array versions;
    for (const std::string_view version : kModernVersions) versions.emplace_back(version);
    for (const std::string_view version : kLegacyVersions) versions.emplace_back(version);
    return versions;
}

// What the modern era wants in every request.
std::optional<RpcError> check_envelope(const Message& message) {
    const json::Object* meta = meta_of(message);
    const json::Value* version = meta == nullptr ? nullptr : meta->find(meta::kProtocolVersion);
    if (version == nullptr || version->as_string() == nullptr) {
        return lacks(meta::kProtocolVersion, "a string");
    }
    const json::Value* capabilities = meta->find(meta::kClientCapabilities);
    if (capabilities == nullptr || capabilities->as_object() == nullptr) {
        return lacks(meta::kClientCapabilities, "an object");
    }
    const json::Value* client = meta->find(meta::kClientInfo);
    if (client != nullptr && client->as_object() == nullptr) {
        return lacks(meta::kClientInfo, "an object if it is given");
    }
    if (is_modern_version(*version->as_string())) return std::nullopt;
    return RpcError{
        error_code::kUnsupportedVersion, "this protocol version is not supported",
        json::Object{{"supported", all_versions()},
                     {"requested", cut_utf8(*version->as_string(), limits::kMcpShownBytes)}}};
}

// Nothing here ever changes, so nothing can be listened to, and the stream ends at once.
Handled listen(RequestContext& context) {
    if (context.object("notifications") == nullptr) {
        return RpcError{error_code::kInvalidParams, "params.notifications must be an object"};
    }
    const json::Value id = context.id_value();
    const json::Object tag{{std::string(meta::kSubscriptionId), id}};
    context.notify("notifications/subscriptions/acknowledged",
                   json::Object{{"notifications", json::Object{}}, {"_meta", tag}});
    context.result_meta() = tag;
    return {};
}

void add_unless_there(Methods& methods, const char* name, Eras eras,
                      std::function<Handled(RequestContext&)> run) {
    if (methods.knows(name)) return;
    methods.add(name, {.run = [run = std::move(run)](const auto& context) { return run(*context); },
                       .eras = eras});
}

}  // namespace

Era era_of(const Message& message, std::optional<Era> announced) noexcept {
    if (announced == Era::kModern) return Era::kModern;
    const json::Object* meta = meta_of(message);
    if (meta != nullptr && meta->find(meta::kProtocolVersion) != nullptr) return Era::kModern;
    // This one alone belongs to one era only, and whoever asks it wants to hear what is missing.
    return message.method == "server/discover" ? Era::kModern : Era::kLegacy;
}

Protocol::Protocol(ServerInfo info, Methods methods, MeetClient meet_client)
    : info_(std::move(info)), methods_(std::move(methods)), meet_client_(std::move(meet_client)) {
    server_info_ = json::to_text(
        json::Object{{"name", info_.name}, {"title", info_.title}, {"version", info_.version}});
    add_unless_there(methods_, "initialize", Eras::kLegacy,
                     [this](RequestContext& context) { return initialize(context); });
    add_unless_there(methods_, "server/discover", Eras::kModern,
                     [this](RequestContext& context) { return discover(context); });
    add_unless_there(methods_, "ping", Eras::kLegacy, [](RequestContext&) { return Handled(); });
    add_unless_there(methods_, "subscriptions/listen", Eras::kModern, listen);
}

void Protocol::meet(const json::Value* client_info) const {
    const json::Object* client = client_info == nullptr ? nullptr : client_info->as_object();
    const json::Value* name = client == nullptr ? nullptr : client->find("name");
    const std::string* text = name == nullptr ? nullptr : name->as_string();
    if (meet_client_ && text != nullptr) meet_client_(*text);
}

Handled Protocol::initialize(RequestContext& context) const {
    const std::string* asked = context.text("protocolVersion");
    if (asked == nullptr) {
        return RpcError{error_code::kInvalidParams, "params.protocolVersion must be a string"};
    }
    meet(context.params().find("clientInfo"));
    const json::Object* capabilities = context.object("capabilities");
    const std::string_view version = agreed_legacy_version(*asked);
    context.conversation().set_client(capabilities == nullptr ? json::Object() : *capabilities,
                                      version);
    context.result("protocolVersion", version);
    context.result("capabilities", info_.capabilities);
    context.result("serverInfo") += server_info_;
    if (!info_.instructions.empty()) context.result("instructions", info_.instructions);
    return {};
}

Handled Protocol::discover(RequestContext& context) const {
    context.result("supportedVersions", all_versions());
    context.result("capabilities", info_.capabilities);
    if (!info_.instructions.empty()) context.result("instructions", info_.instructions);
    add_cache_hints(context);
    return {};
}

// What a client tells without waiting for an answer. Roots are not asked for and not listened to.
void Protocol::notice(const Message& message, Conversation& conversation) const {
    if (message.method != "notifications/cancelled") return;
    const json::Value* id = message.params.find("requestId");
    if (id == nullptr) return;
    if (const auto context = conversation.find(json::to_text(*id))) {
        // The handshake cannot be taken back.
        if (context->name() != "initialize") context->cancel();
    }
}

std::shared_ptr<RequestContext> Protocol::accept(Message message, const Arrival& arrival) const {
    const auto refuse_message = [&](const RpcError& error) {
        arrival.peer->finish(error_text(message.id, error), error.code);
        return nullptr;
    };
    switch (message.kind) {
        case MessageKind::kInvalid: return refuse_message(message.problem);
        case MessageKind::kResponse: arrival.conversation->deliver(std::move(message)); break;
        case MessageKind::kNotification: notice(message, *arrival.conversation); break;
        case MessageKind::kRequest: {
            const Era era = era_of(message, arrival.announced);
            if (era == Era::kModern) {
                if (const auto wrong = check_envelope(message)) return refuse_message(*wrong);
                meet(meta_of(message)->find(meta::kClientInfo));
            }
            const Method* method = methods_.find(message.method, era);
            if (method == nullptr) {
                return refuse_message(
                    {error_code::kUnknownMethod, "there is no method " + shown(message.method)});
            }
            const std::string id = message.id;
            auto context = std::make_shared<RequestContext>(RequestContext::Parts{
                std::move(message), era, method, arrival.conversation, arrival.peer});
            if (method->prepare) method->prepare(*context);
            if (arrival.conversation->add(id, context)) return context;
            context->disown();
            context->fail({error_code::kInvalidRequest, "a request with this id is in progress"});
            return nullptr;
        }
    }
    return nullptr;
}

tools::Pace Protocol::pace(const RequestContext& context) const {
    const auto& pace = context.method().pace;
    return pace ? pace(context) : tools::Pace::kQuick;
}

bool Protocol::run_if_quick(const std::shared_ptr<RequestContext>& context) const {
    if (context->cancelled().stop_requested()) return true;
    context->set_hurried(true);
    const Handled handled = context->method().run(context);
    context->set_hurried(false);
    if (handled.is_deferred) return false;
    answer(*context, handled);
    return true;
}

void Protocol::run(const std::shared_ptr<RequestContext>& context) const {
    if (context->cancelled().stop_requested()) return;
    answer(*context, context->method().run(context));
}

void Protocol::answer(RequestContext& context, const Handled& handled) const {
    if (handled.is_open) return;
    if (handled.error) return context.fail(*handled.error);
    context.succeed(server_info_);
}

void Protocol::refuse(RequestContext& context, std::string_view full) const {
    context.fail({error_code::kInternal, std::string(full) + "; wait for an answer and try again"});
}

void add_cache_hints(RequestContext& context) {
    if (context.era() == Era::kLegacy) return;
    context.result("ttlMs", static_cast<std::int64_t>(kMcpCacheTime.count()));
    context.result("cacheScope", "private");
}

}  // namespace paddock::mcp
