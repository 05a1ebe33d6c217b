const [n, m, ...rest] = require("node:fs").readFileSync(0, "utf8").split(/\s+/).filter(Boolean).map(Number);
const toll = [];
const count = [];
for (let state = 0; state < 2 * (n + 1); state++) {
  toll.push(Infinity);
  count.push(0);
}
toll[2] = 0;
let changed = true;
function relax(from, to, price) {
  const [cost, roads] = [toll[from] + price, count[from] + 1];
  if (cost < toll[to] || (cost === toll[to] && cost < Infinity && roads < count[to])) {
    toll[to] = cost;
    count[to] = roads;
    changed = true;
  }
}
while (changed) {
  changed = false;
  for (let i = 0; i < 3 * m; i += 3) {
    const [a, b, price] = rest.slice(i, i + 3);
    for (const [x, y] of [[a, b], [b, a]]) {
      relax(2 * x, 2 * y, price);
      relax(2 * x + 1, 2 * y + 1, price);
      relax(2 * x, 2 * y + 1, 0);
    }
  }
}
const ends = [2 * n, 2 * n + 1].sort((a, b) => toll[a] - toll[b] || count[a] - count[b]);
const end = ends[0];
console.log(toll[end] === Infinity ? "-1" : toll[end] + " " + count[end]);
