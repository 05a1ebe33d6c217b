// The page of the study of settings: the one line for each judge and size of group, what costs less, and what
// holds when the judge is another one than stated.
import { csv } from "../report/csv.ts";
import type { Estimate } from "./cells.ts";
import { interval, percent } from "./rivalry-tables.ts";
import { JUDGE_NAMES, type JudgeName, type Setting, VARIANTS, type Variant } from "./settings.ts";
import { isAsDear, NEAR_ENOUGH, type SettingRow, type Share, STILL_NEAR, tokensOf } from "./settings-played.ts";

/** A setting as a spec's `judge` has it. */
export const written = (setting: Setting): string => JSON.stringify(setting).replace(/([:,])(?=[^\s])/g, "$1 ");

const thousands = (tokens: number) => (tokens / 1000).toFixed(tokens < 9950 ? 1 : 0);

const costs = ({ generations, prompt_tokens, generated_tokens }: SettingRow) =>
  `${generations.toFixed(0)} | ${thousands(prompt_tokens)} + ${thousands(generated_tokens)}`;

const isReference = ({ setting: { schedule, both_orders } }: SettingRow) =>
  schedule === "round_robin" && both_orders === true;

const referenceOf = (rows: readonly SettingRow[]) => rows.find(isReference) as SettingRow;

const against = (row: SettingRow) => (isReference(row) ? "(reference)" : interval(row.gain));

const statedOf = (rows: readonly SettingRow[]) => rows.filter(({ picked }) => picked !== undefined);

const cellsOf = (rows: readonly SettingRow[]): SettingRow[][] =>
  JUDGE_NAMES.flatMap((judge) => [
    ...Map.groupBy(
      rows.filter((row) => row.judge === judge),
      ({ n }) => n,
    ).values(),
  ]);

const pickedOf = (cell: readonly SettingRow[], pick: Share) =>
  cell.find(({ picked }) => picked?.includes(pick)) as SettingRow;

const contains0 = ({ ci95 }: Estimate) => ci95 !== null && ci95[0] <= 0 && ci95[1] >= 0;

/** Settings that are as dear as a pick, or less, and not distinguishable from it. */
export function alikeOf(cell: readonly SettingRow[], pick: Share): SettingRow[] {
  const chosen = pickedOf(cell, pick);
  return cell.filter(
    (row) => row !== chosen && isAsDear(row, chosen) && row.over !== undefined && contains0(row.over[pick]),
  );
}

/** `round_robin, one order`: a setting in a sentence. */
function named({ vote: _, schedule, both_orders, budget }: Setting): string {
  const { name, degree } = typeof schedule === "object" ? schedule : { name: schedule, degree: undefined };
  const orders = { true: "both orders", when_close: "when close", false: "one order" }[String(both_orders)];
  const paid = budget?.ratio ?? budget?.generations;
  return [
    `\`${name}\`${degree === undefined ? "" : ` ${degree}`}`,
    ...(paid === undefined ? [orders] : [budget?.ratio === undefined ? `${paid} paid` : `ratio ${paid}`]),
  ].join(" ");
}

const listed = (rows: readonly SettingRow[]) =>
  rows.length === 0 ? "-" : rows.map((row) => named(row.setting)).join("; ");

const HEAD = `| judge | samples | \`judge\` setting | generations | thousand tokens, prompt + completion | tau-b | difference to all pairs |
|---|---|---|---|---|---|---|`;

const pickRow = (pick: Share) => (cell: readonly SettingRow[]) => {
  const row = pickedOf(cell, pick);
  return `| ${row.judge} | ${row.n} | \`${written(row.setting)}\` | ${costs(row)} | ${interval(row.tau)} | ${against(row)} |`;
};

/** The table of docs/schedules.md. */
export const settingsTable = (rows: readonly SettingRow[]): string =>
  [HEAD, ...cellsOf(statedOf(rows)).map(pickRow("near"))].join("\n");

