const [first, second] = require("node:fs").readFileSync(0, "utf8").trim().split("\n");
const [n, limit] = first.split(" ").map(Number);
const crates = second
  .trim()
  .split(/\s+/)
  .slice(0, n)
  .map((text) => ({ weight: parseInt(text, 10), fragile: text.includes("!") }));
function daysWith(capacity) {
  let days = 0;
  let room = -1;
  for (const { weight, fragile } of crates) {
    if (weight > room) {
      days++;
      room = capacity;
    }
    room = fragile ? -1 : room - weight;
  }
  return days;
}
let low = Math.max(...crates.map(({ weight }) => weight)) - 1;
let high = crates.reduce((sum, { weight }) => sum + weight, 0);
if (daysWith(high) > limit) {
  console.log(-1);
} else {
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (daysWith(middle) <= limit) high = middle;
    else low = middle;
  }
  console.log(high, daysWith(high));
}
