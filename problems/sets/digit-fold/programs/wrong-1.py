def fold(number, base):
    total = 0
    while number > 0:
        number, digit = divmod(number, base)
        total += digit ** 2 if digit < 10 else 0
    return total


x, base = map(int, input().split())
seen = {x}
steps = 0
while True:
    x = fold(x, base)
    steps += 1
    if x in seen:
        break
    seen.add(x)
print(steps, x)
