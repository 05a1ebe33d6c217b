const [k, price, ...rest] = require("node:fs").readFileSync(0, "utf8").split(/\s+/).filter(Boolean).map(Number);
const values = [...new Set(rest.slice(0, k))];
const modulus = 1000000007;
const fewest = new Array(price + 1).fill(Infinity);
const ways = new Array(price + 1).fill(0);
fewest[0] = 0;
ways[0] = 1;
for (const value of values) {
  for (let amount = value; amount <= price; amount++) {
    fewest[amount] = Math.min(fewest[amount], fewest[amount - value] + 1);
    ways[amount] = (ways[amount] + ways[amount - value]) % modulus;
  }
}
console.log(fewest[price] + " " + ways[price]);
