// Owns how long each foreign contract may take: 80 % of what its clients wait, so that our answer
// comes before their give-up. Knows no route.
import { LIMITS } from "../../core/faults/limits.ts";

/**
 * What a contract's clients wait, ms; null where they set no limit of their own and the native
 * default holds. Sources: cohere SDKs' default time-out; ms-swift's GenRM example for the chat
 * judge (the openai SDK itself waits 600 s); the time-outs in OpenRLHF's and slime's reward
 * clients; verifiers' default request time-out for NeMo-Gym's /verify; verl's rate_limited manager;
 * eval-protocol's preview.
 */
export const CLIENT_WAIT_MS = {
  cohere_rerank: 300_000,
  bare_rerank: null,
  score: null,
  classify: null,
  score_batch: null,
  chat_completions: 120_000,
  openrlhf: 180_000,
  slime: 120_000,
  nemo_gym: 60_000,
  verl: 300_000,
  eval_protocol: 30_000,
} as const satisfies Record<string, number | null>;

export type ContractName = keyof typeof CLIENT_WAIT_MS;

/**
 * Contracts whose clients have no time-out or one that is a setting: a longer deadline that is
 * asked for is believed.
 */
const SETTABLE: ReadonlySet<ContractName> = new Set(["nemo_gym", "verl", "eval_protocol"]);

const MINUTE_MS = 60_000;

/**
 * How long a client may come back with the very same sample, ms: tries times time-out and pauses.
 * OpenRLHF: 5 x 181 s. slime: 10 x 120 s and back-off up to 31 s. NeMo-RL: 5 dispatches of 60 s,
 * doubled for what lies between. verl, eval-protocol: callers' own loops.
 */
export const RETRY_HORIZON_MS = {
  openrlhf: 16 * MINUTE_MS,
  slime: 24 * MINUTE_MS,
  nemo_gym: 10 * MINUTE_MS,
  verl: 10 * MINUTE_MS,
  eval_protocol: 2 * MINUTE_MS,
} as const satisfies Partial<Record<ContractName, number>>;

/** Contracts that send one sample a request, so that its group has to be gathered. */
export type SampleContract = keyof typeof RETRY_HORIZON_MS;

/**
 * How often a contract's clients ask, whatever the status. Those of 1 leave it to whoever wrote the
 * call; miles, with slime's route, asks once.
 */
export const TRIES: Record<SampleContract, number> = { openrlhf: 5, slime: 10, nemo_gym: 1, verl: 1, eval_protocol: 1 };

/**
 * Contracts whose clients open a connection for every sample; elsewhere a sample that waits may
 * hold the one that its group lacks.
 */
export const UNPOOLED: ReadonlySet<SampleContract> = new Set(["openrlhf"]);

const SHARE = 0.8;

/**
 * The contract's deadline in ms; `asked` (the URL's or the body's deadline_ms) replaces it, but
 * never goes beyond a wait that clients cannot change.
 */
export function contractDeadline(contract: ContractName, asked: number | undefined): number {
  const wait = CLIENT_WAIT_MS[contract];
  if (wait === null) return asked ?? LIMITS.deadline_ms_default;
  if (SETTABLE.has(contract)) return asked ?? wait * SHARE;
  return Math.min(wait * SHARE, asked ?? wait);
}
