def justify(words, width):
    gaps = len(words) - 1
    letters = sum(len(word) for word in words)
    if gaps == 0 or letters + gaps > width:
        return ".".join(words)
    each, extra = divmod(width - letters, gaps)
    line = ""
    for i, word in enumerate(words[:-1]):
        line += word + "." * (each + (1 if i >= gaps - extra else 0))
    return line + words[-1]


def layout(words, width):
    lines = []
    current = []
    length = 0
    for word in words:
        needed = len(word) if not current else length + 1 + len(word)
        if current and needed > width:
            lines.append(current)
            current = []
            needed = len(word)
        current.append(word)
        length = needed
    lines.append(current)
    return [justify(line, width) for line in lines[:-1]] + [".".join(lines[-1])]


width = int(input())
words = input().split()
if words:
    print("\n".join(layout(words, width)))
else:
    print("(empty)")
