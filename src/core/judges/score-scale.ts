// The scale of the scores that a judge's answers give.
import { labelCountOf } from "./parsers/table.ts";
import { presetNamed } from "./presets/table.ts";
import { isPromptName } from "./render.ts";
import { SCORE_RANGE } from "./verdict.ts";

const UNIT = [0, 1] as const;

/**
 * Lowest and highest score of an answer about several candidates: of a preset as its parser says,
 * of the built-in templates 0 and 10. Null where it gives no scores, or of a name not known here.
 */
export function scoreScale(prompt: string): readonly [low: number, high: number] | null {
  const parser = presetNamed(prompt)?.parser;
  if (parser === undefined) return isPromptName(prompt) ? SCORE_RANGE : null;
  if (labelCountOf(parser) === "one") return null;
  if (parser.kind === "json") return parser.scores === undefined ? null : (parser.range ?? UNIT);
  // Marks are labels, counted from 1 for the best to 0 for the last.
  if (parser.kind === "logprobs") return parser.each === undefined ? null : UNIT;
  return "range" in parser ? (parser.range ?? null) : null;
}
