const dates = require("node:fs").readFileSync(0, "utf8").split(/\s+/).filter(Boolean).sort();
const leap = (y) => (y % 4 === 0 && y % 100 !== 0) || y % 400 === 0;
const lengthOf = (y, m) => (m === 2 ? (leap(y) ? 29 : 28) : [4, 6, 9, 11].includes(m) ? 30 : 31);
const [first, second] = dates.map((date) => date.split("-").map(Number));
let [y, m, d] = first;
let days = 0;
let leapDays = 0;
while (y !== second[0] || m !== second[1] || d !== second[2]) {
  if (m === 2 && d === 29) leapDays++;
  days++;
  d++;
  if (d > lengthOf(y, m)) {
    d = 1;
    m++;
  }
  if (m > 12) {
    m = 1;
    y++;
  }
}
console.log(days);
console.log(leapDays);
