// Helpers shared by the engine tests: the running engines, both adapters on them, and whether an engine is at
// work. Must not hold any test.

import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { createEnginePool } from "../../../gpu-backend/gateway/engines/create.ts";
import { startGateway } from "../../../gpu-backend/gateway/http/server.ts";
import { type ReadPart, readAnswer } from "../../../src/core/asking/readings.ts";
import { letterAt } from "../../../src/core/judges/verdict.ts";
import type { Generation, VerifierJob } from "../../../src/core/wire/questions.ts";
import { systemClock } from "../../../src/platform/clock.ts";
import type { Verifier, VerifierCall } from "../../../src/ports/ports.ts";
import { createGatewayVerifier } from "../../../src/verifier/gateway/adapter.ts";
import { createOpenAiVerifier } from "../../../src/verifier/openai/adapter.ts";
import { callWith } from "../../port-contracts/verifier.contract.ts";
import type { EngineUnderTest } from "../../tools/test-engine-servers.ts";

export const clock = systemClock;

/** The engines that test/tools/test-engine.ts started. */
export const ENGINES = JSON.parse(process.env.KRITAI_ENGINES ?? "[]") as EngineUnderTest[];

/** A gateway with one engine behind it, closed after the test. */
export async function withGateway<T>(
  { url, model }: { url: string; model: string },
  test: (url: string) => Promise<T>,
  maxInFlight = 16,
): Promise<T> {
  const pool = createEnginePool({ urls: [url], model, apiKey: null, maxInFlight });
  const gateway = await startGateway({ host: "127.0.0.1", port: 0, pool });
  try {
    return await test(gateway.url);
  } finally {
    await gateway.close(0);
  }
}

/** Each way from the edge to an engine: runs a test with the adapter's verifier. */
export const ROUTES: Record<
  "openai" | "verify",
  <T>(at: { url: string; model: string }, test: (verifier: Verifier) => Promise<T>, maxInFlight?: number) => Promise<T>
> = {
  openai: ({ url, model }, test, maxInFlight = 16) =>
    test(createOpenAiVerifier({ url, model, apiKey: null, maxInFlight }, clock)),
  verify: (at, test, maxInFlight) =>
    withGateway(at, (url) => test(createGatewayVerifier({ url, model: null, apiKey: null }, clock)), maxInFlight),
};

/** Two candidates, asked `samples` times in one order. */
export const twoCandidates = (samples: number, more: Partial<VerifierJob> = {}): VerifierJob => ({
  to: "chat",
  preset: "code-select",
  question: "Which of them prints the sum of two numbers? ünï 🙂",
  language: "python",
  candidates: ["print(int(input()) + int(input()))", "print(input() + input())"],
  questions: [{ id: 0, shown: [0, 1], samples }],
  ...more,
});

export interface Read {
  generation: Generation;
  reading: ReadPart;
}

/** The letter that a reading names, null without one. */
export const letterOf = ({ verdict }: ReadPart): string | null =>
  verdict?.kind === "letter" ? letterAt(verdict.place) : null;

/**
 * Judges a job at temperature 1 without cutting the distribution, and reads each answer as scoring
 * does.
 */
export async function ask(verifier: Verifier, job: VerifierJob, more: Partial<VerifierCall> = {}): Promise<Read[]> {
  const call = callWith(new AbortController().signal, { temperature: 1, top_p: 1, ...more });
  const reads: Read[] = [];
  await verifier.session(call).judge(job, (generation) => {
    const shown = job.questions.find(({ id }) => id === generation.question)?.shown.length ?? 0;
    reads.push({ generation, reading: readAnswer(generation, shown, call.form) });
  });
  return reads.sort((a, b) => a.generation.sample - b.generation.sample);
}

/** The process's share of one core is looked at over windows of this length. */
const WINDOW_MS = 250;
/**
 * The kernel counts CPU time in hundredths of a second (proc(5), on every Linux that Node runs on).
 */
const TICK_MS = 10;

function cpuMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  // Text up to the last parenthesis is the program's name, which may hold blanks; then come fields 3 and up.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

const HANGS_MS = 400_000;

interface Effort {
  /** CPU time since the watch began, ms. */
  spent_ms: number;
  /** Share of one core, over the window. */
  share: number;
}

/** Watches window by window. @returns the CPU time spent before the first that is enough, ms */
async function until(pid: number, enough: (effort: Effort) => boolean): Promise<number> {
  const [start, began] = [performance.now(), cpuMs(pid)];
  for (let opened = start; ; ) {
    const before = cpuMs(pid);
    await sleep(WINDOW_MS);
    const [now, after] = [performance.now(), cpuMs(pid)];
    if (enough({ spent_ms: after - began, share: (after - before) / (now - opened) })) return before - began;
    if (now - start > HANGS_MS) throw new Error(`${after - began} ms of CPU in ${HANGS_MS} ms`);
    opened = now;
  }
}

/**
 * Resolves once the engine computes: it has used a tenth of a second, however few a busy machine
 * gives it.
 */
export const atWork = (pid: number): Promise<number> => until(pid, ({ spent_ms }) => spent_ms >= 100);

/**
 * Resolves with the CPU time, ms, that the engine still used before it was at rest: below a tenth
 * of a core over a whole window. No clock's time: that a busy machine stretches.
 */
export const atRest = (pid: number): Promise<number> => until(pid, ({ share }) => share < 0.1);
