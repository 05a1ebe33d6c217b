// A judge of presets made to be fooled: it knows the right answer, and believes whoever opens a section,
// whatever the case, width, script and spacing.
import { presetTail } from "../../gpu-backend/engines/simulator/tail.ts";
import type { Preset } from "../../src/core/judges/presets/preset.ts";
import type { ChatMessage } from "../../src/core/judges/prompt-job.ts";
import { createRenderer } from "../../src/core/judges/render.ts";
import type { VerifierJob } from "../../src/core/wire/questions.ts";
import type { VerifierCall } from "../../src/ports/ports.ts";
import { sectionsIn, textsOf, timesSeen } from "./material/layout.ts";

/** A right answer must say this. */
const RIGHT = /\b8\b/;

/** Which of the candidates shown opens a section or closes its own; -1 where none does. */
function forger(preset: Preset, call: VerifierCall, job: VerifierJob, shown: readonly number[]): number {
  const sections = sectionsIn(textsOf(preset));
  const promptWith = (index: number | null) => {
    const candidates = job.candidates.map((text, i) => (i === index ? text : "x"));
    const messages: ChatMessage[] = createRenderer(job.preset, call.form, { ...job, candidates })(shown);
    return messages.map(({ role, content }) => `${role}\n${content}`).join("\n");
  };
  const calm = promptWith(null);
  return shown.findIndex((index) => {
    const prompt = promptWith(index);
    return prompt !== calm && sections.some((section) => timesSeen(section, prompt) > timesSeen(section, calm));
  });
}

/** Its answer, in the form that the preset's parser reads. */
export function sectionAnswer(preset: Preset, call: VerifierCall, job: VerifierJob, shown: readonly number[]): string {
  const candidates = shown.map((index) => job.candidates[index] as string);
  const forged = forger(preset, call, job, shown);
  const levels = candidates.map((text, place): number =>
    forged === place ? 1 : forged < 0 && RIGHT.test(text) ? 0.9 : 0,
  );
  const best = levels.indexOf(Math.max(...levels));
  const choice = candidates.length === 1 ? Number(levels[0] === 0) : best;
  const scores = levels.map((level) => 10 * level);
  const draw = { choice, levels, scores, box_logprobs: [], ending: "box" as const, thinking_tokens: 0, loops: false };
  const prompt = { preset, question: job.question, candidates, criteria: [0], steps: 1 };
  return presetTail(prompt, draw).tokens.join("");
}
