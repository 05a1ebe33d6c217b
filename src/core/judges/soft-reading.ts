// How an answer is read softly: its verdict is how probable its engine found each label.
import type { Spec } from "../contract/spec.ts";
import { anchorFor } from "./anchors.ts";
import type { Anchor } from "./parsers/parser.ts";
import { meaningOf } from "./preset-reading.ts";
import type { Preset } from "./presets/preset.ts";
import { presetNamed } from "./presets/table.ts";
import { type Answer, NOTHING, type ReadPart, readAnswer } from "./readings.ts";
import type { SoftLabels } from "./soft-reader.ts";
import { answerStart } from "./thinking.ts";
import type { Verdict } from "./verdicts.ts";

/** Less of the engine's probability on the labels is no verdict. */
const COVERAGE_MIN = 0.5;

/** The labels' probabilities may miss 1 by rounding. */
const SUM_SLACK = 1e-6;

const unread = (status: "no_box" | "bad_content" | "unclosed_think"): ReadPart => ({ ...NOTHING, status });
const failed = (code: "logprobs_unavailable" | "verifier_bad_reply"): ReadPart => ({ ...NOTHING, status: null, code });

/**
 * The distribution over the candidates shown, or over the labels of a preset that looks at one.
 * Where words stand before the label, the written answer must be readable too and say what stands
 * at the place whose probabilities were taken; an answer that begins with its label may be cut.
 * @param k how many candidates were shown
 */
export function readSoft(given: Answer, k: number, form: Spec["judge"]["form"], prompt: string): ReadPart {
  const { answer, thinking, soft } = given;
  if (answer === null || given.saved === true) return readAnswer(given, k, form, prompt);
  const anchor = form === "scores" ? null : anchorFor(prompt, k);
  if (anchor === null || soft === undefined) return failed("logprobs_unavailable");
  if (thinking === "unclosed" || answerStart(answer) < 0) return unread("unclosed_think");
  const first = anchor.behind === undefined && anchor.each === undefined;
  const said = first ? null : readAnswer(given, k, form, prompt);
  if (said !== null && said.status !== "ok" && said.status !== "tie") return said;
  if (soft === null) return unread(answer.trim() === "" ? "no_box" : "bad_content");
  const shares = sharesIn(soft, anchor.each === undefined ? anchor.labels : ["A", "B"]);
  if (shares === null) return failed("verifier_bad_reply");
  if (soft.coverage < COVERAGE_MIN) return unread("bad_content");
  const preset = presetNamed(prompt);
  if (said !== null && anchor.each === undefined && !agrees(said.verdict, soft, anchor, preset, k)) {
    return unread("bad_content");
  }
  const told = anchor.each === undefined ? ofCandidates(shares, anchor, preset, k) : shares;
  return told === null
    ? unread("bad_content")
    : { ...NOTHING, status: "ok", verdict: { kind: "distribution", shares: told } };
}

/** One probability a label; null for what is none. */
function sharesIn({ letters, coverage }: SoftLabels, labels: readonly string[]): number[] | null {
  const shares = labels.map((label) => (Object.hasOwn(letters, label) ? (letters[label] as number) : Number.NaN));
  const sum = shares.reduce((total, share) => total + share, 0);
  const valid = shares.every((share) => share >= 0 && share <= 1) && Math.abs(sum - 1) <= SUM_SLACK;
  return valid && coverage >= 0 ? shares : null;
}

/** What a label means, as the parser of written answers has it. */
function verdictOf(label: string, { labels }: Anchor, preset: Preset | null, k: number): Verdict | null {
  if (preset === null) return { kind: "letter", place: labels.indexOf(label) };
  const scale = "range" in preset.parser && preset.parser.range !== undefined;
  return meaningOf(preset, scale ? { numbers: [Number(label)] } : { label }, k).verdict;
}

function agrees(said: Verdict | null, { written }: SoftLabels, anchor: Anchor, preset: Preset | null, k: number) {
  return written !== null && JSON.stringify(verdictOf(written, anchor, preset, k)) === JSON.stringify(said);
}

/**
 * Shares of labels as those of the candidates shown, a tie's half and half; of a preset that looks
 * at one as they are.
 */
function ofCandidates(shares: readonly number[], anchor: Anchor, preset: Preset | null, k: number): number[] | null {
  if (preset !== null && preset.shape !== "pair" && preset.shape !== "list") return [...shares];
  const own = new Array<number>(k).fill(0);
  shares.forEach((share, i) => {
    const verdict = verdictOf(anchor.labels[i] as string, anchor, preset, k);
    if (verdict?.kind === "letter") own[verdict.place] = (own[verdict.place] as number) + share;
    else if (verdict !== null) for (let place = 0; place < k; place++) own[place] = (own[place] as number) + share / k;
  });
  const total = own.reduce((sum, share) => sum + share, 0);
  return total > 0 ? own.map((share) => share / total) : null;
}
