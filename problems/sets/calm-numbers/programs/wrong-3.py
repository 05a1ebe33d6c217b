def is_step(previous, digit):
    return previous != digit and abs(previous - digit) <= 2


def count_free(previous, length, memo={}):
    if length == 0:
        return 1
    key = (previous, length)
    if key not in memo:
        memo[key] = sum(count_free(digit, length - 1) for digit in range(10) if is_step(previous, digit))
    return memo[key]


def count_up_to(limit):
    if limit < 0:
        return 0
    digits = [int(c) for c in str(limit)]
    total = 1
    for length in range(1, len(digits)):
        total += sum(count_free(first, length - 1) for first in range(1, 10))
    for place, digit in enumerate(digits):
        left = len(digits) - place - 1
        for lower in range(1 if place == 0 else 0, digit):
            if place == 0 or is_step(digits[place - 1], lower):
                total += count_free(lower, left)
        if place > 0 and not is_step(digits[place - 1], digit):
            return total
    return total + (1 if limit > 0 else 0)


a, b = map(int, input().split())
count = count_up_to(b) - count_up_to(a)
if count == 0:
    print(0, "-")
else:
    wanted = count_up_to(b)
    low, high = a, b
    while low < high:
        middle = (low + high) // 2
        if count_up_to(middle) >= wanted:
            high = middle
        else:
            low = middle + 1
    print(count, low)
