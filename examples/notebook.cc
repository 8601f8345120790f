// A notebook that an agent may write in: notebook DIRECTORY PATH TEXT
//
// PATH comes from the agent and is not to be trusted. Nothing outside DIRECTORY can be reached,
// whatever PATH says and whatever links the agent has made before.
#include <cstdio>
#include <string>

#include <paddock/root.h>

int main(int argc, char** argv) {
    if (argc != 4) {
        std::fputs("usage: notebook DIRECTORY PATH TEXT\n", stderr);
        return 2;
    }
    auto root = paddock::Root::open(argv[1]);
    if (!root) {
        std::fprintf(stderr, "%s\n", root.error().message().c_str());
        return 2;
    }
    const std::string note = std::string(argv[3]) + "\n";
    if (auto added = root->append_file(argv[2], note); !added) {
        std::fprintf(stderr, "%s\n", added.error().message().c_str());
        return 1;
    }
    auto page = root->read_file(argv[2]);
    if (!page) {
        std::fprintf(stderr, "%s\n", page.error().message().c_str());
        return 1;
    }
    std::fputs(page->c_str(), stdout);
}
