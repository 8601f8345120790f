// One search as one process, to be compared with rg and fd: the engine of the tools grep and glob,
// with the workspace's path rules and secrets filter, but without their bounds on what is shown.
//
//     search_worker count|lines DIRECTORY PATTERN [-i] [-w] [--path=FILE]   prints as rg -c, rg -n
//     search_worker paths|newest DIRECTORY GLOB     prints as fd, in the order of paths or of times
#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "search/find.h"
#include "search/grep.h"
#include "tools/session.h"

namespace {

using paddock::tools::Session;

constexpr unsigned kThreads = 2;

constexpr std::size_t kPiece = 65536;

// Passes the secrets filter, as everything that a tool answers.
bool print(const Session& session, std::string& text) {
    session.redact(text);
    for (std::string_view rest = text; !rest.empty();) {
        const ssize_t written = ::write(STDOUT_FILENO, rest.data(), rest.size());
        if (written < 0) return false;
        rest.remove_prefix(static_cast<std::size_t>(written));
    }
    text.clear();
    return true;
}

class Printer final : public paddock::search::GrepSink {
public:
    Printer(const Session& session, bool counts) : session_(session), counts_(counts) {}

    paddock::search::Next file(const paddock::search::GrepFile& file) override {
        if (counts_) {
            text_.append(file.path).append(":");
            add_number(file.matches);
            text_ += '\n';
        }
        for (const paddock::search::GrepLine& line : file.lines) {
            add_number(line.number);
            text_.append(":").append(line.text).append("\n");
        }
        return text_.size() < kPiece || flush() ? paddock::search::Next::kGoOn
                                                : paddock::search::Next::kStop;
    }

    paddock::search::Next problem(std::string_view, const paddock::Failure&) override {
        return paddock::search::Next::kGoOn;
    }

    bool flush() { return print(session_, text_); }

private:
    void add_number(std::uint64_t number) {
        char digits[20];
        text_.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
    }

    const Session& session_;
    const bool counts_;
    std::string text_;
};

bool grep(const Session& session, std::string_view mode, const char* pattern,
          const std::vector<std::string_view>& options) {
    paddock::search::GrepQuery query;
    query.pattern = pattern;
    query.walk.visible = session.files().walk(false, false).visible;
    query.threads = kThreads;
    if (mode == "count") query.mode = paddock::search::GrepMode::kCount;
    for (const std::string_view option : options) {
        if (option == "-i") query.match.ignore_case = true;
        if (option == "-w") query.match.words = true;
        if (option.starts_with("--path=")) query.path = option.substr(7);
    }
    Printer printer(session, mode == "count");
    return paddock::search::grep(session.files().linkless(), query, printer) && printer.flush();
}

bool find(const Session& session, const char* pattern, bool newest_first) {
    using Order = paddock::search::FindQuery::Order;
    paddock::search::FindQuery query;
    query.pattern = pattern;
    query.walk.visible = session.files().walk(false, false).visible;
    query.threads = kThreads;
    query.order = newest_first ? Order::kNewestFirst : Order::kPath;
    const auto result = paddock::search::find(session.files().linkless(), query);
    if (!result) return false;
    std::string text;
    for (std::size_t i = 0; i < result->found.size(); ++i) {
        text.append(result->found[i].path).append("\n");
        if (text.size() >= kPiece && !print(session, text)) return false;
    }
    return print(session, text);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 4) return 2;
    paddock::WorkspaceOptions workspace;
    workspace.root = argv[2];
    const auto session = Session::open(workspace);
    if (!session) return 2;
    const std::string_view mode = argv[1];
    const std::vector<std::string_view> options(argv + 4, argv + argc);
    const bool finds = mode == "paths" || mode == "newest";
    const bool done = finds ? find(**session, argv[3], mode == "newest")
                            : grep(**session, mode, argv[3], options);
    return done ? 0 : 2;
}
