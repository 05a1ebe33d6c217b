// The kind `gateway`: a request's groups over the verify protocol, and its event stream read.
import { firstSampleOf } from "../../../src/core/asking/purpose.ts";
import { readAnswer } from "../../../src/core/asking/readings.ts";
import { type VerdictEvent, type VerifyEvent, VerifyEventSchema } from "../../../src/core/wire/verify-protocol.ts";
import { type PlannedRequest, plannedRequest } from "./comparisons.ts";
import type { RewardsBody } from "./item.ts";
import { Text, unusable } from "./json-reply.ts";
import { bodyParts, NO_SPLIT, NOTHING_READ, oneCall, type Reading, type ReplyReader, type Work } from "./kind.ts";

/** The events of a whole reply; null when one is not an event of the protocol. */
function eventsOf(text: string): VerifyEvent[] | null {
  const events: VerifyEvent[] = [];
  for (const line of text.split("\n")) {
    if (line === "") continue;
    try {
      const parsed = VerifyEventSchema.safeParse(JSON.parse(line));
      if (!parsed.success) return null;
      events.push(parsed.data);
    } catch {
      return null;
    }
  }
  return events;
}

function split({ queue_ms, first_token_ms, total_ms }: VerdictEvent): Reading["split"] {
  const generation = first_token_ms === null ? null : total_ms - first_token_ms;
  return { ...NO_SPLIT, queue: queue_ms, first_token: first_token_ms, generation };
}

function readEvents(events: readonly VerifyEvent[], planned: PlannedRequest): Reading {
  const done = events.at(-1);
  if (done?.type !== "done") return unusable("broken_off");
  const verdicts = events.filter((event) => event.type === "verdict");
  const sizes = planned.groups.map(({ asks }) => asks.map(({ shown }) => shown.length));
  const parsed = verdicts.filter((verdict) => {
    const k = sizes[Number(verdict.group_id)]?.[verdict.comparison] ?? 0;
    return readAnswer({ ...verdict, error: null }, k, planned.spec.judge.form).status === "ok";
  });
  const { generations, saved, failed, prompt_tokens, completion_tokens } = done.usage;
  const last = verdicts.at(-1);
  return {
    ...NOTHING_READ,
    rewards: failed === 0 ? planned.rollouts : 0,
    nulls: failed === 0 ? 0 : planned.rollouts,
    comparisons: planned.comparisons,
    generations: generations - saved,
    parsed: parsed.length,
    unparsed: verdicts.length - parsed.length,
    failed,
    prompt_tokens,
    completion_tokens,
    split: last === undefined ? NO_SPLIT : split(last),
  };
}

function reader(planned: PlannedRequest): ReplyReader {
  const text = new Text();
  return {
    push: (bytes) => text.push(bytes),
    finish() {
      const events = eventsOf(text.toString());
      return events === null ? unusable("bad_reply") : readEvents(events, planned);
    },
  };
}

/** One verify request for all groups that have something to compare. @throws as `plannedRequest` */
export function gatewayWork(body: RewardsBody, deadline_ms: number): Work {
  const planned = plannedRequest(body);
  const { prompt, form, model, temperature, top_p, max_tokens } = planned.spec.judge;
  const groups = planned.groups.flatMap(({ prepared, asks }, index) =>
    asks.length === 0
      ? []
      : {
          group_id: String(index),
          question: prepared.question,
          language: prepared.language,
          candidates: prepared.texts,
          comparisons: asks.map(({ shown, samples, purpose, stop = "all" }, id) => {
            return { id, order: shown, samples, first_sample: firstSampleOf({ purpose }), stop };
          }),
        },
  );
  const sampling = { temperature, top_p, max_tokens, seed: planned.spec.seed };
  return oneCall({
    path: "/v1/verify",
    body: bodyParts({ deadline_ms, prompt, form, model, sampling, groups }),
    open: () => reader(planned),
  });
}
