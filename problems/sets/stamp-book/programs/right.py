import sys

MODULUS = 1_000_000_007


def solve(values, price):
    fewest = [0] + [None] * price
    ways = [1] + [0] * price
    for value in set(values):
        for amount in range(value, price + 1):
            before = fewest[amount - value]
            if before is not None and (fewest[amount] is None or before + 1 < fewest[amount]):
                fewest[amount] = before + 1
            ways[amount] = (ways[amount] + ways[amount - value]) % MODULUS
    if fewest[price] is None:
        return -1, 0
    return fewest[price], ways[price]


data = list(map(int, sys.stdin.read().split()))
k, price = data[0], data[1]
print(*solve(data[2:2 + k], price))
