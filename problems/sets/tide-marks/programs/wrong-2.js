const [n, ...rest] = require("node:fs").readFileSync(0, "utf8").split(/\s+/).filter(Boolean).map(Number);
const levels = rest.slice(0, n);
let best = [1, 0];
let length = 1;
for (let i = 1; i < n; i++) {
  length = levels[i] >= levels[i - 1] ? length + 1 : 1;
  const rise = levels[i] - levels[i - length + 1];
  if (length > best[0] || (length === best[0] && rise > best[1])) {
    best = [length, rise];
  }
}
console.log(best.join(" "));
