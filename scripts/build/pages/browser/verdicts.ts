// How verdicts are shown on a group's page: who beat whom, a table of them, what was written beside each, and
// those of an audit apart.
import { winnerOf as placeOfWinner, type Verdict, verdictIn } from "../../../../src/core/judges/verdicts.ts";
import { el, table } from "./dom.ts";
import type { StoredVerdict } from "./log.ts";
import { counted, figure } from "./numbers.ts";

const said = ({ letter, scores, verdict }: StoredVerdict): Verdict | null =>
  verdictIn({ letter, scores, verdict: verdict ?? null });

/** The rollout that a verdict puts first; -1 where it names none. */
const winnerOf = (stored: StoredVerdict): number => stored.order[placeOfWinner(said(stored)) ?? -1] ?? -1;

const letterAt = (place: number): string => String.fromCharCode(65 + place);

const STRENGTHS = ["", " slightly", " clearly"];

/** What is met, missed or chosen, by its name. */
const criterion = ([name, met]: [string, boolean | number | null]): string =>
  `${name} ${met === null ? "undecided" : met === true ? "met" : met === false ? "not met" : met}`;

/** A verdict in few words. */
function wordsOf(verdict: Verdict, shown: number): string {
  switch (verdict.kind) {
    case "letter":
      return letterAt(verdict.place);
    case "letters":
      return verdict.places.length === 0 ? "none" : verdict.places.map(letterAt).join(", ");
    case "preference":
      return `${letterAt(verdict.strength > 0 ? 0 : 1)}${STRENGTHS[Math.abs(verdict.strength)] ?? ""}`;
    case "scores":
    case "steps":
      return verdict.scores.map((score) => figure(score)).join(", ");
    case "ranking":
      return verdict.places.map(letterAt).join(" > ");
    case "grade":
      return figure(verdict.grade);
    case "label":
      return verdict.label;
    case "criteria":
      return Object.entries(verdict.met).map(criterion).join(", ");
    case "distribution":
      // About one candidate they are of the preset's labels, which no row names.
      return verdict.shares
        .map((share, place) =>
          verdict.shares.length === shown ? `${letterAt(place)} ${figure(share)}` : figure(share),
        )
        .join(", ");
  }
}

/** The text of a verdict; without one, the reason. */
function saidBy(stored: StoredVerdict): string {
  const verdict = said(stored);
  return verdict === null ? (stored.error ?? stored.status ?? "") : wordsOf(verdict, stored.order.length);
}

/** The signals whose questions they answer, by name; empty for an audit's verdicts. */
const signalsOf = (all: readonly StoredVerdict[]): string[] => [...new Set(all.flatMap(({ signal }) => signal ?? []))];

/**
 * Who beat whom in pairs, by each signal that asked for some.
 * @param duplicates per rollout: the one that it equals, which was judged in its place; null: none
 */
export function matrices(
  duplicates: readonly (number | null)[],
  all: readonly StoredVerdict[],
  show: (a: number, b: number) => void,
): HTMLElement[] {
  const caption = "row's wins against column";
  const signals = signalsOf(all.filter(({ order }) => order.length === 2));
  if (signals.length < 2) return [matrix(duplicates, all, show, caption)];
  return signals.map((name) =>
    matrix(
      duplicates,
      all.filter(({ signal }) => signal === name),
      show,
      `${name}: ${caption}`,
    ),
  );
}

/** Verdicts of a pair that `a` won: `1/2`, `1/3 + 1 tie`, `tie`; `?` where none could be read. */
function resultOf(asked: readonly StoredVerdict[], a: number): string {
  const read = asked.filter((verdict) => said(verdict) !== null);
  const won = read.filter((verdict) => winnerOf(verdict) === a).length;
  const tied = read.filter((verdict) => winnerOf(verdict) === -1).length;
  if (read.length === 0) return "?";
  if (tied === read.length) return "tie";
  return `${won}/${asked.length}${tied === 0 ? "" : ` + ${counted(tied, "tie")}`}`;
}

/** The rollouts that another beat, lost to, or tied with, over all verdicts of pairs. */
export interface Outcomes {
  beat: number[];
  "lost to": number[];
  "tied with": number[];
}

export function outcomesOf(all: readonly StoredVerdict[], rollout: number): Outcomes {
  const outcomes: Outcomes = { beat: [], "lost to": [], "tied with": [] };
  const read = all.filter((verdict) => verdict.order.length === 2 && said(verdict) !== null);
  const ofRollout = read.filter(({ order }) => order.includes(rollout));
  const others = Map.groupBy(ofRollout, ({ order }) => order.find((other) => other !== rollout) as number);
  for (const [other, asked] of [...others].sort(([a], [b]) => a - b)) {
    const won = asked.filter((verdict) => winnerOf(verdict) === rollout).length;
    const lost = asked.filter((verdict) => winnerOf(verdict) === other).length;
    outcomes[won > lost ? "beat" : won < lost ? "lost to" : "tied with"].push(other);
  }
  return outcomes;
}

