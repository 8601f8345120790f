#include "secrets/redaction.h"

#include "secrets/line_join.h"

namespace paddock::secrets {

// Another secret may have swallowed the start of it in the meantime, or all.
void Progress::cut_out(const Cut& cut, std::string_view text, std::string& out) {
    if (cut.end <= given) return;
    const std::size_t begin = std::max(cut.begin, given);
    carry(begin, out);
    out.append(text.substr(given, begin - given));
    cut_from = begin;
    out.append(kMarkStart).append(cut.kind).append("]");
    ++count;
    given = decided = cut.end;
    if (cuts != nullptr) cuts->push_back({begin, cut.end});
    tail = cut.tail;
}

void Progress::carry(std::size_t end, const std::string& out) {
    if (part == nullptr) return;
    // An edge beyond `end` is in the secret there, or a later call knows better.
    const auto moved = [&](std::size_t edge) { return out.size() + std::min(edge, end) - given; };
    if (part->begin >= given) carried.begin = moved(part->begin);
    if (part->end > given) {
        carried.end = moved(part->end);
    } else if (part->end > cut_from) {
        carried.end = out.size();
    }
}

void Progress::end_tail() {
    tail = nullptr;
    if (cuts != nullptr && !cuts->empty()) cuts->back().end = given;
}

bool swallow_tail(std::string_view text, bool last, Progress& progress) noexcept {
    const Tail& tail = *progress.tail;
    while (tail.pass != nullptr && progress.given < text.size()) {
        const std::string_view rest = text.substr(progress.given, limits::kSecretAheadMax);
        if (!last && rest.size() < limits::kSecretAheadMax) return false;
        const TailStep step = tail.pass(rest);
        progress.given += step.length;
        if (!step.ended) continue;
        progress.end_tail();
        return true;
    }
    const text::ByteSet plain = ~(~tail.bytes | text::ByteSet("\\"));
    while (true) {
        progress.given += plain.run(text.substr(progress.given));
        const std::string_view rest = text.substr(progress.given, kJoinBytesMax);
        const bool is_seen = last || rest.size() == kJoinBytesMax;
        if (rest.empty() ? !last : rest.front() == '\\' && !is_seen) return false;
        if (rest.empty() || rest.front() != '\\') break;
        const std::size_t join = join_length(rest);
        const bool goes_on = join > 0 && join < rest.size() && tail.bytes.has(rest[join]);
        if (!goes_on && (join > 0 || !tail.bytes.has('\\'))) break;
        progress.given += goes_on ? join : 1;
    }
    progress.end_tail();
    return true;
}

}  // namespace paddock::secrets
