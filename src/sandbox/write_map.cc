#include "sandbox/write_map.h"

#include <algorithm>

#include <paddock/limits.h>

namespace paddock::sandbox {

WriteMap::WriteMap() {
    places_.reserve(limits::kWriteMapPlacesMax);
    text_.reserve(limits::kWriteMapBytesMax);
    set("/", Wall::kView);
    set("/dev", Wall::kNone);
    set("/proc", Wall::kNone);
    for (const char* shared : {"/proc/sys", "/proc/sysrq-trigger", "/proc/irq"}) {
        set(shared, Wall::kView);
    }
}

std::string_view WriteMap::path_of(const Place& place) const noexcept {
    return {text_.data() + place.begin, place.size};
}

std::size_t WriteMap::first_not_before(std::string_view path) const noexcept {
    const auto found = std::lower_bound(
        places_.begin(), places_.end(), path,
        [this](const Place& place, std::string_view sought) { return path_of(place) < sought; });
    return static_cast<std::size_t>(found - places_.begin());
}

bool WriteMap::set(std::string_view path, Wall wall) noexcept {
    const std::size_t at = first_not_before(path);
    if (at < places_.size() && path_of(places_[at]) == path) {
        places_[at].wall = wall;
        return true;
    }
    if (places_.size() == places_.capacity()) return false;
    if (text_.capacity() - text_.size() < path.size()) return false;
    const Place place{static_cast<std::uint32_t>(text_.size()),
                      static_cast<std::uint32_t>(path.size()), wall};
    text_.append(path);
    places_.insert(places_.begin() + static_cast<std::ptrdiff_t>(at), place);
    return true;
}

const WriteMap::Place* WriteMap::nearest(std::string_view path) const noexcept {
    for (;;) {
        const std::size_t at = first_not_before(path);
        if (at < places_.size() && path_of(places_[at]) == path) return &places_[at];
        const std::size_t slash = path.rfind('/');
        if (slash == std::string_view::npos || path.size() <= 1) return nullptr;
        path = path.substr(0, std::max<std::size_t>(slash, 1));
    }
}

Wall WriteMap::wall_before(std::string_view path) const noexcept {
    const Place* place = nearest(path);
    return place == nullptr ? Wall::kView : place->wall;
}

std::string_view WriteMap::behind(std::string_view path) const noexcept {
    const Place* place = nearest(path);
    return place == nullptr ? path : path.substr(0, place->size);
}

}  // namespace paddock::sandbox
