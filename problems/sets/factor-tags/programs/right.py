import sys
from collections import Counter

MODULUS = 998244353


def factors(number):
    found = []
    p = 2
    while p * p <= number:
        count = 0
        while number % p == 0:
            number //= p
            count += 1
        if count > 0:
            found.append((p, count))
        p += 1
    if number > 1:
        found.append((number, 1))
    return found


data = list(map(int, sys.stdin.read().split()))
totals = Counter()
for number in data[1:data[0] + 1]:
    tag = []
    for p, count in factors(number):
        totals[p] += count
        tag.append(f"{p}^{count}" if count > 1 else str(p))
    print("x".join(tag) or "1")
divisors = 1
for count in totals.values():
    divisors = divisors * (count + 1) % MODULUS
print(divisors)
