const [x, base] = require("node:fs").readFileSync(0, "utf8").trim().split(" ").map(Number);
const fold = (number) => {
  const digits = [...number.toString(base)];
  return digits.reduce((sum, digit) => sum + parseInt(digit, base) ** 2, 0);
};
const seen = [x, 1];
let current = fold(x);
while (!seen.includes(current)) {
  seen.push(current);
  current = fold(current);
}
console.log(seen.length - 1, current);
