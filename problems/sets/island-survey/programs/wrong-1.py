import sys


def survey(rows):
    height, width = len(rows), len(rows[0])
    seen = [[False] * width for _ in range(height)]
    count = largest = inland = 0
    for r in range(height):
        for c in range(width):
            if rows[r][c] != "#" or seen[r][c]:
                continue
            count += 1
            size = 0
            border = False
            stack = [(r, c)]
            seen[r][c] = True
            while stack:
                y, x = stack.pop()
                size += 1
                if y == 0 or x == 0 or y == height - 1 or x == width - 1:
                    border = True
                for dy, dx in ((0, 1), (1, 0), (-1, 0)):
                    ny, nx = y + dy, x + dx
                    if 0 <= ny < height and 0 <= nx < width and rows[ny][nx] == "#" and not seen[ny][nx]:
                        seen[ny][nx] = True
                        stack.append((ny, nx))
            largest = max(largest, size)
            if not border:
                inland += 1
    return count, largest, inland


lines = sys.stdin.read().split()
print(*survey(lines[2:]))
