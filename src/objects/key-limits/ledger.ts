// Parses KEY_LIMITS, and implements the ledger that grants or refuses a key's requests, as a pure state
// machine. Independent of storage, HTTP and clocks.

import { LIMITS } from "../../core/faults/limits.ts";
import type { Grant, KeyLimit, KeyLimitName, KeyUse, LimitState } from "../../ports/key-limits.ts";
import type { StoredChanges, StoredTotal } from "./stored-bytes.ts";

/** Name of the entry for all keys that have no separate entry. */
const EVERYONE = "*";

const ENTRY = /^(\*|[A-Za-z0-9._-]{1,64}):(\S+)$/;
const SETTING =
  /^(?:(rpm|tokens_per_day|log_rows_per_day|concurrency|stored_bytes)=(\d{1,15})|(usd_per_day)=(\d{1,9}(?:\.\d{1,6})?))$/;

/** Limits of a key that KEY_LIMITS does not mention. */
const DEFAULTS: KeyLimit = {
  rpm: null,
  tokens_per_day: null,
  usd_per_day: null,
  log_rows_per_day: LIMITS.log_rows_per_day,
  concurrency: null,
  stored_bytes: LIMITS.stored_bytes,
};

/**
 * Parses strings such as `trainer:rpm=600,usd_per_day=2.50,concurrency=8;*:rpm=60`. Numbers are integers of
 * at least 1, dollar amounts are above 0, and `*` matches every key that is not named.
 * @throws RangeError for malformed input
 */
export function parseKeyLimits(text: string): ReadonlyMap<string, KeyLimit> {
  const limits = new Map<string, KeyLimit>();
  const entries = text.split(/[;\s]+/).filter((entry) => entry !== "");
  if (entries.length > LIMITS.keys_max) throw new RangeError("too many keys");
  for (const entry of entries) {
    const [, name = "", settings = ""] = ENTRY.exec(entry) ?? [];
    if (name === "" || limits.has(name)) throw new RangeError("not a key with limits, or a duplicate key");
    limits.set(name, parseSettings(settings));
  }
  return limits;
}

function parseSettings(text: string): KeyLimit {
  const limit: Partial<Record<KeyLimitName, number>> = {};
  for (const setting of text.split(",")) {
    const [, counted, digits, priced, dollars] = SETTING.exec(setting) ?? [];
    const name = counted ?? priced;
    const value = Number(digits ?? dollars);
    if (name === undefined || value === 0 || limit[name as KeyLimitName] !== undefined)
      throw new RangeError("not a limit");
    limit[name as KeyLimitName] = value;
  }
  return { ...DEFAULTS, ...limit };
}

/**
 * The limits of a key: its own entry, otherwise the entry `*`, otherwise the defaults. Without API keys, all
 * callers share the limits of `*`.
 */
export function limitOf(limits: ReadonlyMap<string, KeyLimit>, key: string | null): KeyLimit {
  return (key === null ? undefined : limits.get(key)) ?? limits.get(EVERYONE) ?? DEFAULTS;
}

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** A key's usage, as plain data that can be stored as is. */
export interface LedgerState {
  minute: number;
  requests: number;
  day: number;
  tokens: number;
  usd: number;
  log_rows: number;
  /** Running requests by lease, with the time (ms since the epoch) at which each lease expires. */
  leases: Record<string, number>;
}

export const EMPTY_LEDGER: LedgerState = {
  minute: 0,
  requests: 0,
  day: 0,
  tokens: 0,
  usd: 0,
  log_rows: 0,
  leases: {},
};

/** Usage since the last call: the leases of ended requests, and what the requests consumed. */
export interface Spending extends KeyUse {
  ended: readonly string[];
}

/**
 * Adds the spending to the state, and drops expired windows and leases.
 * @param now ms since the epoch
 */
