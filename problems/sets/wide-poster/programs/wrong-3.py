import sys


def widest_poster(heights):
    best = (0, 0, 0)
    stack = []
    for i, height in enumerate(heights):
        start = i
        while stack and stack[-1][1] >= height:
            first, top = stack.pop()
            width = i - first
            area = width * top
            if area > 0 and (area, width, -first) > (best[0], best[1], -best[2]):
                best = (area, width, first)
            start = first
        stack.append((start, height))
    return best


data = list(map(int, sys.stdin.read().split()))
area, width, first = widest_poster(data[1:data[0] + 1])
if area == 0:
    print("0 0 0")
else:
    print(area, width, first + 1)
