const line = require("node:fs").readFileSync(0, "utf8").trim();
const value = { I: 1, V: 5, X: 10, L: 50, C: 100, D: 500, M: 1000 };
let sum = 0;
for (const numeral of line.split("+")) {
  let highest = 0;
  for (const letter of [...numeral.trim()].reverse()) {
    if (value[letter] < highest) {
      sum -= value[letter];
    } else {
      sum += value[letter];
      highest = value[letter];
    }
  }
}
function numeralOf(number) {
  const digit = (n, one, five, ten) => {
    if (n === 9) return one + ten;
    if (n >= 5) return five + one.repeat(n - 5);
    return n === 4 ? one + five : one.repeat(n);
  };
  return (
    "M".repeat(Math.floor(number / 1000)) +
    digit(Math.floor(number / 100) % 10, "C", "D", "M") +
    digit(Math.floor(number / 10) % 10, "X", "L", "C") +
    digit(number % 10, "I", "V", "X")
  );
}
console.log(sum > 3999 ? "TOO BIG " + sum : numeralOf(sum));
