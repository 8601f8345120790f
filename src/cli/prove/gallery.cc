#include "cli/prove/gallery.h"

#include <iterator>

namespace paddock::cli::prove {

std::vector<Attack> whole_gallery() {
    std::vector<Attack> all;
    for (auto family : {spelling_attacks, link_attacks, link_change_attacks, file_attacks,
                        file_change_attacks, tree_attacks, race_attacks}) {
        std::vector<Attack> attacks = family();
        all.insert(all.end(), std::make_move_iterator(attacks.begin()),
                   std::make_move_iterator(attacks.end()));
    }
    return all;
}

}  // namespace paddock::cli::prove
