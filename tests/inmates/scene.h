// The surroundings of one attempt, made anew for each: a workspace among decoys, and services and
// processes of the "host" that nobody but the attempt should notice.
//
//   base/ws/        the workspace: .env, a repository, one nested in it, links that lead out, a
//   copy
//                   of this program, and the ground file
//   base/home/      .ssh/id_decoy and .config/tool/token
//   base/sibling/   secret
//   base/outside/   file, secret, s (a socket)
//
// Everything is removed at the end, and every process that is left below this one is killed.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "inmates/attempt.h"

namespace inmates {

struct Place {
    std::string parent;
    std::optional<unsigned> owner = {};  // of all its files, if not this user
};

class Scene {
public:
    // In a new directory.
    explicit Scene(const Place& place);
    ~Scene();
    Scene(const Scene&) = delete;
    Scene& operator=(const Scene&) = delete;

    const Ground& ground() const { return ground_; }
    std::string program() const { return ground_.path("ws", "inmate"); }
    std::string ground_file() const { return ground_.path("ws", "ground"); }
    std::string output() const { return base_ + "/output"; }

    // What was typed into the terminal of the attempt.
    void set_typed(const std::string& text) { ground_.set("typed", text); }

private:
    void make_tree();
    void make_objects();  // of the kernel: shared memory, a queue, a key
    void look_at_machine();
    void start_victim();
    void start_services();
    void give_to(unsigned owner) const;

    std::string base_;
    Ground ground_;
};

// The victim: waits to be killed. `mark` is in its arguments.
int be_victim();

// Processes whose parent is this one, or has become it.
void kill_children();

}  // namespace inmates
