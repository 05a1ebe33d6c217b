// Owns the page of the study of `judge.first`: where a direct judge before a thinking one pays, and
// first where it does not.
import { csv } from "../report/csv.ts";
import { TOKENS } from "./cells.ts";
import { type FirstRow, SURENESS } from "./judge-first.ts";
import { NEAR } from "./report.ts";
import { interval, percent } from "./rivalry-tables.ts";

/** The goal's share of the thinking judge's tokens, and from which accuracy of the direct one on. */
const SHARE = 0.35;
const ACCURACY = 0.7;

const byPair = (rows: readonly FirstRow[]): FirstRow[][] => [
  ...Map.groupBy(rows, ({ n, thinking, direct, sureness, relation }) =>
    [n, thinking, direct, sureness, relation].join(),
  ).values(),
];

const isNear = ({ gain }: FirstRow) => (gain.mean ?? -1) >= -NEAR;

/** The way with the fewest generated tokens that comes to the thinking judge's order; null: none does. */
export function cheapestNear(pair: readonly FirstRow[]): FirstRow | null {
  const near = pair.filter((row) => row.close !== null && isNear(row));
  return near.sort((a, b) => a.generated - b.generated)[0] ?? null;
}

/** Pairs of judges for which the goal is met. */
export const meetingGoal = (rows: readonly FirstRow[]): FirstRow[][] =>
  byPair(rows).filter((pair) => {
    const best = cheapestNear(pair);
    return best !== null && best.generated <= SHARE;
  });

export function firstHeadline(rows: readonly FirstRow[]): string {
  const wanted = rows.filter(({ direct }) => direct >= ACCURACY);
  const [all, met] = [byPair(wanted).length, meetingGoal(wanted).length];
  const goal = `tau-b within ${NEAR} of the thinking judge's on all pairs for at most ${100 * SHARE} % of its generated tokens, from a direct accuracy of ${ACCURACY} on`;
  return met === all
    ? `The goal is met for all ${all} pairs of judges: ${goal}.`
    : `The goal is missed for ${all - met} of ${all} pairs of judges: ${goal}.`;
}

/** The least and the most that a direct accuracy's cheapest near ways take, where the judge is as sure as right. */
function calibratedShares(rows: readonly FirstRow[]): string {
  const calibrated = rows.filter(({ sureness, way }) => sureness === "calibrated" && way === "first, close to 0.9");
  return [...Map.groupBy(calibrated, ({ direct }) => direct)]
    .map(([direct, own]) => {
      const shares = own.map(({ generated }) => generated);
      const worst = Math.min(...own.map(({ gain }) => gain.mean ?? -1));
      return `${direct}: ${percent(Math.min(...shares))} to ${percent(Math.max(...shares))}, at worst ${worst.toFixed(3)}`;
    })
    .join("; ");
}

/** Between which values the mean of both judges' verdicts gains, where the direct one is as sure as right. */
function meanGains(rows: readonly FirstRow[]): string {
  const mixed = rows.filter(({ sureness, way }) => sureness === "calibrated" && way.endsWith("mean"));
  return [...Map.groupBy(mixed, ({ relation }) => relation)]
    .map(([relation, own]) => {
      const gains = own.map(({ gain }) => gain.mean ?? 0);
      return `${relation} ${Math.min(...gains).toFixed(3)} to ${Math.max(...gains).toFixed(3)}`;
    })
    .join(", ");
}

function row(pair: readonly FirstRow[]): string {
  const [{ thinking, direct, sureness, relation, tau }] = pair as [FirstRow];
  const alone = pair.find(({ way }) => way.startsWith("direct")) as FirstRow;
  const at = (close: number) => {
    const found = pair.find((one) => one.way === `first, close to ${close}`) as FirstRow;
    return `${interval(found.gain)} | ${percent(found.generated)}`;
  };
  const best = cheapestNear(pair);
  const cheapest = best === null ? "none" : `${best.way.replace("first, ", "")}: ${percent(best.generated)}`;
  const judges = `${thinking} (tau-b ${tau.mean?.toFixed(3)}) | ${direct}, ${sureness}, ${relation}`;
  return `| ${judges} | ${interval(alone.gain)} | ${at(0.8)} | ${at(0.9)} | ${cheapest} |`;
}

