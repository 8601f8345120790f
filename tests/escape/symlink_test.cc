#include "testing/jail.h"
using namespace paddock;
using namespace paddock::testing;
namespace {
ATTACK(SYM_03, link_to_outside) {
    tree({"ROOT/link->../OUT/secret"});
    expect_naive_leak("link");
    EXPECT_CODE(root().read_file("link"), Code::kPathEscape);
}
}  // namespace
