import sys


def families(words):
    groups = {}
    for word in words:
        key = "".join(sorted(set(word.lower())))
        members = groups.setdefault(key, [])
        if word not in members:
            members.append(word)
    large = [members for members in groups.values() if len(members) >= 2]
    large.sort(key=len, reverse=True)
    return large


found = families(sys.stdin.read().split())
if not found:
    print("NONE")
for members in found:
    print(*members)
