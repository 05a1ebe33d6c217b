const [n, ...rest] = require("node:fs").readFileSync(0, "utf8").split(/\s+/).filter(Boolean).map(Number);
const widths = rest.slice(0, n);
const best = [];
let height = 0;
let top = 0;
for (let i = 0; i < n; i++) {
  best[i] = 1;
  for (let j = 0; j < i; j++) {
    if (widths[j] >= widths[i]) best[i] = Math.max(best[i], best[j] + 1);
  }
  if (best[i] > height || (best[i] === height && widths[i] < top)) {
    height = best[i];
    top = widths[i];
  }
}
console.log(height, top);
