const [n, target, ...amounts] = require("node:fs").readFileSync(0, "utf8").split(/\s+/).filter(Boolean).map(Number);
let count = 0;
let longest = 0;
let first = 0;
for (let start = 0; start < n; start++) {
  let sum = 0;
  for (let end = start; end < n; end++) {
    sum += amounts[end];
    if (sum !== target) continue;
    count++;
    if (end - start + 1 > longest) {
      longest = end - start + 1;
      first = start + 1;
    }
  }
}
console.log(count, longest, first);
