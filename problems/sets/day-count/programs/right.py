import sys

MONTHS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]


def is_leap(year):
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def ordinal(year, month, day):
    days = 0
    for y in range(1600, year):
        days += 366 if is_leap(y) else 365
    for m in range(1, month):
        days += MONTHS[m - 1]
        if m == 2 and is_leap(year):
            days += 1
    return days + day


first, second = sorted(tuple(map(int, line.split("-"))) for line in sys.stdin.read().split())
start, end = ordinal(*first), ordinal(*second)
leap_days = 0
for year in range(first[0], second[0] + 1):
    if is_leap(year) and start <= ordinal(year, 2, 29) < end:
        leap_days += 1
print(end - start)
print(leap_days)
