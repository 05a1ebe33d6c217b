def divide(a, b):
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


NEEDS = {"+": 2, "-": 2, "*": 2, "/": 2, "dup": 1, "swap": 2, "drop": 1}


def run(words):
    stack = []
    for k, word in enumerate(words, 1):
        if len(stack) < NEEDS.get(word, 0):
            return "underflow at %d" % k
        if word == "dup":
            stack.append(stack[-1])
        elif word == "swap":
            stack[-1], stack[-2] = stack[-2], stack[-1]
        elif word == "drop":
            stack.pop()
        elif word in NEEDS:
            b = stack.pop()
            a = stack.pop()
            if word == "+":
                stack.append(a + b)
            elif word == "-":
                stack.append(a - b)
            elif word == "*":
                stack.append(a * b)
            elif b == 0:
                return "division by zero at %d" % k
            else:
                stack.append(divide(a, b))
        else:
            stack.append(int(word))
    return " ".join(map(str, stack)) or "empty"


print(run(input().split()))
