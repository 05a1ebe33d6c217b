const [n, m, ...rest] = require("node:fs").readFileSync(0, "utf8").split(/\s+/).filter(Boolean).map(Number);
const bridges = [];
for (let i = 0; i < m; i++) bridges.push([rest[2 * i], rest[2 * i + 1]]);
function groups(isStanding) {
  const group = new Array(n + 1).fill(0);
  const sizes = [];
  for (let root = 1; root <= n; root++) {
    if (group[root] !== 0) continue;
    group[root] = root;
    const members = [root];
    for (const island of members) {
      bridges.forEach(([a, b], k) => {
        if (!isStanding(k)) return;
        const other = a === island ? b : b === island ? a : 0;
        if (other === 0 || group[other] !== 0) return;
        group[other] = root;
        members.push(other);
      });
    }
    sizes.push(members.length);
  }
  return { group, sizes };
}
const weak = bridges.map(([a, b], k) => {
  const { group } = groups((other) => other !== k);
  return group[a] !== group[b];
});
const { sizes } = groups(() => true);
console.log(weak.filter(Boolean).length, Math.max(...sizes));
bridges.forEach(([a, b], k) => {
  if (weak[k]) console.log(a, b);
});
