VOWELS = set("aeiou")


def replace_cost(a, b):
    if a == b:
        return 0
    return 1


def distance(source, target):
    rows = [list(range(len(target) + 1))]
    for i in range(1, len(source) + 1):
        row = [i]
        for j in range(1, len(target) + 1):
            best = min(
                rows[i - 1][j] + 1,
                row[j - 1] + 1,
                rows[i - 1][j - 1] + replace_cost(source[i - 1], target[j - 1]),
            )
            if i > 1 and j > 1 and source[i - 1] == target[j - 2] and source[i - 2] == target[j - 1]:
                best = min(best, rows[i - 2][j - 2] + 1)
            row.append(best)
        rows.append(row)
    return rows[-1][-1]


print(distance(input().strip(), input().strip()))
