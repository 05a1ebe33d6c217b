import sys
from collections import deque


def solve(grid, k):
    height, width = len(grid), len(grid[0])
    start = next((r, c) for r in range(height) for c in range(width) if grid[r][c] == "S")
    queue = deque([(start[0], start[1], 0)])
    distance = {(start[0], start[1], 0): 0}
    answer = None
    while queue:
        r, c, wet = queue.popleft()
        steps = distance[r, c, wet]
        if answer is not None and steps > answer[0]:
            break
        if grid[r][c] == "E":
            if answer is None or wet < answer[1]:
                answer = (steps, wet)
            continue
        for nr, nc in ((r + 1, c), (r - 1, c), (r, c + 1), (r, c - 1)):
            if not (0 <= nr < height and 0 <= nc < width) or grid[nr][nc] == "#":
                continue
            after = wet + 1 if grid[nr][nc] == "~" else wet
            if after > k or (nr, nc, after) in distance:
                continue
            distance[nr, nc, after] = steps + 1
            queue.append((nr, nc, after))
    return answer


tokens = sys.stdin.read().split()
answer = solve(tokens[3:], int(tokens[2]))
if answer is None:
    print(-1)
else:
    print(*answer)
