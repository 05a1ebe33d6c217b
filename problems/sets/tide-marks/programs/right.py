import sys


def longest_flood(levels):
    best_length, best_rise = 1, 0
    start = 0
    for i in range(1, len(levels)):
        if levels[i] <= levels[i - 1]:
            start = i
        length = i - start + 1
        rise = levels[i] - levels[start]
        if length > best_length or (length == best_length and rise > best_rise):
            best_length, best_rise = length, rise
    return best_length, best_rise


def main():
    data = list(map(int, sys.stdin.read().split()))
    n = data[0]
    length, rise = longest_flood(data[1:n + 1])
    print(length, rise)


main()
