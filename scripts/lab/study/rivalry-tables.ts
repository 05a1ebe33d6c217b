// Owns the study's tables of ways held against each other at the same tokens, and of scores. Knows
// no verifier.
import type { Cell, Estimate, Rivalry } from "./cells.ts";
import { QUESTIONS } from "./ways.ts";

const shown = (value: number | null) => (value === null ? "-" : value.toFixed(3));

export const interval = ({ mean, ci95 }: Estimate) =>
  ci95 === null ? shown(mean) : `${shown(mean)} (${shown(ci95[0])} to ${shown(ci95[1])})`;

export const percent = (share: number) => `${(100 * share).toFixed(1)} %`;

export const titleOf = ({ level, style, n, noise }: Pick<Cell, "level" | "style" | "n" | "noise">) =>
  `${level}, ${style}, n = ${n}${noise === "usual" ? "" : `, ${noise}`}`;

const TITLES: Readonly<Record<Rivalry["shows"], string>> = {
  ...QUESTIONS,
  front: "auto against the front of the fixed ways",
  front_elsewhere: "auto against the front, picked by the other half of the problems",
};

const NOTES: Readonly<Partial<Record<Rivalry["shows"], string>>> = {
  front:
    "The rival is the fixed way with the same kind of verdicts that reaches most for no more tokens, picked by the same lists: the pick itself is in its favour.",
  front_elsewhere: "On each half of the problems the rival is the one that reaches most on the other half.",
};

/** Whether an interval lies wholly below 0: worse beyond chance. */
const isWorse = ({ mean, ci95 }: Estimate) => (ci95 === null ? (mean ?? 0) < 0 : ci95[1] < 0);

/** Not one list came out otherwise. */
const isSame = ({ mean, ci95 }: Estimate) => mean === 0 && ci95?.[0] === 0 && ci95[1] === 0;

/**
 * One section a question: how often a way is better or worse than its rival beyond chance, and
 * where it is worse.
 */
export function rivalrySections(groups: readonly (readonly Cell[])[]): string {
  const all = groups.flat().flatMap((cell) => cell.rivalries.map((rivalry) => ({ cell, rivalry })));
  const section = (shows: Rivalry["shows"]) => {
    const own = all.filter(({ rivalry }) => rivalry.shows === shows);
    if (own.length === 0) return [];
    const worse = own.filter(({ rivalry }) => isWorse(rivalry.tau));
    const better = own.filter(({ rivalry: { tau } }) => tau.ci95 !== null && tau.ci95[0] > 0);
    const alike = own.filter(({ rivalry: { tau, top } }) => isSame(tau) && isSame(top)).length;
    const rows = worse.map(({ cell, rivalry }) => {
      const way = `${cell.way.name} (${cell.generations.toFixed(0)})`;
      return `| ${titleOf(cell)} | ${way} | ${rivalry.rival} (${rivalry.generations.toFixed(0)}) | ${interval(rivalry.tau)} | ${interval(rivalry.top)} |`;
    });
    return [
      `## ${TITLES[shows]}`,
      "",
      `Of ${own.length} comparisons the way's tau-b is above its rival's beyond chance in ${better.length}, below it in ${worse.length}; in ${alike} both ask the same.${NOTES[shows] === undefined ? "" : ` ${NOTES[shows]}`}`,
      "",
      ...(rows.length === 0
        ? []
        : [
            "Those below:",
            "",
            "| verifier | way (generations) | against (generations) | tau-b gained | top-1 gained |",
            "|---|---|---|---|---|",
            ...rows,
            "",
          ]),
    ];
  };
  return (["budget", "front", "front_elsewhere", "regular"] as const).flatMap(section).join("\n");
}

/**
 * Of each verifier at n = 16 and the usual noise, or of all where there is none: every score of
 * some ways.
 */
export function scoreTables(groups: readonly (readonly Cell[])[]): string {
  const usual = groups.filter(([one]) => one?.noise === "usual");
  const middle = usual.filter(([one]) => one?.n === 16);
  return (middle.length > 0 ? middle : usual)
    .flatMap((group) => {
      const rows = group.filter(({ scores }) => scores !== undefined);
      if (rows.length === 0) return [];
      const names = Object.keys(rows[0]?.scores ?? {});
      const cell = ({ tau, top }: { tau: Estimate; top: Estimate }) => `${shown(tau.mean)} (${shown(top.mean)})`;
      return [
        `### ${titleOf(group[0] as Cell)}`,
        "",
        `| way | ${names.join(" | ")} |`,
        `|---|${names.map(() => "---|").join("")}`,
        ...rows.map(
          ({ way, scores = {} }) => `| ${way.name} | ${names.map((name) => cell(scores[name] as never)).join(" | ")} |`,
        ),
        "",
      ];
    })
    .join("\n");
}