const COLUMNS = ["n", "thinking", "direct", "sureness", "relation", "way", "close", "lists"] as const;

/** Every row, by file name. */
export function firstTables(rows: readonly FirstRow[]): Record<string, string> {
  const told = rows.map((one) => [
    ...COLUMNS.map((name) => one[name]),
    ...[one.tau, one.gain].flatMap(({ mean, ci95 }) => [mean, ci95?.[0] ?? null, ci95?.[1] ?? null]),
    ...[one.generated, one.tokens, one.asked],
  ]);
  const figures = told.map((line) => line.map((cell) => (typeof cell === "number" ? Number(cell.toFixed(4)) : cell)));
  const measured = ["tau_b", "tau_b_low", "tau_b_high", "gain", "gain_low", "gain_high"];
  return { "rows.csv": csv([...COLUMNS, ...measured, "generated", "tokens", "asked"], figures) };
}

/**
 * The page.
 * @param command with its commit
 * @param folder of rows.csv, from the page
 */
export function firstPage(command: string, rows: readonly FirstRow[], folder: string): string {
  const { rules, candidate } = TOKENS.direct;
  const prompt = rules + 2 * candidate;
  const [direct, thinking] = [prompt + TOKENS.direct.completion, prompt + TOKENS.thinking.completion];
  return `# A direct judge before a thinking one

**${firstHeadline(rows)}**

Why: where nothing is close a first word is final, so what it settles must be about as often right as the thinking judge. A judge that
is right in 70 % of pairs and no surer than that is so sure of few. What is settled lacks the thinking judge's word, and what is
not settled costs both. With \`close\` [0.1, 0.9] and a judge as sure as it is right, share of the thinking judge's generated tokens and
tau-b gained by direct accuracy: ${calibratedShares(rows)}. A judge that is surer than right (its log-odds ${SURENESS.overconfident} times those of a
calibrated one) settles what it should not: it saves more, and its errors stay.

So: it pays from an accuracy of 0.8 on, with \`close\` [0.1, 0.9], where the direct judge is as often right as its probabilities say. Below, or
without having looked, do not use it: \`npm run evaluate\` with the direct judge alone tells its accuracy in pairs, the run log's \`distribution\`
verdicts how sure it was. With \`combine: "mean"\` and the same bounds tau-b gains by whose word is mixed in: ${meanGains(rows)}.

Prompts: one direct question takes ${direct} tokens, ${((100 * direct) / thinking).toFixed(0)} % of a thinking one's ${thinking}, nearly all of them the prompt's. Where these
cost as much as generated ones, or nothing of them is cached, add that to each share below (\`tokens\` in ${`[rows.csv](${folder}/rows.csv)`}): it then saves
nothing below an accuracy of 0.9.

${command}

The product's own schedule, waves and deciding over lists of ${[...new Set(rows.map(({ n }) => n))].join(" and ")} of \`sets/small\`; both judges are asked in both orders, the thinking one by
majority. **Both are simulated**: log-odds by the difference of pass rates and the noises of [the study](schedules.md) (candidate bias 0.7, pair bias
0.5, position bias 0.3, its spread 0.5), the slope set so that a letter names the better of two with different pass rates as often as stated. \`calibrated\`:
its mean probability of its own letter is its accuracy. \`the same model\`: what it sees in candidates and pairs beside their worth is what the thinking
judge sees. Gains are of tau-b, less the thinking judge's on all pairs, with 95 % intervals by problem. No real model was measured here: the one that can be had without a hub, [Gemma 3 270M](engines.md#a-real-small-language-model), orders candidates no better than guessing, far below where this pays.

| thinking | direct | direct alone | gain, close [0.2, 0.8] | generated tokens | gain, close [0.1, 0.9] | generated tokens | cheapest within ${NEAR} |
|---|---|---|---|---|---|---|---|
${byPair(rows).map(row).join("\n")}
`;
}
