const [n, capacity, most, ...rest] = require("node:fs").readFileSync(0, "utf8").split(/\s+/).filter(Boolean).map(Number);
const memo = new Map();
function best(i, room, left) {
  if (i === n || left === 0) return [0, 0];
  const key = (i * 501 + room) * 61 + left;
  if (memo.has(key)) return memo.get(key);
  const [weight, value] = [rest[2 * i], rest[2 * i + 1]];
  let result = best(i + 1, room, left);
  if (weight <= room) {
    const [worth, load] = best(i + 1, room - weight, left);
    const taken = [worth + value, load + weight];
    if (taken[0] > result[0] || (taken[0] === result[0] && taken[1] < result[1])) result = taken;
  }
  memo.set(key, result);
  return result;
}
console.log(best(0, capacity, most).join(" "));
