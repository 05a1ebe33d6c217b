const words = require("node:fs").readFileSync(0, "utf8").split(/\s+/).filter((word) => word !== "");
const groups = new Map();
for (const word of new Set(words)) {
  const key = [...word.toLowerCase()].sort().join("");
  if (!groups.has(key)) groups.set(key, []);
  groups.get(key).push(word);
}
const lines = [...groups.values()]
  .filter((family) => family.length > 1)
  .sort((a, b) => b.length - a.length)
  .map((family) => family.join(" "));
console.log(lines.length === 0 ? "NONE" : lines.join("\n"));
