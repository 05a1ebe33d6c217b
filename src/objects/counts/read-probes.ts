// Runs the daily probes of what decision models read. The object that holds the deployment's totals decides
// who probes and keeps the outcomes, so that a model is probed once a day however many Workers and restarts.
import { faultLine } from "../../core/faults/fault-line.ts";
import type { Metrics } from "../../platform/counters.ts";
import type { Clock } from "../../ports/ports.ts";
import type { ProbedBackend, ReadProbe, ReadProbes, ReadStatus } from "../../ports/read-probes.ts";
import type { ObjectNamespace } from "../storage/reach.ts";
import type { Values } from "../storage/values.ts";
import { NAME } from "./remote.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Records of models that are no longer configured are deleted after this time. */
const FORGOTTEN_MS = 7 * DAY_MS;
const PREFIX = "probe:";

/** The probes of one model of a backend. Times are in ms since 1970. */
export interface ProbeRecord {
  key: string;
  claimed_at: number;
  /** Time from `claimed_at` to the next probe, ms. */
  wait_ms: number;
  /** Time of the last successful probe; null before the first. */
  at: number | null;
  depths: ReadProbe["depths"];
  /** Why the last probe failed; null if it succeeded. */
  error: ReadProbe["error"];
}

/** RPC methods of the object that keeps the outcomes. `now` is in ms since 1970. */
export interface ProbesStub {
  probes(): Promise<ProbeRecord[]>;
  /** True for one caller a day: that caller must probe, and pass the result to `keepProbe`. */
  claimProbe(key: string, now: number): Promise<boolean>;
  keepProbe(key: string, outcome: ReadProbe, now: number): Promise<void>;
}

const keyOf = ({ name, subject }: ProbedBackend): string => `${name}:${subject}`;

/** A clock that was set back must not postpone the next probe for long. */
const isDue = ({ claimed_at, wait_ms }: ProbeRecord, now: number): boolean => Math.abs(now - claimed_at) >= wait_ms;

/** Stores the outcomes in an object's values. All methods are synchronous, so that a claim is atomic. */
export function probeLedger(values: Values) {
  const records = () => Array.from(values.list<ProbeRecord>(PREFIX), ([, record]) => record);
  return {
    records,
    claim(key: string, now: number): boolean {
      for (const { key: old, claimed_at } of records()) {
        if (Math.abs(now - claimed_at) > FORGOTTEN_MS) values.delete(PREFIX + old);
      }
      const known = values.get<ProbeRecord>(PREFIX + key);
      if (known !== undefined && !isDue(known, now)) return false;
      const { at, depths, error } = known ?? { at: null, depths: [], error: null };
      // A probe that never ends, because its Worker was stopped, is repeated after an hour.
      values.set(PREFIX + key, { key, claimed_at: now, wait_ms: HOUR_MS, at, depths, error } satisfies ProbeRecord);
      return true;
    },
    keep(key: string, { depths, error, refused }: ReadProbe, now: number): void {
      const known = values.get<ProbeRecord>(PREFIX + key);
      if (known === undefined) return;
      const wait_ms = refused ? HOUR_MS : DAY_MS;
      const outcome = error === null ? { at: now, depths } : { at: known.at, depths: known.depths };
      values.set(PREFIX + key, { key, claimed_at: known.claimed_at, wait_ms, error, ...outcome } satisfies ProbeRecord);
    },
  };
}

/** Tokens up to which every word was read. */
function readTokens(depths: ReadProbe["depths"]): number {
  const unread = depths.findIndex(({ read }) => !read);
  return depths[(unread === -1 ? depths.length : unread) - 1]?.tokens ?? 0;
}

function statusOf({ name, model }: ProbedBackend, record: ProbeRecord | undefined, now: number): ReadStatus {
  const { at = null, depths = [], error = null } = record ?? {};
  const base = { backend: name, model, depths, error };
  if (at === null) return { ...base, at: null, age_s: null, read_tokens: null };
  const age_s = Math.max(0, Math.round((now - at) / 1_000));
  return { ...base, at: new Date(at).toISOString(), age_s, read_tokens: readTokens(depths) };
}

interface ProbingDeps {
  backends: readonly ProbedBackend[];
  namespace: ObjectNamespace<ProbesStub>;
  clock: Clock;
  metrics: Metrics;
  report: (line: Record<string, unknown>) => void;
}

export function createReadProbes({ backends, namespace, clock, metrics, report }: ProbingDeps): ReadProbes {
  const now = () => clock.date().getTime();
  const object = () => namespace.getByName(NAME);

  async function probe(backend: ProbedBackend): Promise<void> {
    const key = keyOf(backend);
    if (!(await object().claimProbe(key, now()))) return;
    const outcome = await backend.probe();
    await object().keepProbe(key, outcome, now());
    const { depths, error } = outcome;
    const whole = depths.every(({ read }) => read);
    metrics.add("kritai_read_probes_total", 1, { end: error !== null ? "failed" : whole ? "whole" : "less" });
    const judge = { backend: backend.name, model: backend.model };
    if (error !== null) report({ level: "warn", event: "read_probe_failed", ...judge, error });
    else if (!whole) {
      const tokens = { read_tokens: readTokens(depths), tokens: depths.at(-1)?.tokens ?? 0 };
      report({ level: "error", event: "judge_reads_less", ...judge, ...tokens });
    }
  }

  return {
    async status() {
      const records = new Map((await object().probes()).map((record) => [record.key, record]));
      const at = now();
      const last = backends.map((backend) => ({ backend, record: records.get(keyOf(backend)) }));
      return {
        reading: last.map(({ backend, record }) => statusOf(backend, record, at)),
        due: last.some(({ record }) => record === undefined || isDue(record, at)),
      };
    },
    async run() {
      const failed = (error: unknown) => report({ ...faultLine(error, "probe"), event: "read_probe_failed" });
      await Promise.all(backends.map((backend) => probe(backend).catch(failed)));
    },
  };
}
