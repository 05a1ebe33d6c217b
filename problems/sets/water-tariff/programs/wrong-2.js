const lines = require("node:fs").readFileSync(0, "utf8").trim().split("\n");
const [fixed, minimum, count] = lines[0].split(" ").map(Number);
const bands = lines.slice(1, count + 1).map((line) => line.split(" ").map(Number));
let total = 0;
for (const line of lines.slice(count + 2)) {
  const [tariff, used] = line.split(" ");
  let left = Number(used);
  let bill = fixed;
  for (const [width, price] of bands) {
    const part = width === 0 ? left : Math.min(width, left);
    bill += part * price;
    left -= part;
  }
  bill = tariff === "S" ? Math.round(bill / 2) : Math.max(minimum, bill);
  total += bill;
  console.log(bill);
}
console.log("total " + total);
