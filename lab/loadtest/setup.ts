// Turns flags into a plan: workload, endpoints, arrivals. Asks the engine for its model's name, and nothing
// else of anyone.

import { FlagFault } from "../../gpu-backend/flags.ts";
import { canonicalJson } from "../../src/core/contract/canonical-json.ts";
import { authorization } from "../../src/core/wire/chat-endpoint.ts";
import { sha256Hex } from "../../src/platform/sha256.ts";
import type { Arrivals } from "./arrivals.ts";
import { LOADTEST_LIMITS } from "./flag-schemas.ts";
import type { FlagValues } from "./flag-table.ts";
import type { Workload } from "./kinds/item.ts";
import { BODIES, baseUrl, type KindName, worksFor } from "./kinds/table.ts";
import { sweepRates } from "./knee.ts";
import type { Endpoint, RunPlan } from "./run.ts";
import type { Summary } from "./summary-schema.ts";
import { readTraceFile } from "./workload/file.ts";
import type { Shape } from "./workload/shape.ts";
import { loadWorkload } from "./workload/source.ts";

/** A plan with what the summary says of its origins. */
export interface Setup {
  plan: RunPlan;
  summaryFields: Pick<Summary, "target" | "baseline" | "workload" | "load" | "cost" | "seed">;
}

const SYNTHETIC_GROUP_SIZE = 8;
const LIST_SIZE = 5;
const MODELS_TIMEOUT_MS = 10_000;

function workloadOf(flags: FlagValues): Workload {
  const listSize = flags.mode === "listwise" ? LIST_SIZE : null;
  const group_size = flags["group-size"] ?? listSize;
  const shape: Shape = {
    mode: flags.mode,
    samples: flags.samples,
    both_orders: flags["both-orders"],
    max_tokens: flags["max-tokens"] ?? null,
    groups_per_request: flags.groups,
    group_size,
    deadline_ms: Math.max(100, flags.timeout),
    marked: !flags["same-prompts"],
  };
  const rollouts = group_size ?? SYNTHETIC_GROUP_SIZE;
  const size = { groups: flags.items, rollouts, candidate_chars: flags["candidate-chars"] };
  return named("workload", flags.workload, (source) =>
    loadWorkload(BODIES[flags.kind], source, shape, size, flags.seed),
  );
}

/**
 * Reads what a flag names. @throws FlagFault for a file that cannot be read; else what `read`
 * throws
 */
function named<T>(flag: string, path: string, read: (path: string) => T): T {
  try {
    return read(path);
  } catch (fault) {
    const { code } = fault as NodeJS.ErrnoException;
    if (code === undefined) throw fault;
    throw new FlagFault(`--${flag} ${path} cannot be read (${code})`);
  }
}

type KeyFlag = "key-env" | "baseline-key-env";

/** The first model an engine lists. @throws Error that names the address */
async function firstModel(base_url: string, headers: Record<string, string>, key: KeyFlag): Promise<string> {
  const response = await fetch(`${base_url}/models`, { headers, signal: AbortSignal.timeout(MODELS_TIMEOUT_MS) }).catch(
    () => null,
  );
  if (response?.status === 401 || response?.status === 403)
    throw new Error(
      `${base_url}/models answered ${response.status}: set --${key} to the environment variable with its key`,
    );
  const list = (await response?.json().catch(() => null)) as { data?: { id?: unknown }[] } | null | undefined;
  const id = list?.data?.[0]?.id;
  if (typeof id === "string") return id;
  throw new Error(`${base_url}/models lists no model: check that the engine is up, or set --model`);
}

function keyHeaders(flag: KeyFlag, flags: FlagValues): Record<string, string> {
  const name = flags[flag];
  if (name === undefined) return {};
  const key = process.env[name];
  if (key === undefined || key === "") throw new FlagFault(`--${flag} ${name}: the variable is not set`);
  return authorization(key);
}

/**
 * The target's key goes to no other origin: whoever runs the baseline may not be the one it was
 * given by.
 */
function baselineKey({ target = "", baseline = "", ...flags }: FlagValues): KeyFlag {
  const isOne = new URL(target).origin === new URL(baseline).origin;
  return flags["baseline-key-env"] === undefined && isOne ? "key-env" : "baseline-key-env";
}

