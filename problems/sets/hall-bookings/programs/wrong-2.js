const [n, cleaning, ...rest] = require("node:fs").readFileSync(0, "utf8").split(/\s+/).filter(Boolean).map(Number);
const requests = [];
for (let i = 0; i < n; i++) requests.push(rest.slice(3 * i, 3 * i + 3));
requests.sort((a, b) => a[0] - b[0]);
const isBetter = (a, b) => a[0] > b[0] || (a[0] === b[0] && (a[1] < b[1] || (a[1] === b[1] && a[2] < b[2])));
let answer = [0, 0, 0];
const upTo = [];
for (let i = 0; i < n; i++) {
  const [start, end, price] = requests[i];
  let before = [0, 0, 0];
  for (let j = 0; j < i; j++) {
    if (requests[j][1] + cleaning < start && isBetter(upTo[j], before)) before = upTo[j];
  }
  upTo.push([before[0] + price, before[1] + 1, end]);
  if (isBetter(upTo[i], answer)) answer = upTo[i];
}
console.log(answer.join(" "));
