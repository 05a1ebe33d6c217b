// Scores a run again from its page: the form, what the new rewards come to beside the logged ones, and what
// the log does not tell, by field.
import type { FlatSpec } from "../../../../src/core/contract/spec.ts";
import type { ReplaySummary, RewardsSummary } from "../../../../src/core/reward/replay/summary.ts";
import type { Spec } from "../../../../src/core/reward/spec.ts";
import { ofFlat } from "../../../../src/core/reward/spec-forms.ts";
import { ByStep, type StepSummary } from "../../../rescore/by-step.ts";
import { el, table } from "./dom.ts";
import { Refused, type RunDetail, rescore } from "./log.ts";
import { figure, percent } from "./numbers.ts";

/** While groups come, their count is shown once for this many. */
const TOLD_EVERY = 100;

/**
 * The run's newest spec in the form with signals; null where the log holds none that can be read.
 */
function signalsSpec({ specs }: Pick<RunDetail, "specs">): Omit<Spec, "form"> | null {
  const spec = specs.at(-1)?.spec as Omit<Spec, "form"> | FlatSpec | undefined;
  if (spec === undefined || !("signals" in spec || "judge" in spec)) return null;
  if ("signals" in spec) return spec;
  const { form: _, ...converted } = ofFlat(spec);
  return converted;
}

/** The change, in one sentence. */
function headline({ groups, complete, best_changed_share, rank_correlation: { mean, groups: n } }: ReplaySummary) {
  if (complete === 0) return `None of ${figure(groups)} groups has every reward under both specs.`;
  const order = mean === null ? "no group can be ranked under both" : `rank correlation within groups ${figure(mean)}`;
  const how = mean === null ? "" : ` (Kendall's tau-b, mean of ${figure(n)})`;
  return `In ${percent(best_changed_share)} of ${figure(complete)} groups the best rollout changes; ${order}${how}.`;
}

function summaryTable(summary: ReplaySummary): HTMLElement {
  const rows: [name: string, of: (side: RewardsSummary) => string][] = [
    ["mean", ({ mean }) => figure(mean)],
    ["std", ({ std }) => figure(std)],
    ["groups with equal rewards", ({ zero_variance_share }) => percent(zero_variance_share)],
    ["rollouts without a reward", ({ nulls }) => figure(nulls)],
  ];
  const caption = `${figure(summary.complete)} of ${figure(summary.groups)} groups have all rewards under both specs`;
  return table(
    caption,
    [
      { title: "measure", cell: ([name]) => name },
      { title: "as logged", cell: ([, format]) => format(summary.old), number: true },
      { title: "rescored", cell: ([, format]) => format(summary.new), number: true },
    ],
    rows,
  );
}

/** A refusal, each fault with the field that it is in. */
function faultList(fault: unknown): HTMLElement {
  const errors = fault instanceof Refused ? fault.errors : [];
  const whole = fault instanceof Error ? fault.message : String(fault);
  const items = errors.map(({ path, message }) => el("li", {}, el("code", {}, path), `: ${message}`));
  return el("div", { role: "alert", class: "fault" }, ...(items.length === 0 ? [whole] : [el("ul", {}, ...items)]));
}

const stepInput = (id: string): HTMLInputElement =>
  el("input", { type: "number", id, min: "0", step: "1", inputmode: "numeric" });

const stepOf = ({ value }: HTMLInputElement): number | null => (value === "" ? null : Number(value));

/** The form's fields, and what they ask for. */
function fieldsOf(known: Omit<Spec, "form"> | null, began: number | null) {
  const kinds = known === null ? ["stored"] : ["expression", "stored"];
  const words: Record<string, string> = { expression: "an expression", stored: "a stored spec" };
  const kind = el(
    "select",
    { id: "again-by" },
    ...kinds.map((value) => el("option", { value }, words[value] as string)),
  );
  const text = el("input", {
    ...{ type: "text", id: "again-spec", required: true, autocomplete: "off", spellcheck: "false" },
    ...{ "aria-label": "Expression or name", "aria-describedby": "again-hint" },
  });
  text.value = known?.reward ?? "";
  kind.addEventListener("change", () => {
    text.value = kind.value === "expression" ? (known?.reward ?? "") : "default";
  });
  const [from, to] = [stepInput("again-from"), stepInput("again-to")];
  if (began !== null) from.value = `${began}`;
  const asked = () => ({
    spec: kind.value === "expression" ? { ...known, reward: text.value } : text.value,
    from_step: stepOf(from),
    to_step: stepOf(to),
  });
  const parts = [
    el("label", { for: kind.id }, "Rescore with"),
    ...[kind, text],
    el("span", { class: "field" }, el("label", { for: from.id }, "from step"), from),
    el("span", { class: "field" }, el("label", { for: to.id }, "to step"), to),
  ];
  return { asked, parts, text };
}

/** For a run of several specs the first step of the newest, whose signals an expression is over. */
function beganAt({ specs }: RunDetail, starts: ReadonlyMap<string, number>): number | null {
  const newest = specs.length > 1 ? specs.at(-1)?.spec_hash : undefined;
  return newest === undefined ? null : (starts.get(newest) ?? null);
}

/**
 * A form that scores the run again.
 * @param starts the first step of each spec, by hash
 * @param onScored gets the rewards by step, or null when they are removed
 */
export function rescoring(
  detail: RunDetail,
  starts: ReadonlyMap<string, number>,
  owner: string | null,
  onScored: (steps: readonly StepSummary[] | null) => void,
): HTMLElement {
  const known = signalsSpec(detail);
  const began = beganAt(detail, starts);
  const { asked, parts, text } = fieldsOf(known, began);
  const subject = began === null ? "The run's signals" : `Signals of its newest spec, from step ${began}`;
  const names = known === null ? "" : ` ${subject}: ${Object.keys(known.signals).join(", ")}.`;
  const hint = el(
    "p",
    { class: "soft", id: "again-hint" },
    `Recomputed from logged verdicts; the verifier is not called.${names}`,
  );
  const state = el("p", { role: "status" });
  const came = el("div");
  let running: AbortController | null = null;
  const clear = () => {
    running?.abort();
    running = null;
    state.textContent = "";
    came.replaceChildren();
    onScored(null);
  };
  const takeAway = () => {
    clear();
    // The button that had the focus is gone.
    text.focus();
  };
  const submit = async (event: Event) => {
    event.preventDefault();
    clear();
    const mine = new AbortController();
    running = mine;
    const steps = new ByStep();
    let groups = 0;
    state.textContent = "Rescoring";
    try {
      const summary = await rescore(detail.run_id, owner, asked(), mine.signal, (group) => {
        steps.add(group);
        if (++groups % TOLD_EVERY === 0) state.textContent = `${figure(groups)} groups rescored`;
      });
      state.textContent = headline(summary);
      came.replaceChildren(
        summaryTable(summary),
        el("button", { type: "button", class: "small", onclick: takeAway }, "Remove"),
      );
      onScored(steps.summaries());
    } catch (fault) {
      if (mine.signal.aborted) return;
      state.textContent = "";
      came.replaceChildren(faultList(fault));
    }
  };
  const go = el("button", { type: "submit", class: "small" }, "Rescore");
  const form = el("form", { class: "filters", onsubmit: (event) => void submit(event) }, ...parts, go);
  return el("details", { class: "again" }, el("summary", {}, "Rescore under another spec"), form, hint, state, came);
}
