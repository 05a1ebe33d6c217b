const data = require("node:fs").readFileSync(0, "utf8").split(/\s+/).filter(Boolean).map(Number);
const [n, limit] = data;
const weights = data.slice(2, 2 + n).sort().reverse();
if (n > 0 && weights[0] > limit) {
  console.log(-1);
} else {
  let trips = 0;
  let pairs = 0;
  let last = n - 1;
  for (let first = 0; first <= last; first++) {
    trips += 1;
    if (first !== last && weights[first] + weights[last] <= limit) {
      pairs += 1;
      last -= 1;
    }
  }
  console.log(trips, pairs);
}
