const [size, line] = require("node:fs").readFileSync(0, "utf8").trim().split("\n");
const [width, height] = size.split(" ").map(Number);
const program = line.trim().replace(/([2-9])([FBLR])/g, (_, times, command) => command.repeat(Number(times)));
let [x, y, dx, dy, bumps] = [0, 0, 0, 1, 0];
const mown = new Set(["0,0"]);
for (const command of program) {
  if (command === "L") [dx, dy] = [dy, -dx];
  else if (command === "R") [dx, dy] = [dy, -dx];
  else {
    const step = command === "F" ? 1 : -1;
    const [nx, ny] = [x + step * dx, y + step * dy];
    if (nx < 0 || ny < 0 || nx >= width || ny >= height) {
      bumps++;
      continue;
    }
    [x, y] = [nx, ny];
    mown.add(x + "," + y);
  }
}
const facing = dy === 1 ? "N" : dx === 1 ? "E" : dy === -1 ? "S" : "W";
console.log(x, y, facing, mown.size, bumps);
