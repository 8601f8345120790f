#include "secrets/scanner.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include <paddock/limits.h>

namespace paddock::secrets {
namespace {

// A Matcher, see redaction.h.
class Shapes {
public:
    Shapes() : filter_(matcher_.leads()) {}

    const LeadFilter& filter() const noexcept { return filter_; }
    std::size_t offset(std::size_t lead) const noexcept { return matcher_.offset(lead); }
    std::size_t ahead() const noexcept { return limits::kSecretAheadMax; }
    std::optional<FoundSecret> match(std::size_t lead, const Surroundings& around) const noexcept {
        return matcher_.match(lead, around);
    }

private:
    SecretMatcher matcher_;
    LeadFilter filter_;
};

// The same for everybody, and worth making once only.
const Shapes& shapes() {
    static const Shapes made;
    return made;
}

bool may_begin_secret(std::string_view text) {
    return !shapes().filter().find(text, 0, text.size()).leads.empty();
}

// Where it begins; the end of the text if it ends with a blank.
std::size_t last_word(std::string_view text) { return text.find_last_of(" \t\r\n") + 1; }

}  // namespace

struct SecretScanner::Rules {
    std::mutex mutex;
    std::vector<KnownSecret> secrets;  // the operator's first
    std::shared_ptr<const KnownSecrets> known;
};

struct SecretStream::State {
    SecretScanner scanner;
    std::shared_ptr<const KnownSecrets> knows;
    RedactionStream<KnownSecrets> known;
    RedactionStream<Shapes> shaped;
    std::string between;
};

Outcome<SecretScanner> SecretScanner::create(std::span<const KnownSecret> known) {
    PADDOCK_ASSIGN(compiled, KnownSecrets::compile(known));
    auto rules = std::make_shared<Rules>();
    rules->secrets.assign(known.begin(), known.end());
    rules->known = std::make_shared<const KnownSecrets>(std::move(compiled));
    return SecretScanner(std::move(rules));
}

std::shared_ptr<const KnownSecrets> SecretScanner::known() const {
    const std::lock_guard lock(rules_->mutex);
    return rules_->known;
}

std::vector<std::string_view> SecretScanner::secrets_in(std::string_view text) {
    Progress progress;
    Replacements cuts;
    progress.replaced = &cuts;
    std::string out;
    redact_some(shapes(), text, true, progress, out);
    std::vector<std::string_view> found;
    for (const Replacement& cut : cuts)
        found.push_back(text.substr(cut.begin, cut.end - cut.begin));
    return found;
}

void SecretScanner::learn(std::span<const std::string> values) const {
    const std::lock_guard lock(rules_->mutex);
    const std::size_t before = rules_->secrets.size();
    for (const std::string& value : values) {
        if (rules_->secrets.size() >= limits::kKnownSecretsMax) break;
        const bool is_known =
            std::any_of(rules_->secrets.begin(), rules_->secrets.end(),
                        [&](const KnownSecret& each) { return each.value == value; });
        if (!is_known) rules_->secrets.push_back({"denied-file", value});
    }
    if (rules_->secrets.size() == before) return;
    auto compiled = KnownSecrets::compile(rules_->secrets);
    if (!compiled) return rules_->secrets.resize(before);  // a value that cannot be used
    rules_->known = std::make_shared<const KnownSecrets>(std::move(*compiled));
}

void SecretScanner::prepare() { shapes(); }

// Known values first: the shapes then see them as borders, in the first pass as in any later one.
std::size_t SecretScanner::redact(std::string& text, std::vector<Replacements>* passes) const {
    const auto pass = [&](const auto& matcher) {
        Replacements replaced;
        const std::size_t count = redact_all(matcher, text, passes ? &replaced : nullptr);
        if (!replaced.empty()) passes->push_back(std::move(replaced));
        return count;
    };
    const auto values = known();
    const std::size_t count = values->empty() ? 0 : pass(*values);
    return count + pass(shapes());
}

std::size_t SecretScanner::redact(std::string& text, TextPart* part) const {
    std::vector<Replacements> passes;
    const std::size_t count = redact(text, &passes);
    for (const Replacements& replaced : passes) *part = CarryOver(replaced).moved(*part);
    return count;
}

std::size_t SecretScanner::reach() const noexcept {
    return std::max(shapes().ahead(), known()->ahead());
}

SecretStream::SecretStream(SecretScanner scanner)
    : state_(std::make_unique<State>(State{scanner, scanner.known(), {}, {}, {}})) {}
SecretStream::~SecretStream() = default;
SecretStream::SecretStream(SecretStream&&) noexcept = default;
SecretStream& SecretStream::operator=(SecretStream&&) noexcept = default;

void SecretStream::feed(std::string_view piece, std::string& out) {
    const KnownSecrets& known = *state_->knows;
    if (known.empty()) return state_->shaped.feed(shapes(), piece, out);
    state_->between.clear();
    state_->known.feed(known, piece, state_->between);
    state_->shaped.feed(shapes(), state_->between, out);
}

void SecretStream::finish(std::string& out) {
    const KnownSecrets& known = *state_->knows;
    state_->between.clear();
    if (!known.empty()) state_->known.finish(known, state_->between);
    state_->shaped.feed(shapes(), state_->between, out);
    state_->shaped.finish(shapes(), out);
    state_->knows = state_->scanner.known();
}

std::string SecretStream::rest_before(More end, std::string_view more) const {
    const KnownSecrets& known = *state_->knows;
    State copy = *state_;
    copy.between.clear();
    if (known.empty()) {
        copy.between = more;
    } else {
        copy.known.feed(known, more, copy.between);
        copy.known.finish(known, copy.between);
    }
    if (end == More::kMayCome) {
        copy.between.resize(copy.between.size() - known.begun_at_end_of(copy.between));
    }
    std::string out;
    copy.shaped.feed(shapes(), copy.between, out);
    copy.shaped.finish(shapes(), out);
    if (end == More::kMayCome && may_begin_secret(out)) out.resize(last_word(out));
    return out;
}

std::string SecretStream::rest(std::string_view more) const {
    return rest_before(More::kNone, more);
}

std::string SecretStream::settled_rest(std::string_view more) const {
    return rest_before(More::kMayCome, more);
}

std::size_t SecretStream::count() const noexcept {
    return state_->known.count() + state_->shaped.count();
}

}  // namespace paddock::secrets
