// One request to a service that runs programs: a program on one test out, the test's status back.
// Must not know slots, retries or rewards.
import { ASSERTING, type RunStatus } from "../../core/judges/test-runs.ts";
import { examine, type Step, statusOf } from "../../core/wire/examination.ts";
import type { VerifierJob } from "../../core/wire/questions.ts";
import type { Ran, SandboxApi, SandboxRun } from "../../core/wire/sandbox-apis.ts";
import type { TestMemory } from "../../core/wire/test-memory.ts";
import type { Health } from "../../ports/ports.ts";
import { type Endpoint, exchangeDocument } from "../fan-out/exchange.ts";
import { healthOf } from "../fan-out/health-check.ts";
import { type AttemptResult, outcome, replied } from "../fan-out/refusal.ts";

export interface SandboxEndpoint extends Endpoint {
  /** Whether the service answers at all is asked here. */
  health_url: string;
  api: SandboxApi;
  memory: TestMemory;
}

/** A run's time beyond its own: the queue before it, and the way. */
const WAIT_MS = 60_000;

/** The inputs of one test. */
interface TestOf {
  program: string;
  sample: number;
  job: Pick<VerifierJob, "runs">;
}

/**
 * The test's status as an answer. Never rejects for what the service, the network or the program
 * does; what the service failed at is an error and never a status, what the program did is one.
 */
export async function runTest(
  endpoint: SandboxEndpoint,
  { program, sample, job }: TestOf,
  session: AbortSignal,
  onHeaders: (accepted: boolean) => void = () => {},
): Promise<AttemptResult> {
  const { runs } = job;
  const testCase = runs?.cases[sample];
  if (runs === undefined || testCase === undefined) throw new TypeError("a question to a sandbox without its case");
  const { language, timeout_ms } = runs;
  const { assert, stdin = "", stdout = "", tolerance = runs.tolerance } = testCase;
  const exchange = new Exchange(endpoint, session);
  if (assert === undefined) {
    const ran = await exchange.run({ code: program.toWellFormed(), language, stdin, timeout_ms }, onHeaders);
    return exchange.failed ?? answeredBy(statusOf(ran, stdout, tolerance));
  }
  const interpreter = ASSERTING.find((name) => name === language);
  if (interpreter === undefined) throw new TypeError("an assert in a language without asserts");
  const functions = testCase.function === undefined ? [] : [testCase.function];
  const test = {
    language: interpreter,
    cells: [assert],
    mode: "exec",
    functions,
    has_imports: functions.length > 0,
    tolerance,
  } as const;
  const steps = examine(program, test, { stdin, timeout_ms, mark: crypto.randomUUID() });
  let step = steps.next();
  while (step.done !== true && exchange.failed === null) step = steps.next(await exchange.step(step.value));
  // One place among those that wait for headers serves all requests of the test.
  onHeaders(exchange.failed === null || exchange.failed.refusal === null);
  if (exchange.failed !== null || step.done !== true) return exchange.failed ?? outcome("sandbox_failed");
  return answeredBy(step.value?.status ?? null);
}

/** `unknown`: the test cannot be held against a program from outside, which says nothing of it. */
function answeredBy(status: RunStatus | "unknown" | null): AttemptResult {
  return status === null || status === "unknown" ? outcome("sandbox_failed") : replied(status);
}

/** The requests that one test takes, one after the other. */
class Exchange {
  /** Why a request had no answer; null while all had one. */
  failed: AttemptResult | null = null;
  readonly #endpoint: SandboxEndpoint;
  readonly #session: AbortSignal;

  constructor(endpoint: SandboxEndpoint, session: AbortSignal) {
    this.#endpoint = endpoint;
    this.#session = session;
  }

  /** A run of a test's own code ends for every program as it did for the first. */
  async step(step: Step): Promise<Ran> {
    const { memory } = this.#endpoint;
    const ran = memory.get(step) ?? (await this.run(step.run));
    memory.set(step, ran);
    return ran;
  }

  async run(run: SandboxRun, onHeaders: (accepted: boolean) => void = () => {}): Promise<Ran> {
    const { api } = this.#endpoint;
    const body = JSON.stringify(api.body(run));
    // Compiled and run, each in its time.
    const signal = AbortSignal.any([this.#session, AbortSignal.timeout(2 * run.timeout_ms + WAIT_MS)]);
    const came = await exchangeDocument(this.#endpoint, { body, signal, onHeaders, explains: body });
    if (came.failed === null) return ranIn(api, came.reply) ?? this.#fail(outcome("verifier_bad_reply"));
    // Only what the program wrote can make a reply so long.
    if (came.overlong === true) return { end: "exit", exit_code: 1, stdout: "", stderr: "too much output" };
    return this.#fail(came.failed);
  }

  #fail(failed: AttemptResult): Ran {
    this.failed = failed;
    return { end: "infra", exit_code: 1, stdout: "", stderr: "" };
  }
}

/** Null for a reply of another API. */
function ranIn(api: SandboxApi, document: string): Ran | null {
  try {
    return api.read(JSON.parse(document));
  } catch {
    return null;
  }
}

/** See Verifier.check: whether the service answers at all; it is not made to run anything. */
export function checkSandbox({ health_url, headers, fetch: fetcher, clock }: SandboxEndpoint): Promise<Health> {
  return healthOf(clock, async (signal) => {
    const response = await fetcher(health_url, { headers, signal, redirect: "manual" });
    void response.body?.cancel().catch(() => {});
    return response.ok ? {} : `status ${response.status}`;
  });
}
