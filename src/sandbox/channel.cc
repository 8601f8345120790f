#include "sandbox/channel.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <string_view>
#include <type_traits>

#include <paddock/limits.h>

#include "base/check.h"
#include "sys/identity.h"
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

namespace {

constexpr std::uint32_t kVersion = 0x70616402;  // changes with the layout

struct RequestHeader {
    std::uint32_t version = kVersion;
    std::uint32_t bytes = 0;  // of the whole message
    std::uint32_t ask = 0;
    std::uint32_t id = 0;
    std::uint32_t number = 0;
    std::uint32_t flags = 0;
    std::array<std::uint32_t, 3> strings{};  // arguments, variables, paths
};

struct ReplyHeader {
    std::uint32_t version = kVersion;
    std::uint32_t stage = 0;
    std::int32_t os_error = 0;
    std::uint32_t id = 0;
    std::uint32_t value = 0;
    std::uint32_t observes = 0;
    std::uint32_t left = 0;
    std::uint32_t most_memory = 0;
};
static_assert(sizeof(ReplyHeader) == kReplyBytes);

Failure malformed() { return refuse(Code::kInvalidArgument, "the message is malformed"); }

// The strings of one list; `rest` is what follows them.
Outcome<Strings> take_list(std::span<const char>& rest, std::uint32_t count) {
    const Strings list(rest.data(), count);
    for (std::uint32_t i = 0; i < count; ++i) {
        const void* end = rest.empty() ? nullptr : std::memchr(rest.data(), '\0', rest.size());
        if (end == nullptr) return malformed();
        const auto length = static_cast<std::size_t>(static_cast<const char*>(end) - rest.data());
        rest = rest.subspan(length + 1);
    }
    return list;
}

}  // namespace

const char* Strings::take() noexcept {
    PADDOCK_CHECK(left_ > 0);
    const char* taken = next_;
    next_ += std::strlen(taken) + 1;
    --left_;
    return taken;
}

Outcome<std::string> encode(const RequestParts& parts) {
    const std::array lists{parts.arguments, parts.variables, parts.paths};
    RequestHeader header;
    std::size_t bytes = sizeof header;
    for (std::size_t i = 0; i < lists.size(); ++i) {
        if (lists[i].size() > kCommandStringsMax) return refuse(Code::kTooLarge);
        header.strings[i] = static_cast<std::uint32_t>(lists[i].size());
        for (const std::string& text : lists[i]) {
            if (text.find('\0') != std::string::npos) {
                return refuse(Code::kInvalidArgument, "contains a NUL byte");
            }
            bytes += text.size() + 1;
            if (bytes > kWardenMessageBytes) return refuse(Code::kTooLarge);
        }
    }
    header.bytes = static_cast<std::uint32_t>(bytes);
    header.ask = static_cast<std::uint32_t>(parts.ask);
    header.id = parts.id;
    header.number = parts.number;
    header.flags = parts.flags;
    std::string message(reinterpret_cast<const char*>(&header), sizeof header);
    message.reserve(bytes);
    for (const auto& list : lists) {
        for (const std::string& text : list) message.append(text.c_str(), text.size() + 1);
    }
    return message;
}

Outcome<Request> decode_request(std::span<const char> bytes) {
    RequestHeader header;
    if (bytes.size() < sizeof header) return malformed();
    std::memcpy(&header, bytes.data(), sizeof header);
    if (header.version != kVersion || header.bytes != bytes.size() || header.ask >= kAsks) {
        return malformed();
    }
    for (const std::uint32_t count : header.strings) {
        if (count > kCommandStringsMax) return malformed();
    }
    std::span<const char> rest = bytes.subspan(sizeof header);
    PADDOCK_ASSIGN(arguments, take_list(rest, header.strings[0]));
    PADDOCK_ASSIGN(variables, take_list(rest, header.strings[1]));
    PADDOCK_ASSIGN(paths, take_list(rest, header.strings[2]));
    if (!rest.empty()) return malformed();
    return Request{static_cast<Ask>(header.ask),
                   header.id,
                   header.number,
                   header.flags,
                   arguments,
                   variables,
                   paths};
}

// "<shield>:<path>" or "<shield><device>.<inode>:<path>", the shield as one digit.
std::string encode(const Protection& protection) {
    std::string text = std::to_string(static_cast<int>(protection.shield));
    if (protection.object) {
        text += std::to_string(protection.object->device) + '.' +
                std::to_string(protection.object->inode);
    }
    return text + ':' + protection.path;
}

Outcome<ProtectionText> decode_protection(const char* text) {
    const char* const colon = std::strchr(text, ':');
    const int shield = *text - '0';
    if (colon == nullptr || shield < 0 || shield > static_cast<int>(Shield::kEmptied)) {
        return malformed();
    }
    ProtectionText protection{colon + 1, static_cast<Shield>(shield)};
    if (++text == colon) return protection;
    Identity object;
    const auto device = std::from_chars(text, colon, object.device);
    if (device.ec != std::errc() || *device.ptr != '.') return malformed();
    const auto inode = std::from_chars(device.ptr + 1, colon, object.inode);
    if (inode.ec != std::errc() || inode.ptr != colon) return malformed();
    protection.object = object;
    return protection;
}

ReplyBytes encode(const Reply& reply) noexcept {
    ReplyHeader header;
    header.stage = static_cast<std::uint32_t>(reply.error.stage);
    header.os_error = reply.error.os_error;
    header.id = reply.id;
    header.value = reply.value;
    header.observes =
        (reply.observes ? 1U : 0U) | (reply.gated ? 2U : 0U) | (reply.exceeds_memory ? 4U : 0U);
    header.left = reply.left;
    header.most_memory = reply.most_memory;
    ReplyBytes bytes;
    std::memcpy(bytes.data(), &header, sizeof header);
    return bytes;
}

Outcome<Reply> decode_reply(std::span<const char> bytes) {
    ReplyHeader header;
    if (bytes.size() != sizeof header) return malformed();
    std::memcpy(&header, bytes.data(), sizeof header);
    if (header.version != kVersion || header.stage >= kStages || header.os_error < 0) {
        return malformed();
    }
    return Reply{{static_cast<Stage>(header.stage), header.os_error},
                 header.id,
                 header.value,
                 (header.observes & 1U) != 0,
                 (header.observes & 2U) != 0,
                 header.left,
                 (header.observes & 4U) != 0,
                 header.most_memory};
}

}  // namespace paddock::sandbox
