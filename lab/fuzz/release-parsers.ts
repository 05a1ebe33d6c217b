// Reproductions of the Aletheia release's other verdict parsers, for comparing published figures. Not for
// production: they read boxes inside thoughts.

import { behindThoughts, firstBox } from "../../src/core/formulations/strict-verdict.ts";
import { strip } from "../../src/core/text/python-text.ts";

/**
 * The verdict that the release's evaluation (accuracy, self-consistency) extracts: the first box of the WHOLE
 * text, `[[X]]` unwrapped (formulas a.6).
 */
export function releaseEvaluationVerdict(text: string): string | null {
  const content = firstBox(text, 0);
  return content?.startsWith("[[") && content.endsWith("]]") && content.length >= 4 ? content.slice(2, -2) : content;
}

/**
 * The release's round robin for tau: the evaluation's verdict, stripped and upper-cased, `A` or
 * `B`, else null (formulas a.6).
 */
export function releaseRankWinner(text: string): "A" | "B" | null {
  const content = releaseEvaluationVerdict(text);
  const letter = content === null ? null : strip(content).toUpperCase();
  return letter === "A" || letter === "B" ? letter : null;
}

/**
 * The release's BRPO trainer: the first literal `\boxed{A}` or `\boxed{B}` behind the last
 * `</think>` (formulas a.6).
 */
export function releaseBrpoVerdict(text: string): "A" | "B" | null {
  const match = /\\boxed\{([AB])\}/.exec(text.slice(behindThoughts(text)));
  return match === null ? null : (match[1] as "A" | "B");
}
