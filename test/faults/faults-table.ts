// The table of faults: what the simulator is asked to do, and what each verifier adapter must make of it.
import type { FaultName } from "../../gpu-backend/engines/simulator/faults.ts";
import type { ItemErrorCode } from "../../src/core/faults/errors.ts";
import { LIMITS } from "../../src/core/faults/limits.ts";

export const PROTOCOLS = ["openai", "verify"] as const;
export type Protocol = (typeof PROTOCOLS)[number];

/** Requests that one struck question may cost the backend, its first included. */
interface Cost {
  least: number;
  most: number;
}

export interface FaultCase {
  /** The fault's name in the issue. */
  name: string;
  /** The simulator's fault with its options. */
  fault: FaultName | `${FaultName};${string}`;
  deadline_ms: number;
  /** Why the struck comparisons brought no verdict; null: they did, in the end. */
  code: ItemErrorCode | null;
  cost: Cost;
  /**
   * The struck rollout is known as the cause: it loses, and the others are rewarded as without it.
   */
  blamed?: true;
  /** Where the gateway, which may ask again what broke off, differs. */
  verify?: { code?: ItemErrorCode | null; cost?: Cost };
}

const PATIENT_MS = 60_000;
/** For faults that only a deadline can end; faults.test.ts doubles one that came too soon. */
const SHORT_MS = 1_000;
/** The same where the struck questions are asked again meanwhile. */
const RETRIED_MS = 5_000;

const once: Cost = { least: 1, most: 1 };
const twice: Cost = { least: 2, most: 2 };
/**
 * Again and again until a deadline of RETRIED_MS: both struck questions share a burst of 20 retries
 * and 2 a second.
 */
const untilDeadline: Cost = { least: 3, most: 17 };
/**
 * Until the question counts as the culprit: `question_failures_max`. A request over a kept
 * connection that breaks may come on top.
 */
const blamed: Cost = { least: LIMITS.question_failures_max, most: LIMITS.question_failures_max };

/**
 * Whoever sends to the engine asks again: the edge through `openai`, the gateway through `verify`,
 * which the deadline finds waiting.
 */
export const FAULT_CASES: readonly FaultCase[] = [
  { name: "429 without Retry-After", fault: "429", deadline_ms: PATIENT_MS, code: null, cost: twice },
  {
    name: "429 with Retry-After",
    fault: "429-retry-after;seconds=1",
    deadline_ms: PATIENT_MS,
    code: null,
    cost: twice,
  },
  {
    name: "429 with a Retry-After beyond the deadline",
    fault: "429-retry-after;seconds=20",
    deadline_ms: SHORT_MS,
    code: "verifier_overloaded",
    cost: once,
  },
  {
    name: "a single 500",
    fault: "500",
    deadline_ms: PATIENT_MS,
    code: null,
    cost: twice,
  },
  {
    name: "persistent 503",
    fault: "503",
    deadline_ms: RETRIED_MS,
    code: "verifier_overloaded",
    cost: untilDeadline,
    verify: { code: "deadline" },
  },
  { name: "connection reset", fault: "reset", deadline_ms: PATIENT_MS, code: null, cost: twice },
  {
    name: "connection reset for ever",
    fault: "reset;times=0",
    deadline_ms: RETRIED_MS,
    code: "verifier_unavailable",
    cost: untilDeadline,
    verify: { code: "deadline" },
  },
  { name: "no answer", fault: "no-answer", deadline_ms: SHORT_MS, code: "deadline", cost: once },
  {
    name: "20 s to the first token (1.5 s here)",
    fault: "slow-first-token;delay_ms=1500",
    deadline_ms: PATIENT_MS,
    code: null,
    cost: once,
  },
  {
    name: "stream cut",
    fault: "cut-stream",
    deadline_ms: RETRIED_MS,
    code: "verifier_unavailable",
    cost: untilDeadline,
    verify: { code: "deadline" },
  },
  {
    name: "stream ended early in good order",
    fault: "ended-stream",
    deadline_ms: PATIENT_MS,
    code: "verifier_bad_reply",
    cost: blamed,
  },
  { name: "stream stalled", fault: "stalled-stream", deadline_ms: SHORT_MS, code: "deadline", cost: once },
  {
    name: "malformed stream",
    fault: "malformed-stream",
    deadline_ms: PATIENT_MS,
    code: "verifier_bad_reply",
    cost: blamed,
  },
  { name: "missing end marker", fault: "missing-done", deadline_ms: PATIENT_MS, code: null, cost: once },
  {
    name: "400, context too long",
    fault: "context-too-long",
    deadline_ms: PATIENT_MS,
    code: "context_exceeded",
    blamed: true,
    cost: once,
  },
  {
    name: "content filter",
    fault: "content-filter",
    deadline_ms: PATIENT_MS,
    code: "content_filtered",
    blamed: true,
    cost: once,
  },
  {
    name: "flapping (down for two questions, up for two, in place of 60 s)",
    fault: "flapping;period=2",
    deadline_ms: PATIENT_MS,
    code: null,
    cost: twice,
  },
  { name: "wrong usage", fault: "wrong-usage", deadline_ms: PATIENT_MS, code: null, cost: once },
  { name: "slow drip of one byte a second", fault: "slow-drip", deadline_ms: SHORT_MS, code: "deadline", cost: once },
];
