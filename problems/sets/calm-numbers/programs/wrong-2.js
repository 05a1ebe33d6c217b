const [a, b] = require("node:fs").readFileSync(0, "utf8").trim().split(" ");
const pad = (text) => text.padStart(16, "0");
const [low, high] = [pad(a), pad(b)];
const memo = new Map();
function walk(at, previous, onLow, onHigh) {
  if (at === 16) return { count: 1, largest: "" };
  const key = [at, previous, onLow, onHigh].join();
  if (memo.has(key)) return memo.get(key);
  const result = { count: 0, largest: null };
  const from = onLow ? Number(low[at]) : 0;
  const to = onHigh ? Number(high[at]) : 9;
  for (let digit = from; digit <= to; digit++) {
    const started = previous >= 0;
    const difference = Math.abs(previous - digit);
    if (started && (difference === 0 || difference > 2)) continue;
    const next = digit;
    const rest = walk(at + 1, next, onLow && digit === from, onHigh && digit === to);
    if (rest.count === 0) continue;
    result.count += rest.count;
    result.largest = digit + rest.largest;
  }
  memo.set(key, result);
  return result;
}
const { count, largest } = walk(0, -1, true, true);
console.log(count === 0 ? "0 -" : count + " " + String(Number(largest)));
