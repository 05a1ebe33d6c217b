// The guarantees of the Verifier port, as one suite for every adapter and the fake. Must not know any
// adapter's protocol.
import { describe, expect, it } from "vitest";
import type { JobQuestion } from "../../src/core/asking/questions.ts";
import type { ItemErrorCode } from "../../src/core/faults/errors.ts";
import type { Generation, VerifierJob } from "../../src/core/wire/questions.ts";
import { systemClock } from "../../src/platform/clock.ts";
import type { Verifier, VerifierCall } from "../../src/ports/ports.ts";

/**
 * How a backend behaves for the whole suite's next session. `silent`: it answers once it is released; another
 * text: its reply to every question.
 */
export type BackendMode = "answers" | "silent" | "dead" | "busy" | "refuses" | "resets" | { reply: string };

export interface VerifierUnderTest {
  verifier: Verifier;
  /**
   * Resolves once the backend holds at least one question that it will not answer. Only for
   * `silent`.
   */
  asked: () => Promise<void>;
  /** Lets a silent backend answer. */
  release: () => void;
  close: () => Promise<void>;
}

/** Makes an adapter with its backend. `answers`: each generation gets a non-empty answer. */
export type MakeVerifier = (mode: BackendMode) => Promise<VerifierUnderTest>;

/** Makes a job about `count` candidates, of the kind of questions that an adapter takes. */
export type MakeJob = (count: number, samples?: number, name?: string) => VerifierJob;

/** A call with the spec's defaults and no deadline. */
export function callWith(signal: AbortSignal, more: Partial<VerifierCall> = {}): VerifierCall {
  return {
    form: "exact_match",
    model: null,
    temperature: 0.6,
    top_p: 0.95,
    max_tokens: 64,
    seed: 7,
    signal,
    ...more,
  };
}

/** Every pair of `count` short candidates; ids in order. */
export function pairsJob(count: number, samples = 1, name = "q"): VerifierJob {
  const questions: JobQuestion[] = [];
  for (let i = 0; i < count; i++) {
    for (let j = i + 1; j < count; j++) questions.push({ id: questions.length, shown: [i, j], samples });
  }
  const candidates = Array.from({ length: count }, (_, i) => `print(${i})`);
  const about = { to: "chat", preset: "code-select" } as const;
  return { ...about, question: `Which prints ${name}?`, language: "python", candidates, questions };
}

/** Each candidate by itself; ids in order. */
export function singlesJob(about: Pick<VerifierJob, "to" | "preset" | "runs">): MakeJob {
  return (count, samples = 1, name = "q") => {
    const questions = Array.from({ length: count }, (_, id) => ({ id, shown: [id], samples }));
    return { ...pairsJob(count, samples, name), ...about, questions };
  };
}

/** Judges a job and gathers what was reported. */
export async function judged(
  verifier: Verifier,
  job: VerifierJob,
  signal = new AbortController().signal,
  more: Partial<VerifierCall> = {},
) {
  const reported: Generation[] = [];
  const session = verifier.session(callWith(signal, more));
  await session.judge(job, (generation) => reported.push(generation));
  return { reported, stats: session.stats };
}

const keyOf = (g: Generation) => `${g.question}.${g.sample}`;

/** The keys a job must report, each exactly once. */
export function expectedKeys(job: VerifierJob): string[] {
  return job.questions.flatMap((c) =>
    Array.from({ length: c.samples }, (_, s) => `${c.id}.${(c.first_sample ?? 0) + s}`),
  );
}

export function reportedKeys(reported: readonly Generation[]): string[] {
  return reported.map(keyOf);
}

function expectWellFormed(generation: Generation): void {
  expect(generation.error === null).toBe(generation.answer !== null);
  if (generation.error !== null) expect(generation.finish_reason).toBeNull();
  for (const count of [generation.prompt_tokens, generation.completion_tokens]) {
    expect(Number.isSafeInteger(count) && count >= 0).toBe(true);
  }
  expect(generation.latency_ms).toBeGreaterThanOrEqual(0);
}

async function using(make: MakeVerifier, mode: BackendMode, test: (under: VerifierUnderTest) => Promise<void>) {
  const under = await make(mode);
  try {
    await test(under);
  } finally {
    await under.close();
  }
}

/** Replies that no protocol has: none of them may become an answer. */
const MALFORMED = [
  "",
  "null",
  "{}",
  "[]",
  "[[]]",
  '"x"',
  "<html>hello</html>",
  '{"data":',
  '{"hello":1}',
  '{"status":"Success"}',
  '{"run":null}',
];

/** Codes for each fault of a backend; a service that runs programs may say itself that it failed. */
const FAULTS: readonly { mode: BackendMode; codes: readonly (ItemErrorCode | null)[] }[] = [
  { mode: "busy", codes: ["verifier_overloaded"] },
  { mode: "refuses", codes: ["verifier_rejected"] },
  { mode: "resets", codes: ["verifier_unavailable"] },
  ...MALFORMED.map((reply) => ({ mode: { reply }, codes: ["verifier_bad_reply", "sandbox_failed"] as const })),
];

