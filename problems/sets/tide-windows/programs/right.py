import sys


def join(windows):
    joined = []
    for start, end in sorted(windows):
        if joined and start <= joined[-1][1]:
            joined[-1][1] = max(joined[-1][1], end)
        else:
            joined.append([start, end])
    return joined


def main():
    data = list(map(int, sys.stdin.read().split()))
    pairs = [(data[i], data[i + 1]) for i in range(1, 2 * data[0], 2)]
    joined = join(pairs)
    for start, end in joined:
        print(start, end)
    total = sum(end - start for start, end in joined)
    longest = 0
    for before, after in zip(joined, joined[1:]):
        longest = max(longest, after[0] - before[1])
    print(total, longest)


main()
