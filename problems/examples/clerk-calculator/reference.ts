// The reference solution of clerk-calculator: operator precedence with two stacks.

const RANK: Readonly<Record<string, number>> = { "+": 1, "-": 1, "*": 2, "/": 2, neg: 3 };

function apply(operator: string, values: number[]): void {
  const right = values.pop() ?? Number.NaN;
  if (operator === "neg") {
    values.push(-right);
    return;
  }
  const left = values.pop() ?? Number.NaN;
  if (operator === "+") values.push(left + right);
  else if (operator === "-") values.push(left - right);
  else if (operator === "*") values.push(left * right);
  else values.push(right === 0 ? Number.NaN : Math.trunc(left / right));
}

/** One expression to its value; NaN marks a division by zero, since it survives every later operation. */
function evaluate(expression: string): number {
  const values: number[] = [];
  const operators: string[] = [];
  let operandNext = true;
  for (const token of expression.match(/\d+|[-+*/()]/g) ?? []) {
    if (/\d/.test(token)) values.push(Number(token));
    else if (token === "(") operators.push(token);
    else if (token === ")") {
      while (operators.at(-1) !== "(") apply(operators.pop() ?? "", values);
      operators.pop();
    } else if (operandNext) operators.push("neg");
    else {
      while ((RANK[operators.at(-1) ?? ""] ?? 0) >= (RANK[token] ?? 0)) apply(operators.pop() ?? "", values);
      operators.push(token);
    }
    operandNext = token !== ")" && !/\d/.test(token);
  }
  while (operators.length > 0) apply(operators.pop() ?? "", values);
  return values[0] ?? Number.NaN;
}

/** Input text to output text; adding 0 turns -0 into 0. */
export function solve(input: string): string {
  const lines = input.trimEnd().split("\n");
  return lines.map((line) => (Number.isNaN(evaluate(line)) ? "ERROR" : String(evaluate(line) + 0))).join("\n");
}
