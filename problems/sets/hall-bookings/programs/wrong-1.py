import sys
from bisect import bisect_right


def plan(requests, cleaning):
    requests = sorted(requests, key=lambda request: request[1])
    ends = [end for _, end, _ in requests]
    best = [(0, 0, 0)]
    for i, (start, end, price) in enumerate(requests):
        before = bisect_right(ends, start, 0, i)
        total, count, _ = best[before]
        taken = (total + price, count + 1, end)
        skipped = best[i]
        key = lambda choice: (-choice[0], choice[1], choice[2])
        best.append(min(taken, skipped, key=key))
    return best[-1]


data = list(map(int, sys.stdin.read().split()))
n, cleaning = data[:2]
requests = [tuple(data[i:i + 3]) for i in range(2, 2 + 3 * n, 3)]
print(*plan(requests, cleaning))
