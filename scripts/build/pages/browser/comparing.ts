// Owns comparing a run with those laid over it: paired by prompt over their last common steps, asked
// of the server when somebody wants it.
import type { PairedDifference } from "../../../../src/core/health/paired-runs.ts";
import { el, table } from "./dom.ts";
import { type ComparedRuns, compare } from "./log.ts";
import type { Drawn } from "./measures.ts";
import { counted, figure } from "./numbers.ts";

/** Steps whose groups are read, of each run. */
const STEPS_MOST = 10;

/** One measure of one other run. */
interface Row extends PairedDifference {
  id: string;
  measure: "mean reward" | "tau-b with labels";
  whole: ComparedRuns;
}

const rowsOf = (id: string, whole: ComparedRuns): Row[] => [
  { ...whole.rewards, id, measure: "mean reward", whole },
  // Without labels there is none to tell.
  ...(whole.tau_b.prompts === 0 ? [] : [{ ...whole.tau_b, id, measure: "tau-b with labels" as const, whole }]),
];

const interval = (ci95: PairedDifference["ci95"]): string =>
  ci95 === null ? figure(null) : `${figure(ci95[0])} to ${figure(ci95[1])}`;

const spanOf = ({ by, window_groups, steps }: ComparedRuns): string => {
  if (steps.length === 0) return "none";
  const size = by === "window" ? ` of ${counted(window_groups ?? 0, "group")}` : "";
  return `${counted(steps.length, by)}${size}, ${steps[0]} to ${steps.at(-1)}`;
};

/** What an interval decides, and whether the two were scored alike. */
function noteOf({ ci95, prompts, whole }: Row): string {
  if (prompts === 0) return "no common prompt with rewards";
  const open = ci95 === null || (ci95[0] <= 0 && ci95[1] >= 0) ? ["not distinguishable from none"] : [];
  return [...open, ...(whole.spec_hashes.length <= 1 ? [] : ["scored by several specs"])].join("; ");
}

const pairedTable = (id: string, rows: readonly Row[]): HTMLElement =>
  table<Row>(
    `by prompt: ${id} less the other`,
    [
      { title: "the other", cell: (row) => row.id },
      { title: "measure", cell: (row) => row.measure },
      { title: "difference", cell: (row) => figure(row.difference), number: true },
      { title: "95 % interval", cell: (row) => interval(row.ci95), number: true },
      { title: "common prompts", cell: (row) => figure(row.prompts), number: true },
      { title: "here", cell: (row) => figure(row.one), number: true },
      { title: "in the other", cell: (row) => figure(row.other), number: true },
      { title: "common steps", cell: (row) => spanOf(row.whole) },
      { title: "notes", cell: noteOf },
    ],
    rows,
  );

/** A button that compares the run with each of the others. */
export function comparing(first: Pick<Drawn, "id" | "owner" | "health">, others: readonly Drawn[]): HTMLElement {
  const state = el("p", { role: "status" });
  const came = el("div");
  const ask = async () => {
    state.textContent = "Reading the groups of the last common steps";
    try {
      const rows: Row[] = [];
      for (const other of others) {
        const window_groups = first.health.window_groups ?? other.health.window_groups;
        rows.push(...rowsOf(other.id, await compare(first, other, STEPS_MOST, window_groups)));
      }
      state.textContent = "";
      came.replaceChildren(pairedTable(first.id, rows));
    } catch (fault) {
      state.textContent = fault instanceof Error ? fault.message : String(fault);
    }
  };
  const button = el("button", { type: "button", class: "small", onclick: () => void ask() }, "Compare by prompt");
  const hint = `Rewards, and tau-b where labels came, on the prompts that both have in their last ${STEPS_MOST} common steps; in windows of groups where one has no steps.`;
  return el("div", { class: "compared" }, el("p", {}, button, " ", el("span", { class: "soft" }, hint)), state, came);
}
