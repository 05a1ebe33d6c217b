const lines = require("node:fs").readFileSync(0, "utf8").trim().split("\n");
const windows = lines.slice(1, Number(lines[0]) + 1).map((line) => line.split(" ").map(Number));
windows.sort((a, b) => a[0] - b[0]);
let total = 0;
let longest = 0;
let current = null;
const close = () => {
  console.log(current[0] + " " + current[1]);
  total += current[1] - current[0];
};
for (const [start, end] of windows) {
  if (current !== null && start <= current[1]) {
    if (end > current[1]) current[1] = end;
    continue;
  }
  if (current !== null) {
    close();
    longest = Math.max(longest, start - current[1]);
  }
  current = [start, end];
}
if (current !== null) close();
console.log(total + " " + longest);
