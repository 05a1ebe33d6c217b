// The scale of the scores in a judge's answers.
import { labelCountOf } from "./parsers/table.ts";
import { presetNamed } from "./presets/table.ts";
import { isPromptName } from "./render.ts";
import { SCORE_RANGE } from "./verdict.ts";

const UNIT = [0, 1] as const;

/**
 * Lowest and highest score in an answer about several candidates: set by the parser for a preset, and 0 and
 * 10 for a built-in template. Returns null for answers without scores and for unknown prompts.
 */
export function scoreScale(prompt: string): readonly [low: number, high: number] | null {
  const parser = presetNamed(prompt)?.parser;
  if (parser === undefined) return isPromptName(prompt) ? SCORE_RANGE : null;
  if (labelCountOf(parser) === "one") return null;
  if (parser.kind === "json") return parser.scores === undefined ? null : (parser.range ?? UNIT);
  // Marks are labels whose values go from 1 for the first to 0 for the last.
  if (parser.kind === "logprobs") return parser.each === undefined ? null : UNIT;
  return "range" in parser ? (parser.range ?? null) : null;
}
