import sys

VOWELS = "aeiou"


def mirror(text):
    chars = list(text)
    left, right = 0, len(chars) - 1
    changed = 0
    while left < right:
        if chars[left].lower() not in VOWELS:
            left += 1
        elif chars[right].lower() not in VOWELS:
            right -= 1
        else:
            if chars[left] != chars[right]:
                changed += 2
            chars[left], chars[right] = chars[right], chars[left]
            left += 1
            right -= 1
    return "".join(chars), changed


line = sys.stdin.readline().rstrip("\n")
result, changed = mirror(line)
print(result)
print(changed)
