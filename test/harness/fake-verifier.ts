import type { JobQuestion } from "../../src/core/asking/questions.ts";
import type { ItemErrorCode } from "../../src/core/faults/errors.ts";
import type { Generation, SessionStats, VerifierJob } from "../../src/core/wire/questions.ts";
import type { Health, Verifier, VerifierCall } from "../../src/ports/ports.ts";

/** A deployment that answers every kind of question. */
export const EVERY_BACKEND = ["chat", "scalar", "prm", "execute", "check", "check_steps"] as const;

/** Answers one sample with a text, a failure's code, or fields of the generation. */
export type Script = (
  shown: readonly string[],
  about: { question: JobQuestion; sample: number; job: VerifierJob },
) => string | { error: ItemErrorCode } | Partial<Generation>;

export interface FakeVerifier extends Verifier {
  /** Every job judged, in order. */
  readonly jobs: VerifierJob[];
  readonly calls: VerifierCall[];
}

export interface FakeVerifierOptions {
  generations_max?: number;
  health?: Health;
  /**
   * Generations wait for this before they are answered; the signal's abort ends the wait with its
   * reason.
   */
  gate?: Promise<unknown>;
}

const ANSWERED = { thinking: "none", finish_reason: "stop", error: null } as const;
const COST = { prompt_tokens: 10, completion_tokens: 2, latency_ms: 1 } as const;

function generationOf(said: ReturnType<Script>, question: number, sample: number): Generation {
  const base: Generation = { question, sample, answer: "", ...ANSWERED, ...COST };
  if (typeof said === "string") return { ...base, answer: said };
  if (said.error != null) return { ...base, ...said, answer: null, finish_reason: null };
  return { ...base, ...said };
}

/**
 * A verifier that answers every sample at once by `script`, which sees the candidates in the order
 * shown.
 */
export function fakeVerifier(script: Script, options: FakeVerifierOptions = {}): FakeVerifier {
  const jobs: VerifierJob[] = [];
  const calls: VerifierCall[] = [];
  async function judge(call: VerifierCall, stats: SessionStats, job: VerifierJob, sink: (g: Generation) => void) {
    jobs.push(job);
    if (options.gate !== undefined) await Promise.race([options.gate, aborted(call.signal)]);
    for (const question of job.questions) {
      const shown = question.shown.map((i) => job.candidates[i] as string);
      const first = question.first_sample ?? 0;
      for (let sample = first; sample < first + question.samples; sample++) {
        if (!call.signal.aborted) stats.requests++;
        const said = call.signal.aborted
          ? { error: call.signal.reason as ItemErrorCode }
          : script(shown, { question, sample, job });
        sink(generationOf(said, question.id, sample));
      }
    }
  }
  return {
    protocol: "fake",
    generations_max: options.generations_max ?? 8192,
    jobs,
    calls,
    session(call) {
      calls.push(call);
      const stats: SessionStats = { headers_waiting_max: 1, in_flight_max: 1, requests: 0, retries: 0 };
      return { stats, judge: (job, sink) => judge(call, stats, job, sink) };
    },
    check: async () => options.health ?? { ok: true, latency_ms: 0 },
  };
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}

/** Boxes the letter of the candidate for which `value` is largest; the first of several. */
export function preferring(value: (candidate: string) => number): Script {
  return (shown) => {
    const best = shown.reduce((top, candidate, i) => (value(candidate) > value(shown[top] as string) ? i : top), 0);
    return `\\boxed{${String.fromCharCode(65 + best)}}`;
  };
}
