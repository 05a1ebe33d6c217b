// Finds steps that were logged again after later steps, by a training that resumed from a checkpoint or by
// a second training with the same run id, and says so on the run's page.
import { goesBack } from "../../../../src/core/health/steps-in-flight.ts";
import { el } from "./dom.ts";
import type { StepRow } from "./log.ts";

interface Repeat {
  from: number;
  to: number;
  /** The last step that had begun before. */
  after: number;
}

/** A step with the times of its first and last request. */
interface Span {
  step: number;
  first: number;
  last: number;
}

/** The ranges of steps that were logged again, ascending. */
export function repeatsOf(rows: readonly Pick<StepRow, "step" | "first_at" | "last_at">[]): Repeat[] {
  const spans: Span[] = rows.flatMap(({ step, first_at, last_at }) =>
    step === null ? [] : [{ step, first: Date.parse(first_at), last: Date.parse(last_at) }],
  );
  const found: Repeat[] = [];
  for (let i = 0; i < spans.length; i++) {
    const { step: from, last } = spans[i] as Span;
    let end = i;
    while ((spans[end + 1]?.first ?? Number.POSITIVE_INFINITY) < last) end++;
    if (!goesBack(from, spans[0]?.step ?? from, end - i)) continue;
    const { step: after, first: begun } = spans[end] as Span;
    const previous = found.at(-1);
    const follows = previous !== undefined && previous.to === spans[i - 1]?.step;
    while (i < end && (spans[i + 1] as Span).last > begun) i++;
    const { step: to } = spans[i] as Span;
    // A third training that ended earlier than the second splits the range.
    if (follows) previous.to = to;
    else found.push({ from, to, after });
  }
  return found;
}

/** Ranges that are listed; resumes may be many. */
const SHOWN = 3;

/** Says which steps were logged again and why that may be; nothing for a run that went straight on. */
export function repeatNotes(rows: readonly StepRow[]): HTMLElement[] {
  const found = repeatsOf(rows);
  const first = rows.find(({ step }) => step !== null)?.step;
  const notes = found.slice(0, SHOWN).map(({ from, to, after }) => {
    const steps = from === to ? `Step ${from} was` : `Steps ${from} to ${to} were`;
    const repeated = `${steps} logged again after step ${after}`;
    if (from !== first)
      return el(
        "p",
        { class: "soft" },
        `${repeated}, as by a training that resumed from a checkpoint. Charts mix both.`,
      );
    const text = `${repeated}, so charts mix several trainings. Give each training a different run_id.`;
    return el("p", { class: "banner", role: "note" }, text);
  });
  const more = found.length - notes.length;
  return more === 0 ? notes : [...notes, el("p", { class: "soft" }, `${more} more ranges of steps were logged again.`)];
}
