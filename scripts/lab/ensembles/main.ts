// Owns `npm run ensembles`: the simulation of judges of known quality, as a table in Markdown.
import { mean } from "../../../src/core/math/stats.ts";
import { commandFlags } from "../flags.ts";
import { type Outcome, SCENARIOS, simulate } from "./simulate.ts";

const { seeds } = commandFlags({
  command: "ensembles",
  about: "Simulates judges of known quality and compares fitted weights with the plain mean.",
  numbers: { seeds: { least: 1, most: 1000, value: 20, whole: true, help: "runs of each scenario" } },
  texts: {},
});

const shown = (outcomes: readonly Outcome[], of: (one: Outcome) => number): string => mean(outcomes.map(of)).toFixed(3);

console.log(
  "| judges (correlation with the truth) | weights preferred | mean | weighted | recommended | best possible | best of 8: mean | recommended | reasons |",
);
console.log("|---|---|---|---|---|---|---|---|---|");
for (const scenario of SCENARIOS) {
  const outcomes = Array.from({ length: seeds }, (_, seed) => simulate(scenario, seed + 1));
  const reasons = [...new Set(outcomes.flatMap(({ fit }) => fit.reasons))].sort();
  const cells = [
    scenario.name,
    `${outcomes.filter(({ fit }) => fit.better).length} of ${seeds}`,
    shown(outcomes, (one) => one.mean.correlation),
    shown(outcomes, (one) => one.weighted.correlation),
    shown(outcomes, (one) => one.recommended.correlation),
    shown(outcomes, (one) => one.possible.correlation),
    shown(outcomes, (one) => one.mean.best),
    shown(outcomes, (one) => one.recommended.best),
    reasons.map((reason) => `\`${reason}\``).join(" "),
  ];
  console.log(`| ${cells.join(" | ")} |`);
}
