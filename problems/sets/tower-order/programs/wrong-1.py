import sys
from bisect import bisect_left


def tower(widths):
    tops = []
    for width in widths:
        place = bisect_left(tops, -width)
        if place == len(tops):
            tops.append(-width)
        else:
            tops[place] = -width
    return len(tops), tops


def main():
    data = list(map(int, sys.stdin.read().split()))
    widths = data[1:data[0] + 1]
    height, _ = tower(widths)
    best = [1] * len(widths)
    smallest = None
    for i, width in enumerate(widths):
        for j in range(i):
            if widths[j] > width and best[j] + 1 > best[i]:
                best[i] = best[j] + 1
        if best[i] == height and (smallest is None or width < smallest):
            smallest = width
    print(height, smallest)


main()
