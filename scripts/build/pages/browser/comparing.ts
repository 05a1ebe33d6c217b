// Compares a run with those laid over it: paired by prompt over the groups of their last common
// steps, which are read when somebody asks for them.
import { hashText } from "../../../../src/core/math/random.ts";
import { el, table } from "./dom.ts";
import { type GroupRow, groups } from "./log.ts";
import type { Drawn } from "./measures.ts";
import { counted, figure } from "./numbers.ts";
import { type ComparedGroup, type PairedDifference, type PairedRuns, pairedRuns } from "./paired-runs.ts";

/** Maximum number of other runs that a run's page draws. */
export const LAID_MOST = 4;
/** Steps whose groups are read, of each run. */
const STEPS_MOST = 10;

type Compared = Pick<Drawn, "id" | "owner" | "rows">;

interface ComparedRuns extends PairedRuns {
  span: string;
  spec_hashes: ReadonlySet<string>;
}

const stepsOf = ({ rows }: Compared): number[] =>
  rows.flatMap(({ step, groups: count }) => (step === null || count === 0 ? [] : [step]));

/** The last steps of which both have groups, ascending. */
function commonSteps(run: Compared, other: Compared): number[] {
  const known = new Set(stepsOf(other));
  return stepsOf(run)
    .filter((step) => known.has(step))
    .slice(-STEPS_MOST);
}

/** The complete groups of some steps: the others' rewards rest on a part of their rollouts. */
async function groupsAt({ id, owner }: Compared, steps: readonly number[]): Promise<GroupRow[]> {
  const found: GroupRow[] = [];
  for (const step of steps) {
    const { rows } = await groups(id, step, owner);
    found.push(...rows.filter(({ result }) => result.status === "ok"));
  }
  return found;
}

const comparedGroup = ({ prompt_hash, rewards, result }: GroupRow): ComparedGroup => ({
  prompt_hash,
  rewards,
  tau_b: result.metrics.tau_b,
});

async function compare(run: Compared, other: Compared): Promise<ComparedRuns> {
  const steps = commonSteps(run, other);
  const [mine, theirs] = [await groupsAt(run, steps), await groupsAt(other, steps)];
  return {
    ...pairedRuns(mine.map(comparedGroup), theirs.map(comparedGroup), hashText("runs", run.id, other.id)),
    span: spanOf(steps),
    spec_hashes: new Set([...mine, ...theirs].map(({ spec_hash }) => spec_hash)),
  };
}

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

const spanOf = (steps: readonly number[]): string =>
  steps.length === 0 ? "none" : `${counted(steps.length, "step")}, ${steps[0]} to ${steps.at(-1)}`;

/** The decision of an interval, and whether the two were scored alike. */
function noteOf({ ci95, prompts, whole }: Row): string {
  if (prompts === 0) return "no common prompts with rewards";
  const open = ci95 === null || (ci95[0] <= 0 && ci95[1] >= 0) ? ["no significant difference"] : [];
  return [...open, ...(whole.spec_hashes.size <= 1 ? [] : ["rewards from different specs"])].join("; ");
}

const pairedTable = (id: string, rows: readonly Row[]): HTMLElement =>
  table<Row>(
    `Paired by prompt: ${id} minus the other run`,
    [
      { title: "compared with", cell: (row) => row.id },
      { title: "measure", cell: (row) => row.measure },
      { title: "difference", cell: (row) => figure(row.difference), number: true },
      { title: "95 % interval", cell: (row) => interval(row.ci95), number: true },
      { title: "common prompts", cell: (row) => figure(row.prompts), number: true },
      { title: "this run", cell: (row) => figure(row.run), number: true },
      { title: "other run", cell: (row) => figure(row.other), number: true },
      { title: "common steps", cell: (row) => row.whole.span },
      { title: "notes", cell: noteOf },
    ],
    rows,
  );

/** A button that compares the run with each of the others. */
export function comparing(first: Compared, others: readonly Drawn[]): HTMLElement {
  const state = el("p", { role: "status" });
  const came = el("div");
  const ask = async () => {
    state.textContent = "Loading the groups of the last common steps";
    try {
      const rows: Row[] = [];
      for (const other of others) rows.push(...rowsOf(other.id, await compare(first, other)));
      state.textContent = "";
      came.replaceChildren(pairedTable(first.id, rows));
    } catch (fault) {
      state.textContent = fault instanceof Error ? fault.message : String(fault);
    }
  };
  const button = el("button", { type: "button", class: "small", onclick: () => void ask() }, "Compare by prompt");
  const hint = `Compares rewards, and tau-b if there are labels, on the prompts that both runs have in their last ${STEPS_MOST} common steps.`;
  return el("div", { class: "compared" }, el("p", {}, button, " ", el("span", { class: "soft" }, hint)), state, came);
}
