// Defines what is asked during chaos: a pool of groups, and the ways in which clients ask for their rewards.
import { createRandom, hashText } from "../../src/core/math/random.ts";

export const KINDS = ["sync", "stream", "async", "rerank", "gathered"] as const;
export type Kind = (typeof KINDS)[number];

/** A prompt and its rollouts; the answers to it are the same whoever asks. */
export interface PoolGroup {
  prompt: string;
  texts: string[];
}

/** One thing a client wants to know. Its id names it in the log and as its Idempotency-Key. */
export interface Job {
  id: string;
  kind: Kind;
  groups: PoolGroup[];
}

const POOL_GROUPS = 48;
const ROLLOUTS = 4;
const GROUPS_MAX = 3;

/** Programs of drawn pass rates, which the simulated engine reads from their first line. */
export function poolOf(seed: number): PoolGroup[] {
  const random = createRandom(hashText("chaos pool", seed));
  return Array.from({ length: POOL_GROUPS }, (_, g) => ({
    prompt: `Problem ${seed}.${g}: print the number.`,
    texts: Array.from(
      { length: ROLLOUTS },
      (_, r) => `\`\`\`python\n# pass_rate=${random().toFixed(3)}\nprint(${g * ROLLOUTS + r})\n\`\`\``,
    ),
  }));
}

/** An endless sequence of jobs. Contracts that carry one group get one. */
export function* jobsOf(pool: readonly PoolGroup[], seed: number): Generator<Job> {
  const random = createRandom(hashText("chaos jobs", seed));
  const below = (count: number) => Math.floor(random() * count);
  for (let n = 0; ; n++) {
    const kind = KINDS[below(KINDS.length)] as Kind;
    const count = kind === "rerank" || kind === "gathered" ? 1 : 1 + below(GROUPS_MAX);
    const first = below(pool.length);
    const groups = Array.from({ length: count }, (_, g) => pool[(first + g) % pool.length] as PoolGroup);
    yield { id: `chaos-${seed}-${n}`, kind, groups };
  }
}

/** The native body for these groups. */
export const rewardsBody = (runId: string, groups: readonly PoolGroup[], deadline_ms: number) => ({
  run_id: runId,
  deadline_ms,
  groups: groups.map(({ prompt, texts }) => ({ prompt, rollouts: texts.map((text) => ({ text })) })),
});
