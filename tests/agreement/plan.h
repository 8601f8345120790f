// The description of a random workspace: what the disk is built from and what the model resolves.
//
// Besides plain trees: chains of links around the limit, directories deeper than the walk holds
// open, modes that shut, hard links to the outside, sockets, FIFOs and mounts.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include <paddock/handle.h>

#include "agreement/byte_source.h"

namespace paddock::agreement {

// The directory that holds one workspace and its outside:
//   place/ROOT      the workspace
//   place/alias     a link to ROOT, its other spelling
//   place/ROOTx     a sibling whose name begins like the root's
//   place/out       a decoy: the files f and d/g, a socket s, a FIFO p, and the file `shared`,
//                   which may have a second name inside
struct Ground {
    std::string place;
    std::string root() const { return place + "/ROOT"; }
    std::string alias() const { return place + "/alias"; }
};

enum class Mounted : std::uint8_t { kNo, kTmpfs, kOutside };  // kOutside: the decoy, or one of it

struct Node {
    FileType type = FileType::kDirectory;
    unsigned mode = 0755;
    bool shared = false;  // a regular file that has a second name outside
    std::string text;     // of a link
    Mounted mounted = Mounted::kNo;
    bool listed = false;   // the operator lets this mount be entered
    bool planted = false;  // a link of another user in a directory shared by all
    std::map<std::string, Node> children;
    Identity identity;  // filled in when the tree is built
};

struct Plan {
    Node root;
    bool plain = true;  // no mounts, and nothing that permissions could refuse
};

struct PlanOptions {
    bool mounts = false;  // may be made here
    bool owners = false;  // may be given to other users
};

Plan random_plan(ByteSource& bytes, const Ground& ground, const PlanOptions& options);

// One line for each name, readable by a person.
std::string describe(const Node& root);

}  // namespace paddock::agreement
