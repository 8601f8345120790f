#include "daemon/http_endpoint.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include <paddock/limits.h>

#include "daemon/guard.h"
#include "mcp/message.h"
#include "net/answer.h"

namespace paddock::daemon {

Outcome<Sessions::Begun> Sessions::begin(const std::string& caller) {
    PADDOCK_ASSIGN(id, make_secret());
    auto conversation = std::make_shared<mcp::Conversation>(mcp::Transport::kHttp, caller);
    const std::lock_guard lock(mutex_);
    make_room();
    sessions_.insert_or_assign(id, Session{conversation, Clock::now()});
    return Begun{std::move(id), std::move(conversation)};
}

void Sessions::make_room() {
    if (sessions_.size() < most_) return;
    const auto oldest =
        std::min_element(sessions_.begin(), sessions_.end(), [](const auto& a, const auto& b) {
            const bool a_busy = a.second.conversation->size() > 0;
            const bool b_busy = b.second.conversation->size() > 0;
            return a_busy != b_busy ? b_busy : a.second.used < b.second.used;
        });
    sessions_.erase(oldest);
}

std::shared_ptr<mcp::Conversation> Sessions::find(std::string_view id, std::string_view caller) {
    const std::lock_guard lock(mutex_);
    const auto it = sessions_.find(id);
    if (it == sessions_.end() || it->second.conversation->caller() != caller) return nullptr;
    it->second.used = Clock::now();
    return it->second.conversation;
}

bool Sessions::end(std::string_view id, std::string_view caller) {
    std::shared_ptr<mcp::Conversation> ended;
    {
        const std::lock_guard lock(mutex_);
        const auto it = sessions_.find(id);
        if (it == sessions_.end() || it->second.conversation->caller() != caller) return false;
        ended = it->second.conversation;
        sessions_.erase(it);
    }
    ended->cancel_all();
    return true;
}

void Sessions::end_all() {
    std::map<std::string, Session, std::less<>> all;
    {
        const std::lock_guard lock(mutex_);
        all.swap(sessions_);
    }
    for (const auto& [id, session] : all) session.conversation->cancel_all();
}

std::size_t Sessions::size() const {
    const std::lock_guard lock(mutex_);
    return sessions_.size();
}

void HttpPeer::begin_stream() {
    const std::lock_guard lock(mutex_);
    if (!std::exchange(is_streaming_, true)) parts_.responder.begin_stream(parts_.headers);
}

void HttpPeer::send(std::string message) {
    begin_stream();
    parts_.responder.push(message);
}

void HttpPeer::finish(std::string message, int error) {
    {
        const std::lock_guard lock(mutex_);
        if (is_streaming_) return parts_.responder.finish(message);
    }
    net::Response response{status_for(error), parts_.headers, std::move(message)};
    response.headers.push_back({"Content-Type", "application/json"});
    response.headers.push_back({"Cache-Control", "no-store"});
    parts_.responder.send(std::move(response));
}

// An empty stream: the client has said that it waits no longer.
void HttpPeer::drop() {
    begin_stream();
    parts_.responder.finish({});
}

void HttpPeer::accept() { parts_.responder.send({202, parts_.headers, {}}); }

unsigned HttpPeer::status_for(int error) const noexcept {
    namespace code = mcp::error_code;
    if (error == 0) return 200;
    if (error == code::kParse || error == code::kInvalidRequest) return 400;
    if (parts_.era == mcp::Era::kLegacy) return 200;
    if (error == code::kUnknownMethod) return 404;
    if (error == code::kHeaderMismatch || error == code::kMissingCapability ||
        error == code::kUnsupportedVersion) {
        return 400;
    }
    return is_running_ ? 200 : 400;
}

namespace {

constexpr std::string_view kPath = "/mcp";
constexpr std::string_view kSessionHeader = "Mcp-Session-Id";

// Of two, a proxy might look at the other one.
constexpr std::array<std::string_view, 4> kSingleHeaders{"Authorization", "Origin", "Content-Type",
                                                         kSessionHeader};

// Clients of the legacy era: each agent has one session, or a few.
constexpr std::size_t kSessionsMax = 256;

// A larger body is parsed by a worker: the thread that moves bytes has others to serve.
constexpr std::size_t kParsedAtOnceMax = std::size_t{64} << 10;

// Of the threads and queues; a second session is served beside the first.
constexpr mcp::Workers::Bounds kWorking{.share = limits::kMcpWorkersShare};
constexpr mcp::Workers::Bounds kWaiting{.threads = limits::kMcpCommandsMax,
                                        .share = limits::kMcpCommandsShare};

// The one who has the token; without one, anybody.
constexpr const char* kCaller = "token";

net::Response not_allowed(std::string_view allowed) {
    net::Response response = net::plain_response(405);
    response.headers.push_back({"Allow", std::string(allowed)});
    return response;
}

bool is_health_check(const net::Head& head) {
    return head.path() == "/healthz" || head.path() == "/readyz";
}

std::string_view trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t");
    if (first == text.npos) return {};
    return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// Does a list such as "application/json, text/*;q=0.8" take this type? A quality of zero is not
// looked for.
bool accepts(std::string_view list, std::string_view type) {
    while (!list.empty()) {
        const std::size_t end = list.find(',');
        std::string_view item = list.substr(0, end);
        item = trimmed(item.substr(0, item.find(';')));
        list = end == list.npos ? std::string_view() : list.substr(end + 1);
        const bool is_any_of_kind =
            item.ends_with("/*") &&
            net::equal_but_case(item.substr(0, item.size() - 1), type.substr(0, item.size() - 1));
        if (item == "*/*" || is_any_of_kind || net::equal_but_case(item, type)) return true;
    }
    return false;
}

bool is_json(const std::string* content_type) {
    if (content_type == nullptr) return false;
    const std::string_view text(*content_type);
    return net::equal_but_case(trimmed(text.substr(0, text.find(';'))), "application/json");
}

// What lets a page of an allowed origin read the answers.
net::Headers sharing_headers(const net::Head& head) {
    const std::string* origin = head.header("Origin");
    if (origin == nullptr) return {};
    return {{"Access-Control-Allow-Origin", *origin},
            {"Access-Control-Expose-Headers", std::string(kSessionHeader)},
            {"Vary", "Origin"}};
}

net::Response preflight(const net::Head& head) {
    net::Response response{204, sharing_headers(head), {}};
    response.headers.push_back({"Access-Control-Allow-Methods", "POST, DELETE"});
    response.headers.push_back(
        {"Access-Control-Allow-Headers",
         "Authorization, Content-Type, Mcp-Session-Id, MCP-Protocol-Version, Mcp-Method, "
         "Mcp-Name"});
    return response;
}

}  // namespace

// One message on its way to the protocol.
struct HttpEndpoint::Call {
    net::Request request;
    mcp::Message message{};
    mcp::Era era = mcp::Era::kLegacy;
    std::optional<net::Responder> responder;
    net::Headers headers{};  // of the response
};

HttpEndpoint::HttpEndpoint(const mcp::Protocol& protocol, EndpointSettings settings)
    : protocol_(protocol),
      settings_(std::move(settings)),
      guard_(settings_.address, settings_.allowed_hosts, settings_.allowed_origins),
      sessions_(kSessionsMax),
      scheduler_(kWorking, kWaiting) {}

net::Handlers HttpEndpoint::handlers() {
    return {.admit = [this](const net::Head& head) { return admit(head); },
            .serve =
                [this](net::Request request, net::Responder responder) {
                    serve(std::move(request), std::move(responder));
                }};
}

bool HttpEndpoint::end(std::chrono::milliseconds patience) {
    prepare_to_end();
    sessions_.end_all();
    return scheduler_.wait_idle(std::chrono::steady_clock::now() + patience);
}

std::optional<net::Response> HttpEndpoint::admit(const net::Head& head) const {
    for (const std::string_view name : kSingleHeaders) {
        if (net::count(head.headers, name) < 2) continue;
        return net::plain_response(400, std::string(name) + " is given more than once.");
    }
    if (!guard_.allows_host(head))
        return net::plain_response(403, "This host name is not served here.");
    if (!guard_.allows_origin(head)) {
        return net::plain_response(403, "This origin is not allowed here.");
    }
    if (is_health_check(head)) {
        if (head.method == "GET" || head.method == "HEAD") return std::nullopt;
        return not_allowed("GET, HEAD");
    }
    if (head.path() != kPath) return net::plain_response(404);
    if (head.method == "OPTIONS" && head.header("Origin") != nullptr) return preflight(head);
    if (!settings_.token.empty()) {
        const std::string* given = head.header("Authorization");
        if (given == nullptr || !equal_secrets(bearer_of(*given), settings_.token)) {
            net::Response refusal = net::plain_response(
                401, given == nullptr ? "Send the token: 'Authorization: Bearer TOKEN'."
                                      : "This is not the token of this server.");
            refusal.headers.push_back({"WWW-Authenticate", R"(Bearer realm="paddock")"});
            return refusal;
        }
    }
    if (head.method == "POST") return admit_message(head);
    const bool ends_session = head.method == "DELETE" && announced_era(head) != mcp::Era::kModern;
    if (ends_session) return std::nullopt;
    return not_allowed("POST, DELETE");
}

std::optional<net::Response> HttpEndpoint::admit_message(const net::Head& head) const {
    if (!is_ready_) return net::plain_response(503, "The server is shutting down.");
    const std::string* encoding = head.header("Content-Encoding");
    if (!is_json(head.header("Content-Type")) ||
        (encoding != nullptr && !net::equal_but_case(*encoding, "identity"))) {
        return net::plain_response(415, "The body must be application/json.");
    }
    const std::string* accept = head.header("Accept");
    if (accept == nullptr || !accepts(*accept, "application/json") ||
        !accepts(*accept, "text/event-stream")) {
        return net::plain_response(406, "Accept must list application/json and text/event-stream.");
    }
    return std::nullopt;
}

void HttpEndpoint::serve(net::Request request, net::Responder responder) {
    const net::Head& head = request.head;
    if (head.path() == "/healthz") return responder.send(net::plain_response(200, "ok"));
    if (head.path() == "/readyz") {
        return responder.send(is_ready_ ? net::plain_response(200, "ready")
                                        : net::plain_response(503, "shutting down"));
    }
    if (head.method == "DELETE") return end_session(head, std::move(responder));
    serve_message(std::move(request), std::move(responder));
}

void HttpEndpoint::end_session(const net::Head& head, net::Responder responder) {
    const std::string* id = head.header(kSessionHeader);
    if (id == nullptr)
        return responder.send(net::plain_response(400, "Mcp-Session-Id is missing."));
    if (!sessions_.end(*id, kCaller)) return responder.send(net::plain_response(404));
    responder.send({200, sharing_headers(head), {}});
}

void HttpEndpoint::serve_message(net::Request request, net::Responder responder) {
    auto call = std::make_shared<Call>();
    call->headers = sharing_headers(request.head);
    call->request = std::move(request);
    call->responder.emplace(std::move(responder));
    const std::size_t bytes = call->request.body.size();
    if (bytes <= kParsedAtOnceMax) return take(call);
    const auto work = [this, call] { take(call); };
    if (const auto full =
            scheduler_.submit(tools::Pace::kWorking, work, bytes, {}, call->request.connection)) {
        call->responder->send(net::plain_response(503, *full + "; try again later."));
    }
}

void HttpEndpoint::take(const std::shared_ptr<Call>& call) {
    const net::Head& head = call->request.head;
    call->message = mcp::parse_message(call->request.body);
    std::string().swap(call->request.body);
    const auto announced = announced_era(head);
    call->era = mcp::era_of(call->message, announced);
    const mcp::MessageKind kind = call->message.kind;
    const std::uint64_t connection = call->request.connection;
    if (kind == mcp::MessageKind::kInvalid && announced == mcp::Era::kModern) {
        call->era = mcp::Era::kModern;
    }
    auto conversation = conversation_of(*call);
    if (conversation == nullptr) return;
    const auto peer = std::make_shared<HttpPeer>(
        HttpPeer::Parts{std::move(*call->responder), call->era, std::move(call->headers),
                        std::move(call->request.share)});
    if (call->era == mcp::Era::kModern && kind == mcp::MessageKind::kRequest) {
        if (const auto wrong = check_headers(head, call->message)) {
            return peer->finish(mcp::error_text(call->message.id, *wrong), wrong->code);
        }
    }
    const auto context =
        protocol_.accept(std::move(call->message), {std::move(conversation), peer, call->era});
    if (context != nullptr) return start(peer, context, connection);
    if (kind == mcp::MessageKind::kNotification || kind == mcp::MessageKind::kResponse) {
        peer->accept();
    }
}

// The conversation that the message belongs to. nullptr: the request was answered.
std::shared_ptr<mcp::Conversation> HttpEndpoint::conversation_of(Call& call) {
    const net::Head& head = call.request.head;
    const auto alone = [] {
        return std::make_shared<mcp::Conversation>(mcp::Transport::kHttp, kCaller);
    };
    if (call.era == mcp::Era::kModern || call.message.kind == mcp::MessageKind::kInvalid) {
        return alone();
    }
    const auto refuse = [&](unsigned status, std::string_view why) {
        call.responder->send(net::plain_response(status, why));
        return nullptr;
    };
    if (!is_legacy_version_header(head)) {
        return refuse(400, "MCP-Protocol-Version names an unsupported revision.");
    }
    if (call.message.method == "initialize") {
        auto begun = sessions_.begin(kCaller);
        if (!begun) return refuse(500, {});
        call.headers.push_back({std::string(kSessionHeader), begun->id});
        return begun->conversation;
    }
    const std::string* id = head.header(kSessionHeader);
    if (id == nullptr) return refuse(400, "Mcp-Session-Id is missing: initialize first.");
    auto found = sessions_.find(*id, kCaller);
    if (found == nullptr) return refuse(404, "There is no such session: initialize again.");
    return found;
}

void HttpEndpoint::start(const std::shared_ptr<HttpPeer>& peer,
                         const std::shared_ptr<mcp::RequestContext>& context,
                         std::uint64_t connection) {
    peer->running();
    // In the legacy era a connection that breaks is no cancellation. But what only reads is done
    // for its answer, and nobody gets that any more.
    const bool is_modern = context->era() == mcp::Era::kModern;
    const auto& only_reads = context->method().only_reads;
    if (is_modern || (only_reads && only_reads(*context))) {
        peer->responder().on_closed([gone = std::weak_ptr(context)] {
            if (const auto open = gone.lock()) open->cancel();
        });
    }
    const tools::Pace pace = protocol_.pace(*context);
    const bool is_behind = context->method().pace && scheduler_.is_changing();
    const bool may_run = pace == tools::Pace::kQuick && !is_behind;
    if (may_run && protocol_.run_if_quick(context)) return;
    // A stream tells the client at once that it was heard, and us when the client is gone.
    peer->begin_stream();
    const auto run = [this, context] { protocol_.run(context); };
    const auto refuse = [this, context](std::string_view full) {
        protocol_.refuse(*context, full);
    };
    // The modern era has no sessions: a connection, which makes one request at a time, is one.
    const auto client =
        is_modern ? connection : reinterpret_cast<std::uintptr_t>(&context->conversation());
    if (const auto full = scheduler_.submit(pace, run, context->bytes(), refuse, client)) {
        refuse(*full);
    }
}

}  // namespace paddock::daemon
