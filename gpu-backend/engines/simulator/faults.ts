// Fault injection: the names and options of the faults that a question can request, and when they apply.
import { hashText } from "../../../src/core/math/random.ts";

/** Each fault with its default number of failed attempts per request body (0: all). */
const TIMES = {
  "429": 1,
  "429-retry-after": 1,
  "500": 1,
  "503": 0,
  "context-too-long": 0,
  reset: 1,
  "no-answer": 0,
  "slow-first-token": 0,
  "cut-stream": 0,
  "ended-stream": 0,
  "stalled-stream": 0,
  "malformed-stream": 0,
  "missing-done": 0,
  "slow-drip": 0,
  "content-filter": 0,
  "wrong-usage": 0,
  flapping: 0,
} as const;

export type FaultName = keyof typeof TIMES;
export const FAULT_NAMES = Object.keys(TIMES) as FaultName[];

export interface Fault {
  name: FaultName;
  /** Number of first attempts per request body that fail; 0: all. */
  times: number;
  /** Share of request bodies that are affected, chosen by hash. */
  share: number;
  /** Stream faults: events with text before the fault occurs. */
  after: number;
  /**
   * Delay in real milliseconds: before the first event (`slow-first-token`) or before each byte
   * (`slow-drip`).
   */
  delay_ms: number;
  /** `429-retry-after`: value of the header, in seconds. */
  seconds: number;
  /** `flapping`: this many questions are rejected with 503, then this many are served, alternately. */
  period: number;
}

const OPTIONS = ["times", "share", "after", "delay_ms", "seconds", "period"] as const;
const FIRST_TOKEN_MS = 5_000;
const BYTE_MS = 1_000;
const MARK = "+fault:";
/**
 * A line comment in the question or in a candidate that requests a fault, so that a test can target a single
 * comparison.
 */
const LABEL = /(?:#|\/\/|--)[^\S\n]*simulator_fault=(\S+)/;
const BODIES_MAX = 65_536;

/**
 * Parses `NAME` or `NAME;option=number;…`.
 * @throws RangeError for an unknown name or option, or a value below 0
 */
export function parseFault(text: string): Fault {
  const [name = "", ...settings] = text.split(";").map((part) => part.trim());
  if (!Object.hasOwn(TIMES, name)) throw new RangeError(`unknown fault; the faults are: ${FAULT_NAMES.join(", ")}`);
  const known = name as FaultName;
  const delay_ms = known === "slow-drip" ? BYTE_MS : FIRST_TOKEN_MS;
  const fault: Fault = { name: known, times: TIMES[known], share: 1, after: 2, delay_ms, seconds: 1, period: 4 };
  for (const setting of settings) {
    const [key = "", value = ""] = setting.split("=");
    const option = OPTIONS.find((candidate) => candidate === key);
    const number = value.trim() === "" ? Number.NaN : Number(value);
    if (option === undefined) throw new RangeError(`unknown fault option; the options are: ${OPTIONS.join(", ")}`);
    if (!(number >= 0)) throw new RangeError(`fault option ${option} must be a number, at least 0`);
    fault[option] = number;
  }
  return fault;
}

/** Splits a model name into the model and its fault suffix, which is null if there is none. */
export function splitModel(name: string): { model: string; fault: string | null } {
  const at = name.indexOf(MARK);
  return at < 0 ? { model: name, fault: null } : { model: name.slice(0, at), fault: name.slice(at + MARK.length) };
}

/** The fault requested in the prompt; null if there is none. */
export function labelledFault(text: string): string | null {
  return LABEL.exec(text)?.[1] ?? null;
}

/** Remembers previous attempts, for faults that depend on them. */
export class FaultBook {
  readonly #attempts = new Map<string, number>();
  #flaps = 0;

  /** Whether the fault applies to this question. Counts an attempt at this request body. */
  strikes(fault: Fault, body: string): boolean {
    const hash = hashText("fault", body);
    if (hash[0] / 4_294_967_296 >= fault.share) return false;
    if (fault.name === "flapping") return Math.floor(this.#flaps++ / Math.max(1, fault.period)) % 2 === 0;
    if (fault.times === 0) return true;
    const key = hash.join();
    const attempt = (this.#attempts.get(key) ?? 0) + 1;
    this.#attempts.delete(key);
    this.#attempts.set(key, attempt);
    if (this.#attempts.size > BODIES_MAX) this.#attempts.delete(this.#attempts.keys().next().value as string);
    return attempt <= fault.times;
  }
}
