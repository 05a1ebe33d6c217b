// Ordered fallback: one verifier out of several, where questions that one could not answer because its
// backend was away go to the next. Must not know any protocol.

import type { JobQuestion } from "../../core/asking/questions.ts";
import { LIMITS } from "../../core/faults/limits.ts";
import { createHeaderSlots } from "../../core/wire/header-slots.ts";
import type { BackendStatus, Generation, SessionStats, VerifierJob } from "../../core/wire/questions.ts";
import type { Clock, Health, Verifier, VerifierCall, VerifierSession } from "../../ports/ports.ts";
import { openRuns } from "./open-runs.ts";
import { type StartTimer, setTimer } from "./stall-watchdog.ts";

/**
 * Failures of the backend and not of the question, the time or the answer: what one backend failed
 * by so, another may answer.
 */
const HANDED_ON: ReadonlySet<Generation["error"]> = new Set([
  "verifier_unavailable",
  "verifier_overloaded",
  "verifier_misconfigured",
]);

/**
 * Backends in order of preference as one verifier; a session on the second is opened only when the
 * first has left something. Within what is left of the deadline each sample is asked of one backend
 * after another until one answers; an answer that cannot be parsed is an answer. A backend that is
 * silent for its share of what is left (half where one more stands by, a third where two do) is
 * given up. What the last one failed at goes to the first again after a pause, round after round
 * until the deadline, where that is known. A call that names a model begins with the backends that
 * are configured with it. A call with `strict_model` stays with the first. One backend alone is
 * returned as it is.
 */
export function createFallbackVerifier(
  verifiers: readonly [Verifier, ...Verifier[]],
  clock: Clock,
  schedule: StartTimer = setTimer,
): Verifier {
  const [first, ...rest] = verifiers;
  if (rest.length === 0) return first;
  return {
    protocol: first.protocol,
    ...(first.takes !== undefined && { takes: first.takes }),
    programs_only: verifiers.every(({ programs_only }) => programs_only === true),
    simulated: verifiers.every(({ simulated }) => simulated === true),
    generations_max: Math.min(...verifiers.map(({ generations_max }) => generations_max)),
    backends: () => verifiers.flatMap((verifier) => verifier.backends?.() ?? []),
    check: () => checkAll(verifiers),
    session(call) {
      const order = inOrderFor(call.model, verifiers);
      return call.strict_model === true ? order[0].session(call) : fallbackSession(order, call, clock, schedule);
    },
  };
}

/** Who is configured with the model that is asked for, then the others. */
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

/** How long a backend may say nothing before the next is asked, ms; undefined for the last one. */
function silenceMs(standing_by: number, { deadline_at }: VerifierCall, clock: Clock): { silence_ms?: number } {
  if (standing_by === 0) return {};
  const share_ms =
    deadline_at === undefined ? Number.POSITIVE_INFINITY : (deadline_at - clock.now()) / (standing_by + 1);
  return { silence_ms: Math.min(LIMITS.fallback_silence_ms, Math.max(0, share_ms)) };
}

/**
 * Between two rounds: as long as a breaker stays open, so that a backend that is back is found
 * within a second.
 */
const ROUND_PAUSE_MS = LIMITS.breaker_open_ms;

/** Waits out the pause between two rounds. @returns whether there is time for another round */
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
   * By how many backends were asked before, over all rounds: a session that gave a backend up asks
   * it nothing more.
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
  /**
   * Samples that a backend was asked for and has not reported; requests that may yet be sent are
   * among them.
   */
  let awaited = 0;

  /**
   * Whether this many further requests, with their retries, fit the subrequests that a Worker may send for
   * one request.
   */
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
      // Time mends no setting: after the last backend no further round is waited for.
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

/** The job's samples that were `left`, and the job's own id of each of its questions. */
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

/** The counts of several sessions together. */
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
 * Ready while any backend is: that is what a fallback is for; or only when every one is. The first
 * that works gives the latency.
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
