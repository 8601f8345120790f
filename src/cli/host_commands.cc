#include "cli/host_commands.h"

#include "cli/setting_options.h"

namespace paddock::cli {
namespace {

constexpr std::int64_t kRoundsMax = 10'000'000;

class ResolveForm final : public Form {
public:
    void declare(Parser& parser) override {
        options_.declare(
            parser, {"workspace.root", "workspace.rules", "workspace.default_rules", "paths."});
        parser.output(request_.output);
    }

    Request finish(Parser& parser) override {
        request_.settings = options_.take(parser);
        request_.paths = std::move(parser.operands());
        return std::move(request_);
    }

private:
    SettingOptions options_;
    ResolveRequest request_;
};

class DoctorForm final : public Form {
public:
    void declare(Parser& parser) override { parser.output(request_.output); }
    Request finish(Parser&) override { return request_; }

private:
    DoctorRequest request_;
};

class ProveForm final : public Form {
public:
    void declare(Parser& parser) override {
        parser.text({.names = {"--dir"},
                     .unit = "DIR",
                     .help = "Where the scratch directory is made; or $TMPDIR",
                     .offers = Offers::kHostDirectory},
                    request_.directory, "TMPDIR");
        parser.integer({.names = {"--rounds"},
                        .help = "Tries of each race; a tenth where each needs a new tree",
                        .usual = std::to_string(rounds_)},
                       rounds_, 1, kRoundsMax);
        parser.resolver(request_.resolver, "Who looks up; auto tries both");
        parser.output(request_.output);
    }

    Request finish(Parser&) override {
        request_.rounds = static_cast<int>(rounds_);
        return std::move(request_);
    }

private:
    ProveRequest request_;
    std::int64_t rounds_ = request_.rounds;
};

}  // namespace

std::vector<Command> host_commands() {
    const Manual resolve{
        .name = "resolve",
        .summary =
            "Say where paths lead in a workspace, or what refuses them, and which rule "
            "protects them.",
        .description =
            "The last column names the rule that denies a path or makes it read-only, or the "
            "operator's rule that allows it. Default rules that deny hold for files that were "
            "there before a session. What the session makes under such a name is its own.",
        .operands = {{.name = "PATH", .offers = Offers::kPath, .many = true}},
        .examples = {"paddock resolve --root ~/project src/main.c ../other/file",
                     "paddock resolve --root ~/project --symlinks reject --json vendor/lib",
                     "paddock resolve --rule 'deny *.sqlite' data/users.sqlite .env",
                     "paddock resolve -- --a-name-that-begins-with-dashes"},
        .no = "a path is refused"};
    const Manual doctor{
        .name = "doctor",
        .summary = "Say what this host can give paddock, and what to do about what is missing.",
        .examples = {"paddock doctor", "paddock doctor --json"},
        .no = "something that paddock cannot do without is missing"};
    const Manual prove{
        .name = "prove",
        .summary = "Attack decoys on this kernel and file system, beside careless tools.",
        .description =
            "Path attacks run against a check-then-open tool and against paddock, hostile commands "
            "in "
            "plain bash and in paddock's sandbox. Everything happens in a scratch directory, which "
            "is "
            "removed at the end. Rows are printed as they finish, with --json on standard error.",
        .examples = {"paddock prove", "paddock prove --dir /srv/agents --resolver walk",
                     "paddock prove --rounds 500000 --json"},
        .no = "something leaked through paddock"};
    return {{resolve, [] { return std::make_unique<ResolveForm>(); }},
            {doctor, [] { return std::make_unique<DoctorForm>(); }},
            {prove, [] { return std::make_unique<ProveForm>(); }}};
}

}  // namespace paddock::cli
