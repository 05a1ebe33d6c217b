import sys


def main():
    data = list(map(int, sys.stdin.read().split()))
    n, guests = data[0], data[1]
    taken = set(data[2:2 + n])
    given = []
    locker = 0
    while len(given) < guests:
        locker += 1
        if locker in taken:
            continue
        given.append(locker)
    print(*given)


main()
