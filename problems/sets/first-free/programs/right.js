const data = require("node:fs").readFileSync(0, "utf8").split(/\s+/).filter(Boolean).map(Number);
const [n, guests] = data;
const taken = data.slice(2, n + 2).filter((locker) => locker > 0);
taken.sort((a, b) => a - b);
const given = [];
let next = 0;
for (let locker = 1; given.length < guests; locker++) {
  let free = true;
  while (next < taken.length && taken[next] <= locker) {
    if (taken[next] === locker) free = false;
    next++;
  }
  if (free && locker % 13 !== 0) given.push(locker);
}
console.log(given.join(" "));