function matrix(
  duplicates: readonly (number | null)[],
  all: readonly StoredVerdict[],
  show: (a: number, b: number) => void,
  caption: string,
): HTMLElement {
  const size = duplicates.length;
  const keyOf = (a: number, b: number) => Math.min(a, b) * size + Math.max(a, b);
  const pairs = new Map<number, StoredVerdict[]>();
  for (const stored of all) {
    if (stored.order.length !== 2) continue;
    const key = keyOf(...(stored.order as [number, number]));
    const known = pairs.get(key);
    if (known === undefined) pairs.set(key, [stored]);
    else known.push(stored);
  }
  const cell = (a: number, b: number): Node | string => {
    const asked = pairs.get(keyOf(a, b)) ?? [];
    if (a === b || asked.length === 0) return "";
    const result = resultOf(asked, a);
    return el(
      "button",
      { type: "button", onclick: () => show(a, b), "aria-label": `${result} verdicts of #${a} and #${b}` },
      result,
    );
  };
  const heads = Array.from({ length: size }, (_, i) => i);
  return table<number>(
    caption,
    [
      { title: "", cell: (a) => (duplicates[a] == null ? `#${a}` : `#${a} = #${duplicates[a]}`) },
      ...heads.map((b) => ({ title: `#${b}`, cell: (a: number) => cell(a, b), number: true as const })),
    ],
    heads,
  );
}

/** How an answer was read, and why it ended. */
function statusOf({ status, error, finish_reason }: StoredVerdict): string {
  return error ?? (status === "ok" ? "ok" : `${status} (${finish_reason})`);
}

/** Rows of a table at most: a group of 64 may have a hundred thousand verdicts. */
const ROWS_MOST = 1000;

export function verdictTable(all: readonly StoredVerdict[], caption: string): HTMLElement {
  const several = signalsOf(all).length > 1;
  return table<StoredVerdict>(
    all.length > ROWS_MOST ? `${caption}, the first ${figure(ROWS_MOST)} shown` : caption,
    [
      ...(several ? [{ title: "signal", cell: ({ signal }: StoredVerdict) => signal ?? "" }] : []),
      { title: "question.sample", cell: ({ comparison, sample }) => `${comparison}.${sample}` },
      { title: "shown", cell: ({ order }) => order.map((r, k) => `${letterAt(k)} #${r}`).join("  ") },
      {
        title: "verdict",
        cell: saidBy,
      },
      {
        title: "status",
        cell: statusOf,
      },
      {
        title: "tokens",
        cell: ({ completion_tokens }) => figure(completion_tokens),
        sortValue: (row) => row.completion_tokens,
        number: true,
      },
      { title: "ms", cell: ({ latency_ms }) => figure(latency_ms), sortValue: (row) => row.latency_ms, number: true },
      { title: "model", cell: ({ model }) => model ?? "" },
    ],
    all.slice(0, ROWS_MOST),
  );
}

/** The verifier's text on each question, where the spec had it logged. */
export function verdictTexts(all: readonly StoredVerdict[], prefix = ""): HTMLElement[] {
  const several = signalsOf(all).length > 1;
  return all.flatMap((stored) => {
    const { comparison, sample, order, text, signal } = stored;
    if (text === undefined) return [];
    const shown = order.map((r, k) => `${letterAt(k)} is #${r}`).join(", ");
    const head = `${prefix}${several ? `${signal} ` : ""}${comparison}.${sample}: ${saidBy(stored)} (${shown})`;
    return [el("section", { class: "said" }, el("h3", {}, head), el("pre", { tabindex: "0" }, text))];
  });
}

/** An audit's verdicts under a heading that says that no reward depends on them. */
export function auditParts(some: readonly StoredVerdict[], suffix: string): HTMLElement[] {
  if (some.length === 0) return [];
  const said = [...new Set(some.map(saidBy))].join(", ");
  const caption = some.length === 1 ? `audit: ${said}` : `audit: ${counted(some.length, "verdict")}${suffix}`;
  return [
    el("p", { class: "soft" }, "The audit judged this group again. Audit verdicts do not change rewards."),
    verdictTable(some, caption),
    ...verdictTexts(some, "audit, "),
  ];
}
