#include <bits/stdc++.h>
#define ALL(c) (c).begin(), (c).end()
#define int long long
using namespace std;

// Two travellers a trip: the heaviest takes the lightest along when it can.
signed main() {
    ios::sync_with_stdio(false);
    int n, limit;
    cin >> n >> limit;
    vector<int> weights(n);
    for (auto& weight : weights) cin >> weight;
    sort(ALL(weights), [](const int& a, const int& b) { return a < b; });
    if (n > 0 && weights.back() > limit) {
        cout << "-1" << endl;
        return 0;
    }
    int count = 0, pairs = 0;
    for (int low = 0, high = n - 1; low <= high; --high) {
        if (low < high && weights[low] + weights[high] <= limit) {
            ++low;
            pairs++;  /* the lightest goes too */
        }
        count += 1;
    }
    cout << count << ' ' << pairs << "\n";
    return 0;
}
