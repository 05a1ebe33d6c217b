import { slug } from "./slug.mjs";

const cases = [
  ["plain", "plain"],
  ["Two Words", "two-words"],
  ["Dots... and more", "dots-and-more"],
  ["  spaces around  ", "spaces-around"],
  ["C++ & Rust!", "c-rust"],
  ["", "untitled"],
];

let failed = 0;
for (const [title, expected] of cases) {
  const got = slug(title);
  if (got !== expected) failed++;
  console.log(
    `${got === expected ? "ok  " : "FAIL"} slug(${JSON.stringify(title)}) is ${JSON.stringify(got)}, expected ${JSON.stringify(expected)}`,
  );
}
console.log(`${cases.length - failed} of ${cases.length} passed`);
process.exitCode = failed === 0 ? 0 : 1;
