import sys


def best_load(parcels, capacity, count_max):
    worth = [[None] * (capacity + 1) for _ in range(count_max + 1)]
    worth[0][0] = 0
    for weight, value in parcels:
        for count in range(count_max, 0, -1):
            for load in range(capacity, weight, -1):
                before = worth[count - 1][load - weight]
                if before is None:
                    continue
                if worth[count][load] is None or before + value > worth[count][load]:
                    worth[count][load] = before + value
    best, lightest = 0, 0
    for row in worth:
        for load, value in enumerate(row):
            if value is None:
                continue
            if value > best or (value == best and load < lightest):
                best, lightest = value, load
    return best, lightest


data = list(map(int, sys.stdin.read().split()))
n, capacity, count_max = data[:3]
parcels = [(data[3 + 2 * i], data[4 + 2 * i]) for i in range(n)]
print(*best_load(parcels, capacity, count_max))