function cheaperTable(rows: readonly SettingRow[], pick: Share): string {
  const lines = cellsOf(statedOf(rows)).map((cell) => {
    const row = pickedOf(cell, pick);
    const share = percent(tokensOf(row) / tokensOf(referenceOf(cell)));
    return `| ${row.judge} | ${row.n} | \`${written(row.setting)}\` | ${share} | ${interval(row.gain)} | ${interval(row.top_gain)} | ${row.waves.toFixed(1)} | ${listed(alikeOf(cell, pick))} |`;
  });
  return [
    "| judge | samples | `judge` setting | tokens, % of all pairs | tau-b minus all pairs | best found minus all pairs | waves | not distinguishable |\n|---|---|---|---|---|---|---|---|",
    ...lines,
  ].join("\n");
}

const same = (a: Setting, b: Setting) => written(a) === written(b);

function variedTable(rows: readonly SettingRow[]): string {
  const shown = (cell: readonly SettingRow[], variant: Variant, { setting }: SettingRow) => {
    const all = rows.filter(
      ({ judge, n, variant: rowVariant }) => judge === cell[0]?.judge && n === cell[0].n && rowVariant === variant,
    );
    const row = all.find((candidate) => same(candidate.setting, setting));
    if (row === undefined) return "-";
    return isReference(row) ? `tau-b ${row.tau.mean?.toFixed(3)}` : interval(row.gain);
  };
  return [
    `| judge | samples | setting from | ${VARIANTS.join(" | ")} |\n|---|---|---|${VARIANTS.map(() => "---").join("|")}|`,
    ...cellsOf(statedOf(rows)).flatMap((cell) =>
      (["near", "half"] as const).map((pick) => {
        const row = pickedOf(cell, pick);
        const cells = VARIANTS.map((variant) => shown(cell, variant, row));
        return `| ${row.judge} | ${row.n} | ${pick === "near" ? "table" : "half"}: ${named(row.setting)} | ${cells.join(" | ")} |`;
      }),
    ),
  ].join("\n");
}

const FIGURES = ["generations", "prompt_tokens", "generated_tokens", "waves"] as const;

/** Every row, by file name. */
export function settingsTables(rows: readonly SettingRow[]): Record<string, string> {
  const estimates = ["tau", "gain", "top_gain"] as const;
  const figure = (value: number | null) => (value === null ? null : Number(value.toFixed(4)));
  const csvRows = rows.map((row) => [
    ...[row.judge, row.variant, row.n, written(row.setting), row.lists, (row.picked ?? []).join(" ")],
    ...FIGURES.map((name) => figure(row[name])),
    ...estimates.flatMap((name) =>
      [row[name].mean, row[name].ci95?.[0] ?? null, row[name].ci95?.[1] ?? null].map(figure),
    ),
  ]);
  const named = estimates.flatMap((name) => [name, `${name}_low`, `${name}_high`]);
  return {
    "rows.csv": csv(["judge", "variant", "samples", "setting", "lists", "picked", ...FIGURES, ...named], csvRows),
  };
}

const listsOf = (rows: readonly SettingRow[], judge: JudgeName, isPicked: boolean) =>
  [
    ...new Set(
      rows
        .filter((row) => row.judge === judge && (row.picked !== undefined) === isPicked)
        .map(({ n, lists }) => `${lists} of ${n}`),
    ),
  ].join(", ");

