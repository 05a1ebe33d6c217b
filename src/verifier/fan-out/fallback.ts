// Ordered failover: combines several verifiers into one. Questions that a backend could not answer because it
// was unavailable go to the next backend. Independent of protocols.

import type { JobQuestion } from "../../core/asking/questions.ts";
import { LIMITS } from "../../core/faults/limits.ts";
import { createHeaderSlots } from "../../core/wire/header-slots.ts";
import type { BackendStatus, Generation, SessionStats, VerifierJob } from "../../core/wire/questions.ts";
import type { Clock, Health, Verifier, VerifierCall, VerifierSession } from "../../ports/ports.ts";
import { openRuns } from "./open-runs.ts";
import { type StartTimer, startTimer } from "./stall-watchdog.ts";

/**
 * Failures of the backend rather than of the question, the deadline or the answer. Another backend may
 * answer the question.
 */
const HANDED_ON: ReadonlySet<Generation["error"]> = new Set([
  "verifier_unavailable",
  "verifier_overloaded",
  "verifier_misconfigured",
]);

/**
 * Combines backends, in order of preference, into one verifier.
 *
 * - Within the deadline, each sample is asked of one backend after another until one answers; an answer
 *   that cannot be parsed counts as an answer. A later backend's session is opened only when needed.
 * - A backend that is silent for its share of the remaining time (half if one more backend is left, a
 *   third if two are) is abandoned.
 * - Samples that the last backend failed to answer return to the first after a pause, round after round
 *   until the deadline, if there is one.
 * - A call that names a model starts with the backends configured with that model. A call with
 *   `strict_model` stays with the first backend.
 *
 * A single backend is returned unchanged.
 */
export function createFallbackVerifier(
  verifiers: readonly [Verifier, ...Verifier[]],
  clock: Clock,
  schedule: StartTimer = startTimer(clock),
): Verifier {
  const [first, ...rest] = verifiers;
  if (rest.length === 0) return first;
  return {
    protocol: first.protocol,
    ...(first.takes !== undefined && { takes: first.takes }),
    imageless: verifiers.flatMap(({ imageless = [] }) => imageless),
    programs_only: verifiers.every(({ programs_only }) => programs_only === true),
    simulated: verifiers.every(({ simulated }) => simulated === true),
    generations_max: Math.min(...verifiers.map(({ generations_max }) => generations_max)),
    backends: () => verifiers.flatMap((verifier) => verifier.backends?.() ?? []),
    probed: () => verifiers.flatMap((verifier) => verifier.probed?.() ?? []),
    check: () => checkAll(verifiers),
    requestCost: (job, lengths) => first.requestCost?.(job, lengths) ?? {},
    session(call) {
      const order = inOrderFor(call.model, verifiers);
      return call.strict_model === true ? order[0].session(call) : fallbackSession(order, call, clock, schedule);
    },
  };
}

/** Backends configured with the requested model first, then the others. */
function inOrderFor(
  asked: string | null,
  verifiers: readonly [Verifier, ...Verifier[]],
): readonly [Verifier, ...Verifier[]] {
  const serves = ({ model }: Verifier) => asked !== null && model === asked;
  return [...verifiers.filter(serves), ...verifiers.filter((verifier) => !serves(verifier))] as [
    Verifier,
    ...Verifier[],
  ];
}

/** How long a backend may be silent before the next is asked, ms; undefined for the last backend. */
function silenceMs(standing_by: number, { deadline_at }: VerifierCall, clock: Clock): { silence_ms?: number } {
  if (standing_by === 0) return {};
  const share_ms =
    deadline_at === undefined ? Number.POSITIVE_INFINITY : (deadline_at - clock.now()) / (standing_by + 1);
  return { silence_ms: Math.min(LIMITS.fallback_silence_ms, Math.max(0, share_ms)) };
}

/**
 * Pause between two rounds: as long as a breaker stays open, so that a recovered backend is found within
 * a second.
 */
const ROUND_PAUSE_MS = LIMITS.breaker_open_ms;

/**
 * Waits between two rounds.
 * @returns whether there is time for another round
 */
function pause({ signal, deadline_at = 0 }: VerifierCall, clock: Clock, schedule: StartTimer): Promise<boolean> {
  if (signal.aborted || clock.now() + ROUND_PAUSE_MS >= deadline_at) return Promise.resolve(false);
  return new Promise((resolve) => {
    const end = () => {
      unschedule();
      signal.removeEventListener("abort", end);
      resolve(!signal.aborted);
    };
    const unschedule = schedule(end, ROUND_PAUSE_MS);
    signal.addEventListener("abort", end);
  });
}

