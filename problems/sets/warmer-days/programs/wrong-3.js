const [n, k, ...days] = require("node:fs").readFileSync(0, "utf8").split(/\s+/).filter(Boolean).map(Number);
const waits = [];
for (let i = 0; i < n; i++) {
  let wait = 0;
  for (let later = 1; later <= k && i + later < n - 1; later++) {
    if (days[i + later] > days[i]) {
      wait = later;
      break;
    }
  }
  waits.push(wait);
}
console.log(waits.join(" "));
console.log(Math.max(...waits), waits.filter((wait) => wait === 0).length);
