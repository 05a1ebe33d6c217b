VALUES = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}
SYMBOLS = [
    (1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"),
    (50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"),
]


def to_number(numeral):
    total = 0
    for i, letter in enumerate(numeral):
        value = VALUES[letter]
        if i + 1 < len(numeral) and VALUES[numeral[i + 1]] > value:
            total -= value
        else:
            total += value
    return total


def to_numeral(number):
    parts = []
    for value, symbol in SYMBOLS:
        while number >= value:
            parts.append(symbol)
            number -= value
    return "".join(parts)


total = sum(to_number(part.strip()) for part in input().split("+"))
if total > 3999:
    print("TOO BIG", total)
else:
    print(to_numeral(total))
