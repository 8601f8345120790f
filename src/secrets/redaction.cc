#include "secrets/redaction.h"

#include "secrets/line_join.h"

namespace paddock::secrets {

// The secret that the place is in.
const Replacement* CarryOver::reach(std::size_t place) noexcept {
    for (; next_ < replaced_.size() && replaced_[next_].end <= place; ++next_) {
        const Replacement& passed = replaced_[next_];
        shift_ += passed.length - (passed.end - passed.begin);
    }
    const bool is_inside = next_ < replaced_.size() && replaced_[next_].begin < place;
    return is_inside ? &replaced_[next_] : nullptr;
}

TextPart CarryOver::moved(const TextPart& part) noexcept {
    TextPart moved;
    const Replacement* secret = reach(part.begin);
    moved.begin = (secret != nullptr ? secret->begin : part.begin) + shift_;
    const bool ends_there = next_ > 0 && replaced_[next_ - 1].end == part.begin;
    if (secret == nullptr && ends_there) secret = &replaced_[next_ - 1];
    joined_from_ = secret != nullptr ? secret->begin : part.begin;
    secret = reach(part.end);
    moved.end = (secret != nullptr ? secret->begin + secret->length : part.end) + shift_;
    return moved;
}

// Another secret may have swallowed the start of it in the meantime, or all.
void Progress::cut_out(const Cut& cut, std::string_view text, std::string& out) {
    if (cut.end <= given) return;
    const std::size_t begin = std::max(cut.begin, given);
    out.append(text.substr(given, begin - given));
    const std::size_t before = out.size();
    out.append(kMarkStart).append(cut.kind).append("]");
    ++count;
    given = decided = cut.end;
    if (replaced != nullptr) replaced->push_back({begin, cut.end, out.size() - before});
    tail = cut.tail;
}

void Progress::end_tail() {
    tail = nullptr;
    if (replaced != nullptr && !replaced->empty()) replaced->back().end = given;
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
