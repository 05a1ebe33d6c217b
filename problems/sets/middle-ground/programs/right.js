const [n, ...rest] = require("node:fs").readFileSync(0, "utf8").split(/\s+/).filter(Boolean).map(Number);
const readings = rest.slice(0, n).sort((a, b) => a - b);
const half = Math.floor(n / 2);
const median = n % 2 === 1 ? readings[half] : (readings[half - 1] + readings[half]) / 2;
const above = readings.filter((value) => value > median).length;
const counts = new Map();
for (const value of readings) {
  counts.set(value, (counts.get(value) ?? 0) + 1);
}
let common = readings[0];
for (const [value, count] of counts) {
  if (count > counts.get(common)) common = value;
}
console.log(median + " " + above + " " + common);