export function settled(state: LedgerState, { ended, tokens, usd, log_rows }: Spending, now: number): LedgerState {
  const minute = Math.floor(now / MINUTE_MS);
  const day = Math.floor(now / DAY_MS);
  const gone = new Set(ended);
  const open = Object.entries(state.leases).filter(([lease, until]) => until > now && !gone.has(lease));
  return {
    minute,
    requests: state.minute === minute ? state.requests : 0,
    day,
    tokens: (state.day === day ? state.tokens : 0) + tokens,
    usd: (state.day === day ? state.usd : 0) + usd,
    log_rows: (state.day === day ? state.log_rows : 0) + log_rows,
    leases: Object.fromEntries(open),
  };
}

/** Limits checked before a request's body is read. */
type RequestLimit = Exclude<KeyLimitName, "stored_bytes">;

/**
 * Grants or refuses one request under `lease`. `state` must come from `settled`. Refused requests are not
 * counted. Tokens, dollars and rows are known only after scoring, so requests are refused once the day's
 * quota is used up, and the last granted request may exceed the quota. Windows are UTC minutes and days.
 */
export function grant(
  state: LedgerState,
  limit: KeyLimit,
  lease: string,
  now: number,
): { state: LedgerState; grant: Grant } {
  const used: Record<RequestLimit, number> = {
    rpm: state.requests,
    tokens_per_day: state.tokens,
    usd_per_day: state.usd,
    log_rows_per_day: state.log_rows,
    concurrency: Object.keys(state.leases).length,
  };
  const names: readonly RequestLimit[] = ["rpm", "tokens_per_day", "usd_per_day", "log_rows_per_day", "concurrency"];
  const refused_by = names.find((name) => limit[name] !== null && used[name] >= limit[name]) ?? null;
  const taken = refused_by === null ? 1 : 0;
  const resets: Record<RequestLimit, number | null> = {
    rpm: secondsLeft(now, MINUTE_MS),
    tokens_per_day: secondsLeft(now, DAY_MS),
    usd_per_day: secondsLeft(now, DAY_MS),
    log_rows_per_day: secondsLeft(now, DAY_MS),
    concurrency: null,
  };
  const limits = names.flatMap((name): LimitState[] => {
    const quota = limit[name];
    // The default limit for log rows is reported only if it is the reason for the refusal.
    const stated = name !== "log_rows_per_day" || quota !== DEFAULTS[name] || refused_by === name;
    if (quota === null || !stated) return [];
    const spent = used[name] + (name.endsWith("_per_day") ? 0 : taken);
    return [{ limit: name, quota, remaining: Math.max(0, quota - spent), reset_s: resets[name] }];
  });
  const retry_after_s = refused_by === null ? 0 : (resets[refused_by] ?? 1);
  if (refused_by !== null) return { state, grant: { refused_by, retry_after_s, limits } };
  const leases = limit.concurrency === null ? state.leases : { ...state.leases, [lease]: now + LIMITS.key_lease_ms };
  return { state: { ...state, requests: state.requests + 1, leases }, grant: { refused_by, retry_after_s, limits } };
}

/** Adds a lease until `until`, even if the limit is reached: the request was already granted. */
export function held(state: LedgerState, lease: string, until: number): LedgerState {
  return { ...state, leases: { ...state.leases, [lease]: until } };
}

const secondsLeft = (now: number, window_ms: number) => Math.ceil((window_ms - (now % window_ms)) / 1000);

/** RPC methods of the Durable Object that counts a key's usage. */
export interface CountersStub {
  /** Records the spending, then grants or refuses the request under `lease`. */
  ask(limit: KeyLimit, lease: string, spending: Spending): Promise<Grant>;
  /** Records the spending. Returns the number of run-log rows recorded today. */
  book(spending: Spending): Promise<number>;
  /** Records the spending, then holds the lease until it is ended, at most until `until` (ms since epoch). */
  holdLease(lease: string, until: number, spending: Spending): Promise<void>;
  /** Records added and released bytes in storage. Returns the key's total. */
  store(changes: StoredChanges): Promise<StoredTotal>;
}

/** The part of a Durable Object namespace used here. */
export interface CountersNamespace {
  getByName(name: string): CountersStub;
}
