// The kind `verdicts`: POST /v1/verdicts, which needs no verifier.
import * as z from "zod";
import type { VerdictsBody } from "./item.ts";
import { jsonReply, serverSplit } from "./json-reply.ts";
import { bodyParts, NOTHING_READ, oneCall, type Work } from "./kind.ts";

const ReplySchema = z.object({ rewards: z.array(z.number()), metrics: z.object({ parse_rate: z.number() }) });

/** One request for rewards of verdict texts; each text counts as a generation. */
export const verdictsWork = (body: VerdictsBody): Work =>
  oneCall({
    path: "/v1/verdicts",
    body: bodyParts(body),
    open: () =>
      jsonReply(ReplySchema, ({ rewards, metrics }, { server_timing }) => {
        const parsed = Math.round(metrics.parse_rate * rewards.length);
        return {
          ...NOTHING_READ,
          rewards: rewards.length,
          generations: rewards.length,
          parsed,
          unparsed: rewards.length - parsed,
          split: serverSplit(server_timing),
        };
      }),
  });
