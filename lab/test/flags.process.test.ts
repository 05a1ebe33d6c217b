// The flags of `npm run lab -- chaos`, `soak`, `fuzz` and `bench`, as a user runs them.
import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";

const run = (script: string, ...args: string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [`lab/${script}/main.ts`, ...args], {
    encoding: "utf8",
  });
  return { status, stdout, stderr };
};

it.each(["chaos", "soak", "fuzz"])("%s lists its flags when asked for help", (script) => {
  const { status, stdout } = run(script, "--help");
  expect([status, stdout.includes(`npm run lab -- ${script}`), stdout.includes("--seed N")]).toEqual([0, true, true]);
});

it.each([
  ["chaos", ["--seed", "x"], "--seed must be an integer from 0 to 2147483648, not 'x'"],
  ["chaos", ["--minutes", ""], "--minutes must be a number from 0.1 to 1440, not ''"],
  ["soak", ["--share", "1.5"], "--share must be a number from 0.05 to 1, not '1.5'"],
  ["fuzz", ["--inputs", "2.5"], "--inputs must be an integer from 0 to 1000000000, not '2.5'"],
  ["fuzz", ["--bogus"], "--bogus"],
  ["fuzz", ["--seed"], "--seed"],
  ["chaos", ["--out", "/proc/x/y.md"], "--out /proc/x cannot be written to"],
  ["soak", ["--out", "scripts"], "--out . cannot be written to"],
  ["bench", ["--out", "/proc/x/y.json"], "--out /proc/x cannot be written to"],
  ["bench", ["--only", "x"], "--only must be one of "],
])("%s refuses %j by its name and its bounds, without a stack trace", (script, args, fault) => {
  const { status, stderr } = run(script, ...args);
  expect([status, stderr.includes(fault), /\n\s+at /.test(stderr)]).toEqual([2, true, false]);
});