/** Where each figure of a judge is from. */
const JUDGES = `## The judges

**All three are simulated; no real model was measured.** Groups are drawn from the programs of \`sets/small\`, whose pass rates are the truth. A judge's log-odds for the better of two are a slope x the difference of pass rates + the noise terms of [the study](../schedules.md). The slope is fitted so that the judge reaches the stated accuracy on pairs with different pass rates. It is therefore more confident about wide gaps and nearly guesses at small ones.

| | 7B | 32B | hosted | from |
|---|---|---|---|---|
| pairwise accuracy | 0.70 | 0.84 | 0.85 | RM-Bench: RM-R1-Qwen-Instruct-7B 70.2, RM-R1-DeepSeek-Distilled-Qwen-32B 83.9 (RM-R1, arXiv 2505.02387, table 1); DeepSeek-R1 85.3 (README of THU-KEG/RM-Bench) |
| lowest, highest accuracy | 0.66, 0.85 | 0.70, 0.91 | 0.725, 0.93 | table 1 again: the same 7B on RMB 66.4, on RewardBench 85.2; the same 32B on RMB 69.8, on RewardBench 90.9; GPT-4o-0806 on RM-Bench 72.5. 0.93 is assumed |
| answers | no thinking, soft votes | thinking, counted votes | thinking, counted votes | assumed. RM-R1's 7B thinks; the accuracy of a 7B without thinking is unknown here, so consider the whole range |
| completion tokens per answer | 4 | 4000 | 4000 | \`lab/study/cells.ts\`, measured on thinking verifiers; assumed for the hosted one |
| prompt tokens | 1500 | 1500 | 1500 | the same source: 100 for rules and question, 700 per candidate |
| parse rate | 0.97 | 0.99 | 0.99 | assumed, as for the engine simulator's 7B and 14B (\`gpu-backend/engines/simulator/README.md\`); unreadable answers are retried once |
| noise, log-odds | | | | assumed, the study's usual values: candidate 0.7, pair 0.5, first position 0.3 with a spread of 0.5 |
| calibration of soft votes | calibrated | | | assumed; three times the log-odds in "letters surer than right" |

Prices and latencies are not included: multiply the tokens by your own. Prompts cost less with a prefix cache. If your judge's accuracy on your pairs differs from RM-Bench, these figures do not apply: \`npm run evaluate\` measures its accuracy.`;

/**
 * The page.
 * @param command with its commit
 * @param folder of rows.csv, from the page
 */
export function settingsPage(command: string, rows: readonly SettingRow[], folder: string): string {
  const cells = cellsOf(statedOf(rows));
  const whole = cells.filter((cell) => isReference(pickedOf(cell, "near"))).length;
  return `# Which settings to choose, by samples and judge

**For ${cells.length - whole} of ${cells.length} combinations of judge and number of samples, a cheaper setting reliably comes within ${NEAR_ENOUGH} of the tau-b of all pairs in both orders; for ${whole} none does.**

${command} Every row: [rows.csv](${folder}/rows.csv).

## The table

The setting with the fewest tokens that stays close to all pairs in both orders (\`round_robin\`, \`both_orders\`): the lower end of the 95 % interval is at most ${NEAR_ENOUGH} of tau-b below them, on either half of the lists, and the mean is at most ${STILL_NEAR} below
[when the judge differs](#when-the-judge-is-another-one). A setting with fewer waves is preferred if it costs at most 10 % more and is not significantly worse. \`reward\` is \`auto\`. Settings are chosen on one half of the lists and measured on the other. Differences are paired by list.

${settingsTable(rows)}

Not distinguishable from the chosen setting, for at most 10 % more tokens (the interval of the difference contains 0). A cheaper one of them was not chosen if it lost more on the other half of the lists or with a different judge:

${cells.map((cell) => `- ${cell[0]?.judge}, ${cell[0]?.n} samples: ${listed(alikeOf(cell, "near"))}`).join("\n")}

## For half of the tokens

The setting with the highest tau-b, averaged over the judge and its variants, for at most half of the tokens of all pairs in both orders; chosen and measured in the same way. "Best found": the rollout with the highest reward has the highest pass rate. "Waves": sequential rounds of comparisons.

${cheaperTable(rows, "half")}

## For a quarter

${cheaperTable(rows, "quarter")}

${JUDGES}

## When the judge is another one

tau-b minus that of all pairs in both orders with the same judge; if the setting is all pairs, its own tau-b. Fewer lists than above, none of them used for choosing.

${variedTable(rows)}

## Limits

- Lists: ${listsOf(rows, "7B", true)} candidates for a judge as stated, ${listsOf(rows, "7B", false)} for its variants. Intervals are 95 %, clustered by problem (36 to 44 problems).
- A group with equal rewards counts as tau-b 0, because it gives a policy no gradient.
- Pass rates of programs are finer than the ground truth of many tasks. If most samples are equally good, there is less order to find, and fewer comparisons lose less.
- tau-b does not measure training: the effect of a loss of 0.03 on a policy is unknown.
`;
}