async function endpointOf(
  kind: KindName,
  url: string,
  key: KeyFlag,
  workload: Workload,
  flags: FlagValues,
): Promise<{ endpoint: Endpoint; summary: Summary["target"] }> {
  const base_url = baseUrl(kind, url);
  const headers = keyHeaders(key, flags);
  const model = kind === "engine" ? (flags.model ?? (await firstModel(base_url, headers, key))) : null;
  const works = worksFor(kind, workload, flags.timeout, model ?? "");
  return { endpoint: { base_url, headers, works }, summary: { url, kind, model, key_env: flags[key] ?? null } };
}

function arrivalsOf(flags: FlagValues): { at: (rate: number) => Arrivals; rates: number[] } {
  const { arrivals: process, shape, ramp, trace, sweep } = flags;
  if (process === "ramp" && ramp !== undefined) {
    const [from, to] = ramp;
    return { at: () => ({ process, from, to }), rates: [(from + to) / 2] };
  }
  if (process === "trace" && trace !== undefined) {
    const at_s = named("trace", trace, readTraceFile);
    const maxRequests = LOADTEST_LIMITS.slice_requests_max;
    const lasting_s = flags.warmup + flags.duration;
    const within = at_s.filter((at) => at < lasting_s).length;
    if (within > maxRequests)
      throw new FlagFault(
        `--trace ${trace}: ${within} arrivals in ${lasting_s} s exceed the limit of ${maxRequests} requests per slice`,
      );
    const rate = at_s.length / Math.max(1, at_s.at(-1) ?? 1);
    return { at: () => ({ process, at_s }), rates: [rate] };
  }
  const rates = sweep === undefined ? [flags.rate] : sweepRates(...sweep, flags["sweep-steps"]);
  const at = (rate: number): Arrivals =>
    process === "gamma" ? { process, rate, shape } : { process: process === "constant" ? process : "poisson", rate };
  return { at, rates };
}

/** @throws FlagFault or Error, whose message is for the user */
export async function setUp(flags: FlagValues): Promise<Setup> {
  const { kind, target = "", baseline, concurrency, seed } = flags;
  const baselineKind = flags["baseline-kind"];
  if (baseline !== undefined && BODIES[baselineKind] !== BODIES[kind])
    throw new FlagFault(`--baseline-kind ${baselineKind} cannot send the request bodies of --kind ${kind}`);
  const workload = workloadOf(flags);
  const measured = await endpointOf(kind, target, "key-env", workload, flags);
  const beside =
    baseline === undefined ? null : await endpointOf(baselineKind, baseline, baselineKey(flags), workload, flags);
  const { at, rates } = arrivalsOf(flags);
  const cost = {
    gpu_hour_price: flags["gpu-hour-price"] ?? null,
    gpus: flags.gpus,
    tokens_per_second: flags["tokens-per-second"] ?? null,
  };
  const loop = concurrency > 0 ? ("closed" as const) : ("open" as const);
  const lasting = { warmup_s: flags.warmup, duration_s: flags.duration, repeats: flags.repeats };
  const limits = { timeout_ms: flags.timeout, objective_ms: flags.objective };
  const sha256 = await sha256Hex(canonicalJson(workload.items));
  return {
    plan: {
      target: measured.endpoint,
      baseline: beside?.endpoint ?? null,
      loop,
      arrivalsAt: at,
      rates,
      concurrency,
      refine: flags.refine,
      ...lasting,
      ...limits,
      connections_max: flags.connections,
      slice_requests_max: LOADTEST_LIMITS.slice_requests_max,
      requests_max: flags["max-requests"],
      seconds_max: flags["max-seconds"],
      seed,
      cost,
    },
    summaryFields: {
      target: measured.summary,
      baseline: beside?.summary ?? null,
      seed,
      cost,
      load: { loop, arrivals: loop === "open" ? arrivalsText(at(rates[0] as number)) : null, ...lasting, ...limits },
      workload: {
        name: workload.name,
        of: workload.bodyType,
        items: workload.items.length,
        sha256,
        marked: !flags["same-prompts"] && workload.bodyType !== "verdicts",
      },
    },
  };
}

function arrivalsText(arrivals: Arrivals): string {
  if (arrivals.process === "gamma") return `gamma, shape ${arrivals.shape}`;
  if (arrivals.process === "ramp") return `ramp from ${arrivals.from} to ${arrivals.to} requests per second`;
  return arrivals.process === "trace" ? `trace of ${arrivals.at_s.length} arrivals` : arrivals.process;
}
