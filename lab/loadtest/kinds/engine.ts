// The kind `engine`: a request's comparisons as chat completions, all at once, as the edge would ask them.

import { firstSampleOf } from "../../../src/core/asking/purpose.ts";
import { readAnswer } from "../../../src/core/asking/readings.ts";
import { createRenderer } from "../../../src/core/judges/render.ts";
import { createSeeds } from "../../../src/core/judges/seeds.ts";
import { AnswerBuilder } from "../../../src/core/wire/chat-answer.ts";
import { EventSplitter } from "../../../src/core/wire/chat-stream.ts";
import { type PlannedGroup, plannedRequest } from "./comparisons.ts";
import type { RewardsBody } from "./item.ts";
import { unusable } from "./json-reply.ts";
import { bodyParts, type Call, NO_SPLIT, NOTHING_READ, type Reading, type ReplyReader, type Work } from "./kind.ts";

/** Reads one streamed generation over k candidates. */
function generationReader(k: number, form: "exact_match" | "scores"): ReplyReader {
  let firstTokenAt: number | null = null;
  let now = 0;
  const answer = new AnswerBuilder({
    text: () => {
      firstTokenAt ??= now;
    },
  });
  const events = new EventSplitter((data) => answer.event(data));
  return {
    push(bytes, at) {
      now = at;
      events.push(bytes);
    },
    finish({ sent_at, ended_at }): Reading {
      events.end();
      const answered = answer.result();
      const reading = readAnswer(answered, k, form);
      if (answered.error !== null) return { ...unusable(answered.error), generations: 1, failed: 1 };
      const first = firstTokenAt ?? ended_at;
      return {
        ...NOTHING_READ,
        generations: 1,
        parsed: reading.status === "ok" ? 1 : 0,
        unparsed: reading.status === "ok" ? 0 : 1,
        prompt_tokens: answered.prompt_tokens,
        completion_tokens: answered.completion_tokens,
        split: { ...NO_SPLIT, first_token: first - sent_at, generation: ended_at - first },
      };
    },
  };
}

function callsOf({ prepared, asks }: PlannedGroup, spec: ReturnType<typeof plannedRequest>["spec"], model: string) {
  const { prompt, form, temperature, top_p, max_tokens } = spec.judge;
  const job = { question: prepared.question, language: prepared.language, candidates: prepared.texts };
  const render = createRenderer(prompt, form, job);
  const seedOf = createSeeds({ seed: spec.seed, prompt, form }, job);
  return asks.flatMap(({ shown, samples, purpose }) => {
    const first_sample = firstSampleOf({ purpose });
    const messages = render(shown);
    return Array.from({ length: samples }, (_, sample): Call => {
      const seed = seedOf(shown, first_sample + sample);
      const settings = { model: spec.judge.model ?? model, temperature, top_p, max_tokens, seed };
      const body = { ...settings, stream: true, stream_options: { include_usage: true }, messages };
      return { path: "/chat/completions", body: bodyParts(body), open: () => generationReader(shown.length, form) };
    });
  });
}

const sum = (
  readings: readonly Reading[],
  name: "parsed" | "unparsed" | "failed" | "prompt_tokens" | "completion_tokens",
) => readings.reduce((total, reading) => total + reading[name], 0);

/**
 * One request's comparisons; its time split is that of the generation that came last. @throws as
 * `plannedRequest`
 */
export function engineWork(body: RewardsBody, model: string): Work {
  const planned = plannedRequest(body);
  return {
    calls: planned.groups.flatMap((group) => callsOf(group, planned.spec, model)),
    combine(finished) {
      const readings = finished.map(({ reading }) => reading);
      const failed = sum(readings, "failed");
      const last = finished.reduce((latest, call) => (call.ended_at > latest.ended_at ? call : latest));
      return {
        ...NOTHING_READ,
        fault: readings.find(({ fault }) => fault !== null)?.fault ?? null,
        rewards: failed === 0 ? planned.rollouts : 0,
        nulls: failed === 0 ? 0 : planned.rollouts,
        comparisons: planned.comparisons,
        generations: readings.length,
        parsed: sum(readings, "parsed"),
        unparsed: sum(readings, "unparsed"),
        failed,
        prompt_tokens: sum(readings, "prompt_tokens"),
        completion_tokens: sum(readings, "completion_tokens"),
        split: last.reading.split,
      };
    },
  };
}
