const tokens = require("node:fs").readFileSync(0, "utf8").trim().split(/\s+/);
const [height, width, k] = tokens.slice(0, 3).map(Number);
const grid = tokens.slice(3);
const at = grid.join("").indexOf("S");
const fewest = new Map([[at, 0]]);
let frontier = new Map([[at, 0]]);
let answer = "-1";
for (let steps = 0; frontier.size > 0 && answer === "-1"; steps++) {
  const next = new Map();
  for (const [cell, wet] of frontier) {
    const [r, c] = [Math.floor(cell / width), cell % width];
    if (grid[r][c] === "E") answer = steps + " " + wet;
    for (const [dr, dc] of [[0, 1], [1, 0], [0, -1], [-1, 0]]) {
      const [y, x] = [r + dr, c + dc];
      if (y < 0 || x < 0 || y >= height || x >= width || grid[y][x] === "#") continue;
      const after = wet + (grid[y][x] === "~" ? 1 : 0);
      const there = y * width + x;
      if (after > k || after >= (fewest.get(there) ?? Infinity)) continue;
      fewest.set(there, after);
      next.set(there, after);
    }
  }
  frontier = next;
}
console.log(answer);
