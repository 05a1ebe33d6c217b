// One request to a service that runs programs: sends a program and one test, receives the test's status.
// Independent of slots, retries and rewards.
import { ASSERTING, type RunStatus } from "../../core/judges/test-runs.ts";
import { examine, type Step, statusOf } from "../../core/wire/examination.ts";
import type { VerifierJob } from "../../core/wire/questions.ts";
import type { Ran, SandboxApi, SandboxRun } from "../../core/wire/sandbox-apis.ts";
import type { TestMemory } from "../../core/wire/test-memory.ts";
import { withTimeout } from "../../platform/waiting.ts";
import type { Health } from "../../ports/ports.ts";
import { type Endpoint, exchangeDocument } from "../fan-out/exchange.ts";
import { healthOf } from "../fan-out/health-check.ts";
import { type AttemptResult, outcome, replied } from "../fan-out/refusal.ts";

export interface SandboxEndpoint extends Endpoint {
  /** URL of the health check. */
  health_url: string;
  api: SandboxApi;
  memory: TestMemory;
}

/** Time allowed in addition to the run itself, for queueing and the network. */
const WAIT_MS = 60_000;

/** The inputs of one test. */
interface TestOf {
  program: string;
  sample: number;
  job: Pick<VerifierJob, "runs">;
}

/**
 * Runs a program on one test and returns the test's status as an answer. Never rejects for a failure of
 * the service, the network or the program. A failure of the service is an error; a failure of the
 * program is a status.
 */
export async function runTest(
  endpoint: SandboxEndpoint,
  { program, sample, job }: TestOf,
  session: AbortSignal,
  onHeaders: (accepted: boolean) => void = () => {},
): Promise<AttemptResult> {
  const { runs } = job;
  const testCase = runs?.cases[sample];
  if (runs === undefined || testCase === undefined) throw new TypeError("a sandbox question must have a test case");
  const { language, timeout_ms } = runs;
  const { assert, stdin = "", stdout = "", tolerance = runs.tolerance } = testCase;
  const exchange = new Exchange(endpoint, session);
  if (assert === undefined) {
    const ran = await exchange.run({ code: program.toWellFormed(), language, stdin, timeout_ms }, onHeaders);
    return exchange.failed ?? answeredBy(statusOf(ran, stdout, tolerance));
  }
  const interpreter = ASSERTING.find((name) => name === language);
  if (interpreter === undefined) throw new TypeError("asserts are not supported in this language");
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
  // All requests of a test share one slot for requests that wait for headers.
  onHeaders(exchange.failed === null || exchange.failed.refusal === null);
  if (exchange.failed !== null || step.done !== true) return exchange.failed ?? outcome("sandbox_failed");
  return answeredBy(step.value?.status ?? null);
}

/**
 * `unknown` means that the test cannot be evaluated from outside the program, so it says nothing about
 * the program.
 */
function answeredBy(status: RunStatus | "unknown" | null): AttemptResult {
  return status === null || status === "unknown" ? outcome("sandbox_failed") : replied(status);
}

/** The sequential requests of one test. */
class Exchange {
  /** The failure of a request; null while all have succeeded. */
  failed: AttemptResult | null = null;
  readonly #endpoint: SandboxEndpoint;
  readonly #session: AbortSignal;

  constructor(endpoint: SandboxEndpoint, session: AbortSignal) {
    this.#endpoint = endpoint;
    this.#session = session;
  }

  /**
   * Runs one step. Results of the test's own code are memoised, since they are the same for every
   * program.
   */
  async step(step: Step): Promise<Ran> {
    const { memory } = this.#endpoint;
    const ran = memory.get(step) ?? (await this.run(step.run));
    memory.set(step, ran);
    return ran;
  }

  async run(run: SandboxRun, onHeaders: (accepted: boolean) => void = () => {}): Promise<Ran> {
    const { api, clock } = this.#endpoint;
    const body = JSON.stringify(api.body(run));
    // Compiling and running each have the full time limit.
    const came = await withTimeout(clock, 2 * run.timeout_ms + WAIT_MS, (late) => {
      const signal = AbortSignal.any([this.#session, late]);
      return exchangeDocument(this.#endpoint, { body, signal, onHeaders, explains: body });
    });
    if (came.failed === null) return ranIn(api, came.reply) ?? this.#fail(outcome("verifier_bad_reply"));
    // Only the program's output can make a reply that long.
    if (came.overlong === true) return { end: "exit", exit_code: 1, stdout: "", stderr: "too much output" };
    return this.#fail(came.failed);
  }

  #fail(failed: AttemptResult): Ran {
    this.failed = failed;
    return { end: "infra", exit_code: 1, stdout: "", stderr: "" };
  }
}

/** Reads the run from a reply; null if the reply does not have the format of the API. */
function ranIn(api: SandboxApi, document: string): Ran | null {
  try {
    return api.read(JSON.parse(document));
  } catch {
    return null;
  }
}

/** Checks whether the service responds (see Verifier.check). Runs no program. */
export function checkSandbox({ health_url, headers, fetch: fetcher, clock }: SandboxEndpoint): Promise<Health> {
  return healthOf(clock, async (signal) => {
    const response = await fetcher(health_url, { headers, signal, redirect: "manual" });
    void response.body?.cancel().catch(() => {});
    return response.ok ? {} : `status ${response.status}`;
  });
}
