DIRECTIONS = [("N", 0, 1), ("E", 1, 0), ("S", 0, -1), ("W", -1, 0)]


def drive(width, height, commands):
    x = y = facing = bumps = 0
    mown = {(0, 0)}
    repeat = 1
    for command in commands:
        if command.isdigit():
            repeat = int(command)
            continue
        for _ in range(repeat):
            if command == "L":
                facing = (facing - 1) % 4
            elif command == "R":
                facing = (facing + 1) % 4
            else:
                sign = 1 if command == "F" else -1
                nx = x + sign * DIRECTIONS[facing][1]
                ny = y + sign * DIRECTIONS[facing][2]
                if 0 <= nx < width and 0 <= ny < height:
                    x, y = nx, ny
                    mown.add((x, y))
                else:
                    bumps += 1
    return x, y, DIRECTIONS[facing][0], len(mown), bumps


width, height = map(int, input().split())
print(*drive(width, height, input().strip()))
