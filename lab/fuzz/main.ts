// `npm run lab -- fuzz`: random texts for every parser of untrusted text, and a search for super-linear time;
// with `--only cost` whole requests that cost more CPU than their length. Exits 1 when one is found.

import { commandFlags } from "../../scripts/command-line/flags.ts";
import { fuzz, growth } from "./campaign.ts";
import { searchCost } from "./cost.ts";
import { TARGETS } from "./targets.ts";

const { inputs, seed, seconds, chars, only } = commandFlags({
  command: "fuzz",
  call: "npm run lab -- fuzz",
  description:
    "Fuzzes every parser of untrusted text with random inputs, and searches for inputs whose cost grows faster than their length.",
  numbers: {
    inputs: { min: 0, max: 1e9, value: 1_000_000, whole: true, help: "random inputs over all parsers" },
    seed: { min: 0, max: 2 ** 31, value: 1, whole: true, help: "random seed" },
    seconds: { min: 1, max: 86_400, value: 60, help: "duration of the search of `--only cost`" },
    chars: { min: 1024, max: 2 ** 24, value: 32_768, whole: true, help: "length of the timed inputs in characters" },
  },
  texts: {
    only: {
      value: "",
      help: "only parsers whose name contains this; `cost`: search for requests that cost too much CPU",
    },
  },
});
if (only === "cost") {
  const { probes, tried, findings } = await searchCost(seconds, seed);
  console.log(`seed ${seed}: ${tried} texts in ${probes} request fields, ${findings.length} too expensive`);
  for (const { probe, unit, chars: length, ms, base_ms, ms_a_kib, exponent } of findings) {
    const growth = exponent === null ? "" : `, exponent ${exponent.toFixed(1)}`;
    console.log(
      `${probe}: ${JSON.stringify(unit)} to ${length} chars: ${ms.toFixed(0)} ms (${base_ms.toFixed(0)} ms with the original text), ${ms_a_kib.toFixed(0)} ms/KiB${growth}`,
    );
  }
  process.exit(findings.length > 0 ? 1 : 0);
}
const targets = TARGETS.filter(({ name }) => name.includes(only));
if (targets.length === 0) {
  console.error(`kritai fuzz: --only matches no parser; there are: ${TARGETS.map(({ name }) => name).join(", ")}`);
  process.exit(1);
}

/**
 * Four times the text may take ten times as long before it counts, the square being sixteen:
 * garbage collection is not the parser's.
 */
const FACTOR_MAX = 2.5;

const started = performance.now();
const step = Math.max(1, Math.floor(inputs / 10));
let reported = 0;
const { reports, crashes } = fuzz(targets, inputs, seed, (done) => {
  if (done - reported < step) return;
  reported = done;
  console.log(`${done} inputs, ${Math.round((performance.now() - started) / 1000)} s`);
});
console.log(`\nseed ${seed}: ${reports.reduce((sum, { inputs: n }) => sum + n, 0)} inputs, ${crashes.length} crashes`);
for (const { target, text, error } of crashes) console.log(`CRASH ${target}: ${error}\n  ${JSON.stringify(text)}`);

let slow = 0;
console.log("\n| target | inputs | ns/char | worst growth | input | limit |\n|---|---|---|---|---|---|");
for (const [i, target] of targets.entries()) {
  const worst = growth(target, chars);
  const bad = worst.factor > FACTOR_MAX;
  if (bad) slow++;
  const { inputs: fed, ns_per_char } = reports[i] as (typeof reports)[number];
  const cells = [`${worst.factor.toFixed(2)}${bad ? " SUPER-LINEAR" : ""}`, `${worst.ns_per_char.toFixed(1)} ns/char`];
  console.log(`| ${[target.name, fed, ns_per_char.toFixed(1), ...cells, JSON.stringify(worst.unit)].join(" | ")} |`);
}
console.log(`\n${slow} of ${targets.length} targets have a cost that grows faster than their input`);
if (crashes.length > 0 || slow > 0) process.exitCode = 1;
