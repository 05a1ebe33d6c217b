// Turns the parsed answer to a preset's question into a verdict about the candidates shown.
import type { VerdictStatus } from "../contract/verdicts-reply.ts";
import { segmentOf } from "./parsers/answer-text.ts";
import type { TokenLogprobs } from "./parsers/parser.ts";
import type { Value } from "./parsers/parser-result.ts";
import { readBy } from "./parsers/table.ts";
import type { Preset } from "./presets/preset.ts";
import type { Verdict } from "./verdicts.ts";

interface PresetReading {
  /** `tie` means that the answer finds neither candidate better. */
  status: VerdictStatus | "tie";
  verdict: Verdict | null;
}

/** Reads the answer to a question that showed `count` candidates. Linear time. */
export function readByPreset(
  preset: Preset,
  answer: string,
  count: number,
  tokens?: readonly TokenLogprobs[],
): PresetReading {
  const segment = segmentOf(answer);
  if (segment === null) return { status: "unclosed_think", verdict: null };
  const { status, value } = readBy(preset.parser, { segment, count, tokens });
  return value === null ? { status, verdict: null } : meaningOf(preset, value, count);
}

/** Turns a parsed value into a verdict about the `count` candidates shown. */
export function meaningOf(preset: Preset, value: Value, count: number): PresetReading {
  const alone = preset.shape !== "pair" && preset.shape !== "list";
  return alone ? { status: "ok", verdict: ofOne(value) } : ofSeveral(value, preset, count);
}

function ofOne(value: Value): Verdict | null {
  if ("numbers" in value) return { kind: "grade", grade: value.numbers[0] as number };
  if ("label" in value) return { kind: "label", label: value.label };
  if ("met" in value) return { kind: "criteria", ...value };
  return "shares" in value ? { kind: "distribution", shares: value.shares } : null;
}

function ofSeveral(value: Value, { ties = [], parser }: Preset, count: number): PresetReading {
  if ("strength" in value) return leaning(value.strength, "numbers" in value ? value.numbers : undefined);
  if ("numbers" in value) return { status: "ok", verdict: { kind: "scores", scores: value.numbers } };
  if ("labels" in value) return { status: "ok", verdict: { kind: "letters", places: value.labels.map(placeOf) } };
  if ("shares" in value) return { status: "ok", verdict: { kind: "distribution", shares: value.shares } };
  if (!("label" in value)) return { status: "bad_content", verdict: null };
  if (ties.includes(value.label)) return leaning(0);
  const named = "labels" in parser ? parser.labels?.indexOf(value.label) : undefined;
  const place = named ?? placeOf(value.label);
  return place < count
    ? { status: "ok", verdict: { kind: "letter", place } }
    : { status: "out_of_range", verdict: null };
}

const placeOf = (letter: string): number => letter.charCodeAt(0) - 65;

const leaning = (strength: number, scores?: readonly number[]): PresetReading => ({
  status: strength === 0 ? "tie" : "ok",
  verdict: { kind: "preference", strength, ...(scores !== undefined && { scores }) },
});
