const [first, second = ""] = require("node:fs").readFileSync(0, "utf8").split("\n");
const width = Number(first);
const words = second.split(" ").filter(Boolean);
const lines = [];
for (const word of words) {
  const last = lines[lines.length - 1];
  if (last !== undefined && last.join(" ").length + 1 + word.length <= width) {
    last.push(word);
  } else {
    lines.push([word]);
  }
}
const output = lines.map((line, at) => {
  if (at === lines.length - 1 || line.length === 1) return line.join(".");
  const gaps = line.map((word, i) => (i < line.length - 1 ? "." : ""));
  let missing = width - line.join(" ").length;
  for (let i = 0; missing > 0; i = (i + 1) % (line.length - 1)) {
    gaps[i] += ".";
    missing--;
  }
  return line.map((word, i) => word + gaps[i]).join("");
});
console.log(words.length > 0 ? output.join("\n") : "(empty)");
