#include "agreement/plan.h"

#include <array>
#include <cstddef>
#include <cstdio>
#include <iterator>

#include "agreement/texts.h"
#include "base/display.h"

namespace paddock::agreement {
namespace {

constexpr unsigned kDepthMax = 4;
constexpr unsigned kLinksPassed = 40;      // that one lookup may pass
constexpr unsigned kDirectoriesHeld = 16;  // by the walk; deeper chains are opened again

class Grower {
public:
    Grower(ByteSource& bytes, const Ground& ground, const PlanOptions& options, Plan& plan)
        : bytes_(bytes), ground_(ground), options_(options), plan_(plan) {}

    void grow() {
        for (unsigned i = 3 + bytes_.below(6); i > 0; --i) add_entry(plan_.root, {});
        if (bytes_.one_in(12)) add_chain();
        if (bytes_.one_in(12)) add_depth();
    }

private:
    // What the directories above an entry allow.
    struct Above {
        unsigned depth = 0;
        bool open = true;     // every mount may be entered
        bool on_disk = true;  // no mount: a second name outside is possible
    };

    void add_entry(Node& directory, const Above& above) {
        const std::string name = random_name(bytes_);
        if (directory.children.contains(name)) return;
        Node& node = directory.children[name];
        const unsigned choice = bytes_.below(16);
        if (choice < 3) {
            make_file(node, above);
        } else if (choice < 7 && above.depth < kDepthMax) {
            make_directory(node, above);
        } else if (choice == 7) {
            node.type = bytes_.one_in(2) ? FileType::kSocket : FileType::kFifo;
            node.mode = 0644;
            mount_perhaps(node);
        } else {
            node.type = FileType::kSymlink;
            node.text = bytes_.one_in(3) ? beside(directory) : random_target(bytes_, ground_);
            node.planted = directory.mode == 01777 && bytes_.one_in(2);
        }
    }

    // A name that is there, the link itself perhaps.
    std::string beside(const Node& directory) {
        constexpr std::array<const char*, 6> kEndings = {"", "", "/", "/.", "/..", "/../."};
        const auto count = static_cast<unsigned>(directory.children.size());
        const auto chosen =
            std::next(directory.children.begin(), static_cast<std::ptrdiff_t>(bytes_.below(count)));
        return chosen->first + kEndings[bytes_.below(kEndings.size())];
    }

    void make_file(Node& node, const Above& above) {
        node.type = FileType::kRegular;
        node.mode = 0644;
        if (above.on_disk && bytes_.one_in(6)) {
            node.shared = true;
        } else if (bytes_.one_in(5)) {
            constexpr std::array<unsigned, 4> kModes = {0000, 0200, 0444, 0755};
            node.mode = kModes[bytes_.below(4)];
            plan_.plain = false;
        }
        if (!node.shared) mount_perhaps(node);
    }

    void mount_perhaps(Node& node) {
        if (!options_.mounts || !bytes_.one_in(12)) return;
        node.mounted = Mounted::kOutside;
        plan_.plain = false;
    }

    void make_directory(Node& node, Above above) {
        if (bytes_.one_in(6)) {
            constexpr std::array<unsigned, 4> kModes = {0311, 0600, 0000, 0555};
            node.mode = kModes[bytes_.below(4)];
            plan_.plain = false;
        } else if (options_.owners && bytes_.one_in(6)) {
            node.mode = 01777;
        }
        if (options_.mounts && bytes_.one_in(4)) {
            plan_.plain = false;
            node.mode = 0755;
            if (bytes_.one_in(3)) return mount_outside(node);
            node.mounted = Mounted::kTmpfs;
            node.listed = above.open && bytes_.one_in(2);
            above.open = node.listed;
            above.on_disk = false;
        }
        ++above.depth;
        for (unsigned i = bytes_.below(5); i > 0; --i) add_entry(node, above);
    }

    static void mount_outside(Node& node) {
        node.mounted = Mounted::kOutside;
        Node file;
        file.type = FileType::kRegular;
        file.mode = 0644;
        node.children["f"] = file;
        node.children["d"].children["g"] = file;
    }

    // Links one after the other, just below and just above what one lookup may pass.
    void add_chain() {
        const unsigned length = kLinksPassed - 2 + bytes_.below(5);
        for (unsigned i = 0; i < length; ++i) {
            Node& link = plan_.root.children["L" + std::to_string(i)];
            link.type = FileType::kSymlink;
            link.text =
                i + 1 == length ? random_target(bytes_, ground_) : "L" + std::to_string(i + 1);
        }
    }

    // Deeper than the walk holds directories open, with a link at the bottom that climbs out.
    void add_depth() {
        const unsigned depth = kDirectoriesHeld - 1 + bytes_.below(30);
        Node* directory = &plan_.root;
        for (unsigned i = 0; i < depth; ++i) directory = &directory->children["D"];
        Node& link = directory->children["l"];
        link.type = FileType::kSymlink;
        link.text = climb(depth - 2 + bytes_.below(6));
        link.text += random_name(bytes_);
    }

    ByteSource& bytes_;
    const Ground& ground_;
    const PlanOptions& options_;
    Plan& plan_;
};

void describe_below(const Node& node, const std::string& path, std::string& out) {
    for (const auto& [name, child] : node.children) {
        const std::string own = path.empty() ? name : path + "/" + name;
        out += "  " + displayable(own) + "  " + std::string(file_type_name(child.type));
        if (child.type == FileType::kSymlink) out += " -> " + displayable(child.text);
        char mode[16];
        (void)std::snprintf(mode, sizeof mode, "  %04o", child.mode);
        out += mode;
        if (child.shared) out += " shared";
        if (child.planted) out += " planted";
        if (child.mounted == Mounted::kTmpfs) out += child.listed ? " listed tmpfs" : " tmpfs";
        if (child.mounted == Mounted::kOutside) out += " bind of the outside";
        out += "\n";
        describe_below(child, own, out);
    }
}

}  // namespace

Plan random_plan(ByteSource& bytes, const Ground& ground, const PlanOptions& options) {
    Plan plan;
    Grower(bytes, ground, options, plan).grow();
    return plan;
}

std::string describe(const Node& root) {
    std::string out;
    describe_below(root, {}, out);
    return out;
}

}  // namespace paddock::agreement
