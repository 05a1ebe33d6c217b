import sys


def weak_bridges(n, bridges):
    neighbours = [[] for _ in range(n + 1)]
    for k, (a, b) in enumerate(bridges):
        neighbours[a].append((b, k))
        neighbours[b].append((a, k))
    order = [0] * (n + 1)
    lowest = [0] * (n + 1)
    weak = set()
    clock = 0
    for root in range(1, n + 1):
        if order[root]:
            continue
        clock += 1
        order[root] = lowest[root] = clock
        stack = [(root, -1, iter(neighbours[root]))]
        while stack:
            island, entered, edges = stack[-1]
            for other, k in edges:
                if entered >= 0 and other in bridges[entered]:
                    continue
                if order[other]:
                    lowest[island] = min(lowest[island], order[other])
                else:
                    clock += 1
                    order[other] = lowest[other] = clock
                    stack.append((other, k, iter(neighbours[other])))
                    break
            else:
                stack.pop()
                if stack:
                    parent = stack[-1][0]
                    lowest[parent] = min(lowest[parent], lowest[island])
                    if lowest[island] > order[parent]:
                        weak.add(entered)
    return weak


def largest_group(n, bridges, weak):
    leader = list(range(n + 1))

    def find(island):
        while leader[island] != island:
            leader[island] = leader[leader[island]]
            island = leader[island]
        return island

    for k, (a, b) in enumerate(bridges):
        if k not in weak:
            leader[find(a)] = find(b)
    sizes = [0] * (n + 1)
    for island in range(1, n + 1):
        sizes[find(island)] += 1
    return max(sizes)


data = list(map(int, sys.stdin.read().split()))
n, m = data[0], data[1]
bridges = [(data[2 + 2 * i], data[3 + 2 * i]) for i in range(m)]
weak = weak_bridges(n, bridges)
print(len(weak), largest_group(n, bridges, weak))
for k in sorted(weak):
    print(*bridges[k])
