// All attacks, in families, one file each. To add one, add a row there: what the workspace looks
// like, what a careless tool does with it, and the same call on paddock.
#pragma once

#include <vector>

#include "cli/prove/attack.h"

namespace paddock::cli::prove {

std::vector<Attack> spelling_attacks();     // paths that are written to get out
std::vector<Attack> link_attacks();         // looks through links that lead out
std::vector<Attack> link_change_attacks();  // changes through them
std::vector<Attack> file_attacks();         // what a name inside may really be
std::vector<Attack> file_change_attacks();  // changes to files that are shared or protected
std::vector<Attack> tree_attacks();         // calls that act on more than one name
std::vector<Attack> race_attacks();         // names that change between check and use

std::vector<Attack> whole_gallery();

}  // namespace paddock::cli::prove
