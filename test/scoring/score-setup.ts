import type { GroupResult } from "../../src/core/contract/group-reply.ts";
import { createRandom, hashText, shuffled } from "../../src/core/math/random.ts";
import type { SpecInput } from "../../src/core/reward/flat-spec.ts";
import { type RewardsRequest, RewardsRequestSchema } from "../../src/core/reward/requests.ts";
import { SpecSchema } from "../../src/core/reward/signals-spec.ts";
import type { Generation } from "../../src/core/wire/questions.ts";
import { type ScoredBatch, scoreBatch } from "../../src/scoring/score-batch.ts";
import { type FakeVerifier, fakeVerifier, fixedClock, preferring, type Script } from "../harness/fakes.ts";

export const program = (value: number) => `Some thoughts.\n\`\`\`python\nprint(${value})\n\`\`\`\n`;
export const printed = (candidate: string) => Number(/print\((-?[\d.]+)\)/.exec(candidate)?.[1]);
export const byValue: Script = preferring(printed);

export type Rollouts = RewardsRequest["groups"][number]["rollouts"];
export const rolloutsOf = (texts: readonly string[]): Rollouts => texts.map((text) => ({ text }));

export async function score(
  groups: { rollouts: Rollouts; prompt?: string; language?: string }[],
  options: { spec?: SpecInput; verifier?: FakeVerifier; deadline_ms?: number; signal?: AbortSignal } = {},
): Promise<ScoredBatch> {
  const request = RewardsRequestSchema.parse({
    groups: groups.map(({ prompt = "Print the largest.", ...group }) => ({ prompt, ...group })),
    ...(options.deadline_ms !== undefined && { deadline_ms: options.deadline_ms }),
  });
  const verifier = options.verifier ?? fakeVerifier(byValue);
  const signal = options.signal ?? new AbortController().signal;
  const spec = SpecSchema.parse(options.spec ?? {});
  return scoreBatch({ verifier, clock: fixedClock() }, { request, spec, started_ms: 0, signal });
}

export async function scoreOne(
  texts: readonly string[],
  options: Parameters<typeof score>[1] = {},
): Promise<GroupResult> {
  const { reply } = await score([{ rollouts: rolloutsOf(texts) }], options);
  return reply.groups[0] as GroupResult;
}

/** The fake, but each job's generations are reported in a seeded order. */
export const reordering = (script: Script, seed: number): FakeVerifier => late(fakeVerifier(script), seed, 0);

/**
 * The same verifier, but each job's generations are reported in a seeded order, each up to `turns_most`
 * microtasks after the one before.
 */
export function late(inner: FakeVerifier, seed: number, turns_most: number): FakeVerifier {
  return {
    ...inner,
    session(call) {
      const session = inner.session(call);
      return {
        stats: session.stats,
        async judge(job, sink) {
          const all: Generation[] = [];
          await session.judge(job, (generation) => all.push(generation));
          const random = createRandom(hashText("turns", seed, job.questions.length));
          for (const generation of shuffled(all, createRandom(seed))) {
            for (let turns = Math.floor(random() * (turns_most + 1)); turns > 0; turns--) await Promise.resolve();
            sink(generation);
          }
        },
      };
    },
  };
}
