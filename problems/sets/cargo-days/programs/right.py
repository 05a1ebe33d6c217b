import sys


def days_needed(crates, capacity):
    days, load, closed = 1, 0, False
    for weight, fragile in crates:
        if weight > capacity:
            return None
        if closed or load + weight > capacity:
            days += 1
            load = 0
        load += weight
        closed = fragile
    return days


def smallest_capacity(crates, day_limit):
    low, high = 1, sum(weight for weight, _ in crates)
    if days_needed(crates, high) > day_limit:
        return None
    while low < high:
        middle = (low + high) // 2
        days = days_needed(crates, middle)
        if days is not None and days <= day_limit:
            high = middle
        else:
            low = middle + 1
    return low


tokens = sys.stdin.read().split()
n, day_limit = int(tokens[0]), int(tokens[1])
crates = [(int(token.rstrip("!")), token.endswith("!")) for token in tokens[2:n + 2]]
capacity = smallest_capacity(crates, day_limit)
if capacity is None:
    print(-1)
else:
    print(capacity, days_needed(crates, capacity))
