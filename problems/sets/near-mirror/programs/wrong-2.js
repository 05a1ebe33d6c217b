const line = require("node:fs").readFileSync(0, "utf8").split("\n")[0];
const text = line.toLowerCase().replace(/[^a-z]/g, "");
const isMirror = (s) => s === [...s].reverse().join("");
function judge() {
  if (isMirror(text)) return "YES";
  for (let i = 0; i < text.length; i++) {
    if (isMirror(text.slice(0, i) + text.slice(i + 1))) return "ALMOST " + (i + 1);
  }
  return "NO";
}
console.log(judge());
