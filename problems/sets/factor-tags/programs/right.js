const [n, ...numbers] = require("node:fs").readFileSync(0, "utf8").split(/\s+/).filter(Boolean).map(Number);
const modulus = 998244353n;
const totals = new Map();
for (let number of numbers.slice(0, n)) {
  const tag = [];
  for (let p = 2; number > 1; p++) {
    if (p * p > number) p = number;
    let count = 0;
    while (number % p === 0) {
      number /= p;
      count++;
    }
    if (count === 0) continue;
    totals.set(p, (totals.get(p) ?? 0) + count);
    tag.push(count > 1 ? p + "^" + count : String(p));
  }
  console.log(tag.length > 0 ? tag.join("x") : "1");
}
let divisors = 1n;
for (const count of totals.values()) {
  divisors = (divisors * BigInt(count + 1)) % modulus;
}
console.log(String(divisors));
