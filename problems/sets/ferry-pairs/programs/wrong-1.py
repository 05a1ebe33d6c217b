import sys


def trips(weights, limit):
    weights = sorted(weights)
    if weights and weights[-1] > limit:
        return None
    light, heavy = 0, len(weights) - 1
    total = pairs = 0
    while light <= heavy:
        if weights[light] + weights[heavy] <= limit:
            light += 1
            pairs += 1
        heavy -= 1
        total += 1
    return total, pairs


def main():
    data = [int(token) for token in sys.stdin.read().split()]
    n, limit = data[0], data[1]
    answer = trips(data[2:2 + n], limit)
    if answer is None:
        print(-1)
    else:
        print(answer[0], answer[1])


main()
