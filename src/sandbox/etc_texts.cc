#include "sandbox/etc_texts.h"

namespace paddock::sandbox {

constexpr unsigned kNobody = 65534;

std::string passwd_text(uid_t user, gid_t group, const std::string& home) {
    std::string text = "agent:x:" + std::to_string(user) + ':' + std::to_string(group) +
                       ":agent:" + home + ":/bin/sh\nroot:x:0:0:root:/:/usr/sbin/nologin\n";
    if (user != kNobody) text += "nobody:x:65534:65534:nobody:/:/usr/sbin/nologin\n";
    return text;
}

std::string group_text(gid_t group) {
    std::string text = "agent:x:" + std::to_string(group) + ":\nroot:x:0:\n";
    if (group != kNobody) text += "nogroup:x:65534:\n";
    return text;
}

std::string hostname_text() { return std::string(kInsideHostName) + '\n'; }

std::string hosts_text() {
    return std::string("127.0.0.1 localhost ") + kInsideHostName +
           "\n::1 localhost ip6-localhost\n";
}

std::string nsswitch_text() {
    return "passwd: files\ngroup: files\nshadow: files\nhosts: files dns\nnetworks: files\n"
           "protocols: files\nservices: files\nethers: files\nrpc: files\n";
}

}  // namespace paddock::sandbox
