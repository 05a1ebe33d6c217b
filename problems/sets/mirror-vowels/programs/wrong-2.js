const line = require("node:fs").readFileSync(0, "utf8").split("\n")[0];
const isVowel = (c) => "aeiouAEIOU".includes(c);
const vowels = [...line].filter(isVowel);
let changed = 0;
let next = vowels.length - 1;
let result = "";
for (const c of line) {
  if (isVowel(c)) {
    if (c.toLowerCase() !== vowels[next].toLowerCase()) changed++;
    result += vowels[next];
    next--;
  } else {
    result += c;
  }
}
console.log(result);
console.log(changed);
