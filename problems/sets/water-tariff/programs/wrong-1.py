def usage_price(bands, amount):
    price = 0
    for width, unit in bands:
        part = amount if width == 0 else min(amount, width)
        price += part * unit
        amount -= part
        if amount == 0:
            break
    return price


fixed, minimum, count = map(int, input().split())
bands = [tuple(map(int, input().split())) for _ in range(count)]
total = 0
for _ in range(int(input())):
    tariff, amount = input().split()
    bill = fixed + usage_price(bands, int(amount))
    if tariff == "S":
        bill //= 2
    bill = max(bill, minimum)
    total += bill
    print(bill)
print("total", total)
