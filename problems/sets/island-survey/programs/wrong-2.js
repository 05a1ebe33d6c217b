const lines = require("node:fs").readFileSync(0, "utf8").trim().split("\n");
const [height, width] = lines[0].split(" ").map(Number);
const map = lines.slice(1, height + 1).map((line) => [...line.trim()]);
let touches = false;
function sink(r, c) {
  if (r < 0 || c < 0 || r >= height || c >= width || map[r][c] !== "#") return 0;
  map[r][c] = ".";
  if (r === 0 || c === 0 || r === height - 1) touches = true;
  return 1 + sink(r - 1, c) + sink(r + 1, c) + sink(r, c - 1) + sink(r, c + 1);
}
let count = 0;
let largest = 0;
let inland = 0;
for (let r = 0; r < height; r++) {
  for (let c = 0; c < width; c++) {
    touches = false;
    const size = sink(r, c);
    if (size === 0) continue;
    count++;
    if (size > largest) largest = size;
    if (!touches) inland++;
  }
}
console.log(count, largest, inland);
