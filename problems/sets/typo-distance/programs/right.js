const [a, b] = require("node:fs").readFileSync(0, "utf8").trim().split(/\s+/);
const isVowel = (letter) => "aeiou".includes(letter);
const memo = new Map();
function cost(i, j) {
  if (i === a.length) return b.length - j;
  if (j === b.length) return a.length - i;
  if (a[i] === b[j] && i + 1 === a.length && j + 1 === b.length) return 0;
  const key = i * 1000 + j;
  if (memo.has(key)) return memo.get(key);
  const replacing = a[i] === b[j] ? 0 : isVowel(a[i]) && isVowel(b[j]) ? 1 : 2;
  let best = Math.min(cost(i + 1, j) + 1, cost(i, j + 1) + 1, cost(i + 1, j + 1) + replacing);
  if (i + 1 < a.length && j + 1 < b.length && a[i] === b[j + 1] && a[i + 1] === b[j]) {
    best = Math.min(best, cost(i + 2, j + 2) + 1);
  }
  memo.set(key, best);
  return best;
}
console.log(cost(0, 0));
