#include <cstdio>
#include <stack>
#include <tuple>
#include <vector>

namespace poster {

struct Rectangle {
    long long area, width;
    int first;
    Rectangle(long long area_, long long width_, int first_) : area(area_), width(width_), first(first_) {}
    bool operator<(const Rectangle& other) const {
        return std::make_tuple(area, width, -first) < std::make_tuple(other.area, other.width, -other.first);
    }
};

template <typename Height>
Rectangle widest(const std::vector<Height>& heights) {
    Rectangle best(0, 0, -1);
    std::stack<std::pair<int, Height>> open;
    for (size_t i = 0; i <= heights.size(); i++) {
        Height height = i < heights.size() ? heights[i] : Height(0);
        int start = static_cast<int>(i);
        while (!open.empty() && open.top().second >= height) {
            auto [first, top] = open.top();
            open.pop();
            long long width = static_cast<long long>(i) - first;
            Rectangle found(width * top, width, first);
            if (top > 0 && best < found) best = found;
            start = first;
        }
        open.push({start, height});
    }
    return best;
}

}  // namespace poster

int main() {
    int n;
    if (std::scanf("%d", &n) != 1) return 1;
    std::vector<int> heights(n);
    for (int i = 0; i < n; i++) std::scanf("%d", &heights[i]);
    const poster::Rectangle best = poster::widest(heights);
    std::printf("%lld %lld %d\n", best.area, best.width, best.first + 1);
}
