// The kind `rewards`: POST /v1/rewards and what its reply says of rewards, generations and time.
import * as z from "zod";
import type { RewardsBody } from "./item.ts";
import { jsonReply, serverSplit } from "./json-reply.ts";
import { bodyParts, NOTHING_READ, oneCall, type Reading, type Transport, type Work } from "./kind.ts";

/** The part of the reply that is counted. Replies: src/core/contract/rewards-reply.ts. */
const ReplySchema = z.object({
  spec_hash: z.string(),
  rewards: z.array(z.array(z.number().nullable())),
  groups: z.array(
    z.object({
      verifier: z.object({
        comparisons: z.number(),
        generations: z.number(),
        parsed: z.number(),
        unparsed: z.number(),
        failed: z.number(),
        prompt_tokens: z.number(),
        completion_tokens: z.number(),
      }),
    }),
  ),
  timing_ms: z.object({ total: z.number(), verifier: z.number(), overhead: z.number() }),
});

function read(reply: z.output<typeof ReplySchema>, { server_timing }: Transport): Reading {
  const rewards = reply.rewards.flat();
  const nulls = rewards.filter((reward) => reward === null).length;
  const sum = (name: keyof (typeof reply.groups)[number]["verifier"]) =>
    reply.groups.reduce((total, group) => total + group.verifier[name], 0);
  return {
    ...NOTHING_READ,
    rewards: rewards.length - nulls,
    nulls,
    comparisons: sum("comparisons"),
    generations: sum("generations"),
    parsed: sum("parsed"),
    unparsed: sum("unparsed"),
    failed: sum("failed"),
    prompt_tokens: sum("prompt_tokens"),
    completion_tokens: sum("completion_tokens"),
    // The header goes out before the body of a slow reply is known; the body's own times are those
    // of the scoring.
    split: { ...serverSplit(server_timing), verifier: reply.timing_ms.verifier, edge: reply.timing_ms.overhead },
    spec_hash: reply.spec_hash,
  };
}

/** One request for rewards. */
export const rewardsWork = (body: RewardsBody): Work =>
  oneCall({ path: "/v1/rewards", body: bodyParts(body), open: () => jsonReply(ReplySchema, read) });
