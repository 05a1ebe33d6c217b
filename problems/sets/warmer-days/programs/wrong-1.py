import sys


def waits(temperatures, k):
    answer = [0] * len(temperatures)
    stack = []
    for day, temperature in enumerate(temperatures):
        while stack and temperatures[stack[-1]] <= temperature:
            before = stack.pop()
            if day - before <= k:
                answer[before] = day - before
        stack.append(day)
    return answer


data = list(map(int, sys.stdin.read().split()))
n, k = data[:2]
answer = waits(data[2:2 + n], k)
print(*answer)
print(max(answer), answer.count(0))
