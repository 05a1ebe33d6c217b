const words = require("node:fs").readFileSync(0, "utf8").trim().split(/\s+/);
const binary = {
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  "/": (a, b) => Math.trunc(a / b) + 0,
};
function run() {
  const stack = [];
  for (let i = 0; i < words.length; i++) {
    const word = words[i];
    const underflow = "underflow at " + (i + 1);
    if (word === "dup") {
      if (stack.length < 1) return underflow;
      stack.push(stack[stack.length - 1]);
    } else if (word === "drop") {
      if (stack.length < 1) return underflow;
      stack.pop();
    } else if (word === "swap") {
      if (stack.length < 2) return underflow;
      const top = stack.pop();
      stack.splice(stack.length - 1, 0, top);
    } else if (word in binary) {
      if (stack.length < 2) return underflow;
      const b = stack.pop();
      const a = stack.pop();
      if (word === "/" && b === 0) return "division by zero at " + (i + 1);
      stack.push(binary[word](a, b));
    } else {
      stack.push(Number(word));
    }
  }
  return stack.length > 0 ? stack.join(" ") : "empty";
}
console.log(run());