/** Runs the suite with jobs of the adapter's kind. */
export function verifierContract(name: string, make: MakeVerifier, jobOf: MakeJob = pairsJob): void {
  describe(`Verifier contract: ${name}`, () => {
    it("reports each sample of each question exactly once, well formed", () =>
      using(make, "answers", async ({ verifier }) => {
        const job = jobOf(4, 3);
        const { reported } = await judged(verifier, job);
        expect(reportedKeys(reported).sort()).toEqual(expectedKeys(job).sort());
        for (const generation of reported) {
          expectWellFormed(generation);
          expect(generation.error).toBeNull();
        }
      }));

    it("numbers samples from first_sample", () =>
      using(make, "answers", async ({ verifier }) => {
        const job = jobOf(2);
        const questions = [{ ...(job.questions[0] as JobQuestion), id: 5, samples: 2, first_sample: 3 }];
        const { reported } = await judged(verifier, { ...job, questions });
        expect(reportedKeys(reported).sort()).toEqual(["5.3", "5.4"]);
      }));

    it("resolves at once for a job without questions", () =>
      using(make, "answers", async ({ verifier }) => {
        const { reported } = await judged(verifier, { ...jobOf(2), questions: [] });
        expect(reported).toEqual([]);
      }));

    it("keeps the jobs of one session apart", () =>
      using(make, "answers", async ({ verifier }) => {
        const session = verifier.session(callWith(new AbortController().signal));
        const jobs = [jobOf(3, 1, "x"), jobOf(4, 2, "y"), jobOf(2, 1, "z")];
        const reported = await Promise.all(
          jobs.map(async (job) => {
            const own: Generation[] = [];
            await session.judge(job, (generation) => own.push(generation));
            return own;
          }),
        );
        reported.forEach((own, i) => {
          expect(reportedKeys(own).sort()).toEqual(expectedKeys(jobs[i] as VerifierJob).sort());
        });
        expect(session.stats.headers_waiting_max).toBeLessThanOrEqual(6);
      }));

    for (const reason of ["deadline", "cancelled"] as const) {
      it(`reports all that is left as ${reason} when the signal aborts, and nothing of an answer that comes later`, () =>
        using(make, "silent", async ({ verifier, asked, release }) => {
          const controller = new AbortController();
          const job = jobOf(6);
          const judging = judged(verifier, job, controller.signal);
          await asked();
          controller.abort(reason);
          const { reported } = await judging;
          expect(reportedKeys(reported).sort()).toEqual(expectedKeys(job).sort());
          release();
          await new Promise((resolve) => setImmediate(resolve));
          expect(reported).toHaveLength(expectedKeys(job).length);
          for (const generation of reported) {
            expectWellFormed(generation);
            expect(generation.error).toBe(reason);
          }
        }));
    }

    it("takes an answer however late, while nothing has ended the call", () =>
      using(make, "silent", async ({ verifier, asked, release }) => {
        const judging = judged(verifier, jobOf(3));
        await asked();
        release();
        expect((await judging).reported.map(({ error }) => error)).toEqual(jobOf(3).questions.map(() => null));
      }));

    it("sends nothing once the signal has aborted", () =>
      using(make, "answers", async ({ verifier }) => {
        const { reported, stats } = await judged(verifier, jobOf(3), AbortSignal.abort("cancelled"));
        expect(reported.map((g) => g.error)).toEqual(["cancelled", "cancelled", "cancelled"]);
        expect(stats.requests).toBe(0);
      }));

    it("reports verifier_unavailable, in bounded time, when nothing listens", () =>
      using(make, "dead", async ({ verifier }) => {
        const job = jobOf(16);
        const { reported } = await judged(verifier, job);
        expect(reportedKeys(reported).sort()).toEqual(expectedKeys(job).sort());
        expect(new Set(reported.map((g) => g.error))).toEqual(new Set(["verifier_unavailable"]));
      }));

    it("gives a code and never an answer where the backend is at fault", async () => {
      const told = FAULTS.map(({ mode, codes }) =>
        using(make, mode, async ({ verifier }) => {
          const job = jobOf(3, 2);
          // Time for no second attempt: what a retry changes is each adapter's.
          const deadline_at = systemClock.now() + 300;
          const { reported } = await judged(verifier, job, undefined, { deadline_at });
          expect([mode, ...reportedKeys(reported).sort()]).toEqual([mode, ...expectedKeys(job).sort()]);
          for (const generation of reported) {
            expectWellFormed(generation);
            expect([mode, codes.includes(generation.error), generation.error]).toEqual([mode, true, generation.error]);
          }
        }),
      );
      await Promise.all(told);
    });

    it("rejects when the sink throws, instead of hanging", () =>
      using(make, "answers", async ({ verifier }) => {
        const session = verifier.session(callWith(new AbortController().signal));
        const judging = session.judge(jobOf(3), () => {
          throw new Error("sink");
        });
        await expect(judging).rejects.toThrow("sink");
      }));

    it("tells a serving backend from a dead one, and never throws", async () => {
      await using(make, "answers", async ({ verifier }) => {
        expect(await verifier.check()).toMatchObject({ ok: true });
      });
      await using(make, "dead", async ({ verifier }) => {
        const health = await verifier.check();
        expect(health.ok).toBe(false);
        expect(health.detail ?? "").not.toMatch(/127\.0\.0\.1|localhost|:\d{2,5}/);
      });
    });
  });
}