function fallbackSession(
  verifiers: readonly Verifier[],
  call: VerifierCall,
  clock: Clock,
  schedule: StartTimer,
): VerifierSession {
  /**
   * Sessions in the order in which backends are asked, over all rounds. Every round opens new sessions,
   * because one that has abandoned its backend is not used again.
   */
  const sessions: VerifierSession[] = [];
  const header_slots = createHeaderSlots();
  const open = (at: number): VerifierSession => {
    const place = at % verifiers.length;
    const patience = silenceMs(verifiers.length - 1 - place, call, clock);
    sessions[at] ??= (verifiers[place] as Verifier).session({ ...call, hand_on: true, header_slots, ...patience });
    return sessions[at];
  };
  open(0);
  /** Number of samples asked for but not yet reported, including those whose requests may still be sent. */
  let awaited = 0;

  /** Whether `count` more requests, with their retries, fit within a Worker's subrequest limit. */
  function fits(count: number): boolean {
    const { requests } = totalStats(sessions.map(({ stats }) => stats));
    const retries = Math.max(LIMITS.retry_budget_floor, (count * LIMITS.retry_budget_percent) / 100);
    return requests + awaited + count + retries <= LIMITS.subrequests_max;
  }

  async function judge(job: VerifierJob, sink: (generation: Generation) => void, at: number): Promise<void> {
    const session = open(at);
    const isLast = (at + 1) % verifiers.length === 0;
    const isEnd = isLast && call.deadline_at === undefined;
    const left: Generation[] = [];
    for (const { samples } of job.questions) awaited += samples;
    await session.judge(job, (generation) => {
      awaited--;
      // Waiting cannot fix a wrong setting: no further round after the last backend.
      const settled = isLast && generation.error === "verifier_misconfigured";
      if (!isEnd && !settled && HANDED_ON.has(generation.error)) left.push(generation);
      else sink(generation);
    });
    if (left.length === 0) return;
    const goesOn = isLast ? await pause(call, clock, schedule) : !call.signal.aborted;
    if (!goesOn || !fits(left.length)) {
      for (const generation of left) sink(generation);
      return;
    }
    const rest = restOf(job, left);
    await judge(rest.job, (generation) => sink({ ...generation, question: rest.idOf(generation.question) }), at + 1);
  }

  return {
    judge: (job, sink) => judge(job, sink, 0),
    get stats() {
      return totalStats(sessions.map(({ stats }) => stats));
    },
  };
}

/** Reduces the job to the samples in `left`, and returns the original id of each new question. */
function restOf(job: VerifierJob, left: readonly Generation[]) {
  const keys = new Set(left.map(({ question, sample }) => `${question}.${sample}`));
  const ids: number[] = [];
  const questions = job.questions.flatMap((question) => {
    const { id, first_sample = 0 } = question;
    const runs = openRuns(question, (place) => keys.has(`${id}.${first_sample + place}`));
    return runs.map(({ first, samples, majority }): JobQuestion => {
      ids.push(id);
      const stop = majority ? "majority" : "all";
      return { ...question, id: ids.length - 1, samples, first_sample: first, stop };
    });
  });
  return { job: { ...job, questions }, idOf: (id: number) => ids[id] as number };
}

/** Combines the counts of several sessions: sums for some fields, maxima for the others. */
export function totalStats(all: readonly SessionStats[]): SessionStats {
  const max = (field: "headers_waiting_max" | "in_flight_max") => Math.max(0, ...all.map((stats) => stats[field]));
  const sum = (field: "requests" | "retries") => all.reduce((total, stats) => total + stats[field], 0);
  const headers_ms = all.flatMap((stats) => stats.headers_ms ?? []);
  return {
    headers_waiting_max: max("headers_waiting_max"),
    in_flight_max: max("in_flight_max"),
    requests: sum("requests"),
    retries: sum("retries"),
    ...(headers_ms.length > 0 && { headers_ms: Math.max(...headers_ms) }),
  };
}

/**
 * Combined health check. `any`: ready if at least one backend is, since failover covers the others;
 * `every`: ready only if all are. Latency is that of the first healthy backend.
 */
export async function checkAll(verifiers: readonly Verifier[], needed: "any" | "every" = "any"): Promise<Health> {
  const checks = await Promise.all(verifiers.map((verifier) => verifier.check()));
  const backends = checks.flatMap((health, at) => {
    const { name, breaker } =
      (verifiers[at]?.backends?.() ?? [])[0] ??
      ({ name: `${at + 1}`, breaker: "closed" } as Pick<BackendStatus, "name" | "breaker">);
    const { ok, latency_ms, detail } = health;
    return { name, breaker, ok, latency_ms, ...(detail !== undefined && { detail }) };
  });
  const enough = needed === "any" || checks.every(({ ok }) => ok);
  const serving = enough ? checks.find(({ ok }) => ok) : undefined;
  if (serving !== undefined) return { ...serving, backends };
  const detail = backends.map((backend) => `${backend.name}: ${backend.detail ?? "not serving"}`).join("; ");
  return { ok: false, latency_ms: Math.max(...checks.map(({ latency_ms }) => latency_ms)), detail, backends };
}
