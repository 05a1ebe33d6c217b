// Notices above and in the pages: verdicts that a stand-in made up, and texts that were not stored.
import { isSimulated } from "../../../../src/core/wire/simulated-model.ts";
import { el } from "./dom.ts";
import type { GroupResult, HealthRow, RequestRow, StepRow } from "./log.ts";

/**
 * The banner, where it is needed.
 * @param which the verdicts that are made up, as the subject of a sentence
 */
export function simulatedBanner(needed: boolean, which = "these verdicts"): HTMLElement[] {
  if (!needed) return [];
  const text = `Simulated: ${which} are made up. Set VERIFIER_URL and VERIFIER_MODEL to use a real verifier.`;
  return [el("p", { class: "banner", role: "note" }, text)];
}

/** Whether a stand-in answered for a group. */
export const isSimulatedGroup = ({ verifier }: Pick<GroupResult, "verifier">): boolean =>
  verifier.models.some(isSimulated);

/** Whether a stand-in answered at a step. */
export const isSimulatedStep = ({ warnings }: StepRow): boolean => warnings.some(isSimulated);

/** Whether a stand-in answered at some of the steps that alarms look at. */
export const isSimulatedRun = (rows: readonly HealthRow[]): boolean =>
  rows.some(({ simulated_share }) => (simulated_share ?? 0) > 0);

/** The field of a request that stores its texts. */
const STORING = '"spec": {"log_texts": true}';

/**
 * Why a group has no texts, and how the next ones are stored.
 * @param asked whether the request's spec says that texts are stored
 */
export function noTexts({ warnings }: RequestRow, asked: boolean): HTMLElement[] {
  if (warnings.some((text) => text.startsWith("texts_not_logged")))
    return [el("p", { class: "soft" }, "The texts were too long to be stored (limit: logged_text_chars).")];
  if (asked) return [el("p", { class: "soft" }, "The texts are no longer stored.")];
  return [
    el("p", {}, "The texts of this group were not stored, only their hashes. To store texts, add this to a request:"),
    el("pre", { tabindex: "0" }, STORING),
    el("p", { class: "soft" }, "LOG_TEXTS=on stores the texts of every request whose spec does not set log_texts."),
  ];
}
