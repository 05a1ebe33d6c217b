import sys
from collections import Counter


def median_twice(values):
    ordered = sorted(values)
    n = len(ordered)
    if n % 2 == 1:
        return 2 * ordered[n // 2]
    return ordered[n // 2 - 1] + ordered[n // 2]


def show_half(twice):
    sign = "-" if twice < 0 else ""
    whole, rest = divmod(abs(twice), 2)
    return sign + str(whole) + (".5" if rest else "")


data = list(map(int, sys.stdin.read().split()))
readings = data[1:1 + data[0]]
middle = median_twice(readings)
above = sum(1 for value in readings if 2 * value >= middle)
counts = Counter(readings)
common = min(counts, key=lambda value: (-counts[value], value))
print(show_half(middle), above, common)
