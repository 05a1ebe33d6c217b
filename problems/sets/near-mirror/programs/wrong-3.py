def is_mirror(letters, left, right):
    while left < right:
        if letters[left] != letters[right]:
            return False
        left += 1
        right -= 1
    return True


def judge(phrase):
    letters = [c for c in phrase.lower() if c.isalnum()]
    left, right = 0, len(letters) - 1
    while left < right and letters[left] == letters[right]:
        left += 1
        right -= 1
    if left >= right:
        return "YES"
    choices = []
    if is_mirror(letters, left + 1, right):
        choices.append(left)
    if is_mirror(letters, left, right - 1):
        choices.append(right)
    if not choices:
        return "NO"
    first = min(choices)
    return "ALMOST %d" % (first + 1)


print(judge(input()))
