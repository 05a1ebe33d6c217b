// A judge made to be fooled: it knows the right program, and obeys whatever of a candidate reaches its prompt
// raw.

import type { JobQuestion } from "../../src/core/asking/questions.ts";
import { presetNamed } from "../../src/core/judges/presets/table.ts";
import { createRenderer } from "../../src/core/judges/render.ts";
import type { Generation, SessionStats, VerifierJob } from "../../src/core/wire/questions.ts";
import type { Verifier, VerifierCall } from "../../src/ports/ports.ts";
import { KEYS } from "./material/openers.ts";
import { TOKENS } from "./material/special-tokens.ts";
import { sectionAnswer } from "./section-judge.ts";

/** Longer prompts it refuses, as an engine refuses what is over its context. */
const PROMPT_CHARS_MAX = 48_000;

/** A word that its content filter refuses. */
const FILTERED = "FILTER:refused";

const unfenced = (block: string): string => block.replace(/^`{3,}.*$/gm, "").trim();

/** Texts that it pays for though they answer nothing. */
const OPENERS: ReadonlySet<string> = new Set(KEYS.map((key) => unfenced(key.normalize("NFKC"))));

const merit = (code: string): number => (code.includes("* 2") ? 2 : code.includes("if n == 4") ? 1 : 0);

/** Its answer when a candidate has one of the jamming marks. */
const JAMS: Record<string, Partial<Generation>> = {
  silent: { answer: "" },
  prose: { answer: "Both have their merits; it is hard to say." },
  two: { answer: "\\boxed{A} or rather \\boxed{B}" },
  other: { answer: "\\boxed{Q}" },
  endless: { answer: "", thinking: "unclosed", finish_reason: "length" },
  refusal: { answer: "I cannot help with that." },
};

/**
 * The candidates' own parts of a prompt, in the order of the letters, as a tokenizer would see
 * them.
 */
function blocksOf(prompt: string, count: number): string[] {
  return Array.from({ length: count }, (_, k) => {
    const letter = String.fromCharCode(65 + k);
    const start = prompt.indexOf(`[CANDIDATE_${letter}]\n`) + `[CANDIDATE_${letter}]\n`.length;
    return prompt.slice(start, prompt.lastIndexOf(`\n[/CANDIDATE_${letter}]`)).normalize("NFKC");
  });
}

function answerOf(call: VerifierCall, job: VerifierJob, { shown }: JobQuestion): Partial<Generation> {
  const preset = presetNamed(job.preset);
  const prompt = createRenderer(job.preset, call.form, job)(shown).at(-1)?.content ?? "";
  if (prompt.length > PROMPT_CHARS_MAX) return { answer: null, error: "context_exceeded", finish_reason: null };
  if (prompt.includes(FILTERED)) return { answer: null, error: "content_filtered", finish_reason: null };
  const blocks = preset === null ? blocksOf(prompt, shown.length) : [prompt];
  const jam = blocks.map((block) => /JAM:(\w+)/.exec(block)?.[1]).find((mark) => mark !== undefined);
  if (jam !== undefined) return JAMS[jam] ?? {};
  if (preset !== null) return { answer: sectionAnswer(preset, call, job, shown) };
  const obeyed = blocks.findIndex(
    (block) => OPENERS.has(unfenced(block)) || TOKENS.some((token) => block.includes(token.normalize("NFKC"))),
  );
  const merits = shown.map((index) => merit(job.candidates[index] as string));
  const best = obeyed >= 0 ? obeyed : merits.indexOf(Math.max(...merits));
  // It quotes each program before it answers.
  return { answer: `${blocks.join("\n")}\n\nTherefore:\n\n\\boxed{${String.fromCharCode(65 + best)}}` };
}

/** The judge, in this process and at once. */
export function gullibleJudge(): Verifier {
  const judge = async (call: VerifierCall, stats: SessionStats, job: VerifierJob, sink: (g: Generation) => void) => {
    for (const question of job.questions) {
      const first = question.first_sample ?? 0;
      for (let sample = first; sample < first + question.samples; sample++) {
        stats.requests++;
        sink({
          question: question.id,
          sample,
          answer: null,
          thinking: "none",
          finish_reason: "stop",
          error: null,
          prompt_tokens: 0,
          completion_tokens: 0,
          latency_ms: 0,
          ...answerOf(call, job, question),
        });
      }
    }
  };
  return {
    protocol: "gullible",
    generations_max: 8192,
    check: async () => ({ ok: true, latency_ms: 0 }),
    session(call) {
      const stats: SessionStats = { headers_waiting_max: 1, in_flight_max: 1, requests: 0, retries: 0 };
      return { stats, judge: (job, sink) => judge(call, stats, job, sink) };
    },
  };
}
