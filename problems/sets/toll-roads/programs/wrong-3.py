import heapq
import sys


def cheapest(n, roads):
    neighbours = [[] for _ in range(n + 1)]
    for a, b, toll in roads:
        neighbours[a].append((b, toll))
    best = {(1, 0): (0, 0)}
    heap = [(0, 0, 1, 0)]
    while heap:
        cost, count, town, used = heapq.heappop(heap)
        if (cost, count) > best[town, used]:
            continue
        if town == n:
            return cost, count
        for other, toll in neighbours[town]:
            choices = [(cost + toll, used)]
            if used == 0:
                choices.append((cost, 1))
            for total, spent in choices:
                if (other, spent) not in best or (total, count + 1) < best[other, spent]:
                    best[other, spent] = (total, count + 1)
                    heapq.heappush(heap, (total, count + 1, other, spent))
    return None


data = list(map(int, sys.stdin.read().split()))
n, m = data[:2]
roads = [tuple(data[i:i + 3]) for i in range(2, 2 + 3 * m, 3)]
answer = cheapest(n, roads)
print(*(answer if answer is not None else [-1]))
