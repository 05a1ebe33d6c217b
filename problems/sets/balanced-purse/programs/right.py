import sys


def periods(amounts, target):
    first_seen = {0: 0}
    times_seen = {0: 1}
    total = count = 0
    longest, start = 0, 0
    for day, amount in enumerate(amounts, 1):
        total += amount
        wanted = total - target
        count += times_seen.get(wanted, 0)
        if wanted in first_seen and day - first_seen[wanted] > longest:
            longest = day - first_seen[wanted]
            start = first_seen[wanted] + 1
        times_seen[total] = times_seen.get(total, 0) + 1
        first_seen.setdefault(total, day)
    return count, longest, start


data = list(map(int, sys.stdin.read().split()))
n, target = data[0], data[1]
print(*periods(data[2:n + 2], target))
