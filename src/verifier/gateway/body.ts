// Writes the body of a verify request: small bodies as one string, large ones as a stream.
import { LIMITS } from "../../core/faults/limits.ts";
import type { VerifierCall } from "../../ports/ports.ts";
import type { GroupBody } from "./group-ask.ts";

/**
 * Larger bodies are streamed, so that an isolate never holds a large group a second time as JSON. A non-Latin
 * body of 14 MB (two bytes per character) exceeded a heap of 96 MiB as one string, but fits as a stream.
 */
const TEXT_CHARS_MAX = 262_144;

const encoder = new TextEncoder();

/** The gateway's deadline in ms, clamped to the protocol's limits. */
export function deadlineMs(deadlineAt: number | null, now: number): number {
  if (deadlineAt === null) return LIMITS.deadline_ms_max;
  return Math.min(LIMITS.deadline_ms_max, Math.max(1, Math.round(deadlineAt - now)));
}

/** The JSON of a request for one group, in pieces of at most one candidate each. */
function* pieces(
  call: VerifierCall,
  model: string | null,
  group: GroupBody,
  deadline_ms: number,
  patient: boolean,
): Generator<string> {
  const { form, temperature, top_p, max_tokens, seed, priority = 0, soft = false, in_order = false, extra } = call;
  const { prompt, group_id, question, language, slots, candidates, comparisons, images } = group;
  const sampling = { temperature, top_p, max_tokens, seed };
  const marks = { ...(soft && { soft }), ...(in_order && { in_order }) };
  const options = { ...(patient && { patient }), ...(priority !== 0 && { priority }), ...marks };
  const head = JSON.stringify({ deadline_ms, ...options, prompt, form, model, sampling, extra });
  const members = JSON.stringify({ group_id, question, language, slots, images });
  yield `${head.slice(0, -1)},"groups":[${members.slice(0, -1)},"candidates":[`;
  for (const [at, text] of candidates.entries()) yield (at === 0 ? "" : ",") + JSON.stringify(text);
  yield `],"comparisons":${comparisons}}]}`;
}

/**
 * The request's body; may be used only once.
 * @param patient see VerifyRequest
 */
export function verifyBody(
  call: VerifierCall,
  model: string | null,
  group: GroupBody,
  deadline_ms: number,
  patient = false,
): string | ReadableStream<Uint8Array> {
  const texts = [...group.candidates, ...Object.values(group.images ?? {})];
  const chars = texts.reduce((sum, { length }) => sum + length, group.question.length);
  const parts = pieces(call, model, group, deadline_ms, patient);
  if (chars <= TEXT_CHARS_MAX) return [...parts].join("");
  return new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const { done, value } = parts.next();
        if (done) controller.close();
        else controller.enqueue(encoder.encode(value));
      },
    },
    { highWaterMark: 0 },
  );
}
