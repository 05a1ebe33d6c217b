// Soft reading of answers: the verdict is the probability that the engine assigned to each label.
import type { JudgeSettings } from "../contract/judge-settings.ts";
import { anchorFor } from "../judges/anchors.ts";
import type { Anchor } from "../judges/parsers/parser.ts";
import { meaningOf } from "../judges/preset-reading.ts";
import type { Preset } from "../judges/presets/preset.ts";
import { presetNamed } from "../judges/presets/table.ts";
import type { SoftLabels } from "../judges/soft-reader.ts";
import type { Verdict } from "../judges/verdicts.ts";
import { answerStart } from "../text/thinking.ts";
import { NOTHING, type ReadableGeneration, type ReadPart, readAnswer } from "./readings.ts";

/** Minimum total probability of the labels; below it, an answer has no verdict. */
const COVERAGE_MIN = 0.5;

/** Rounding tolerance for the sum of the labels' probabilities. */
const SUM_SLACK = 1e-6;

const unread = (status: "no_box" | "bad_content" | "unclosed_think"): ReadPart => ({ ...NOTHING, status });
const failed = (code: "logprobs_unavailable" | "verifier_bad_reply"): ReadPart => ({ ...NOTHING, status: null, code });

/**
 * Reads the distribution over the candidates shown, or over the labels of a preset that shows one candidate.
 * If words precede the label, the written answer must also be readable and agree with the token whose
 * probabilities were read. An answer that begins with its label may be cut off.
 * @param k number of candidates shown
 */
export function readSoft(given: ReadableGeneration, k: number, form: JudgeSettings["form"], prompt: string): ReadPart {
  const { answer, thinking, soft } = given;
  if (answer === null || given.saved === true) return readAnswer(given, k, form, prompt);
  const anchor = form === "scores" ? null : anchorFor(prompt, k);
  if (anchor === null || soft === undefined) return failed("logprobs_unavailable");
  if (thinking === "unclosed" || answerStart(answer) < 0) return unread("unclosed_think");
  const first = anchor.behind === undefined && anchor.each === undefined;
  const written = first ? null : readAnswer(given, k, form, prompt);
  if (written !== null && written.status !== "ok" && written.status !== "tie") return written;
  if (soft === null) return unread(answer.trim() === "" ? "no_box" : "bad_content");
  const shares = sharesIn(soft, anchor.each === undefined ? anchor.labels : ["A", "B"]);
  if (shares === null) return failed("verifier_bad_reply");
  if (soft.coverage < COVERAGE_MIN) return unread("bad_content");
  const preset = presetNamed(prompt);
  if (written !== null && anchor.each === undefined && !agrees(written.verdict, soft, anchor, preset, k)) {
    return unread("bad_content");
  }
  const distribution = anchor.each === undefined ? ofCandidates(shares, anchor, preset, k) : shares;
  return distribution === null
    ? unread("bad_content")
    : { ...NOTHING, status: "ok", verdict: { kind: "distribution", shares: distribution } };
}

/** One probability per label; null if a label has none or they do not sum to 1. */
function sharesIn({ letters, coverage }: SoftLabels, labels: readonly string[]): number[] | null {
  const shares = labels.map((label) => (Object.hasOwn(letters, label) ? (letters[label] as number) : Number.NaN));
  const sum = shares.reduce((total, share) => total + share, 0);
  const valid = shares.every((share) => share >= 0 && share <= 1) && Math.abs(sum - 1) <= SUM_SLACK;
  return valid && coverage >= 0 ? shares : null;
}

/** The verdict that a label stands for, as the parser of written answers reads it. */
function verdictOf(label: string, { labels }: Anchor, preset: Preset | null, k: number): Verdict | null {
  if (preset === null) return { kind: "letter", place: labels.indexOf(label) };
  const scale = "range" in preset.parser && preset.parser.range !== undefined;
  return meaningOf(preset, scale ? { numbers: [Number(label)] } : { label }, k).verdict;
}

function agrees(verdict: Verdict | null, { written }: SoftLabels, anchor: Anchor, preset: Preset | null, k: number) {
  return written !== null && JSON.stringify(verdictOf(written, anchor, preset, k)) === JSON.stringify(verdict);
}

/**
 * Converts label probabilities into shares of the candidates shown, with ties split equally. Probabilities of
 * a preset that shows one candidate stay unchanged.
 */
function ofCandidates(shares: readonly number[], anchor: Anchor, preset: Preset | null, k: number): number[] | null {
  if (preset !== null && preset.shape !== "pair" && preset.shape !== "list") return [...shares];
  const wins = new Array<number>(k).fill(0);
  shares.forEach((share, i) => {
    const verdict = verdictOf(anchor.labels[i] as string, anchor, preset, k);
    if (verdict?.kind === "letter") wins[verdict.place] = (wins[verdict.place] as number) + share;
    else if (verdict !== null)
      for (let place = 0; place < k; place++) wins[place] = (wins[place] as number) + share / k;
  });
  const total = wins.reduce((sum, share) => sum + share, 0);
  return total > 0 ? wins.map((share) => share / total) : null;
}
