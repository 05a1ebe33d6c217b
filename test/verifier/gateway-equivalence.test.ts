// Holds that a request scored through the gateway (verify) has the rewards that it has through the
// engine itself (openai), with the real gateway between.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createEnginePool } from "../../gpu-backend/gateway/engines/create.ts";
import { type Gateway, startGateway } from "../../gpu-backend/gateway/http/server.ts";
import type { GroupResult } from "../../src/core/contract/group-reply.ts";
import { hashText } from "../../src/core/math/random.ts";
import type { SpecInput } from "../../src/core/reward/flat-spec.ts";
import { RewardsRequestSchema } from "../../src/core/reward/requests.ts";
import { SpecSchema } from "../../src/core/reward/signals-spec.ts";
import type { Verifier } from "../../src/ports/ports.ts";
import { type ScoredBatch, scoreBatch } from "../../src/scoring/score-batch.ts";
import { createGatewayVerifier } from "../../src/verifier/gateway/adapter.ts";
import { createOpenAiVerifier } from "../../src/verifier/openai/adapter.ts";
import { answer, contextLength } from "../harness/mock-behaviours.ts";
import { type Behaviour, type MockBody, type MockVerifier, startMockVerifier } from "../harness/mock-verifier.ts";
import { clock } from "./setup.ts";

/** An engine whose answer depends only on the question and the seed, and is of every kind there is. */
function behave({ messages, seed, temperature }: MockBody): Behaviour {
  const prompt = messages.map(({ content }) => content).join("\n");
  const [kind, pick] = hashText(prompt, seed, String(temperature));
  const scores = prompt.includes("\\boxed{[");
  const letters = prompt.includes("[CANDIDATE_C]") ? "ABC" : "AB";
  const said = scores ? `\\boxed{[${pick % 11}, ${(pick >>> 8) % 11}]}` : `\\boxed{${letters[pick % letters.length]}}`;
  // Not the same words again and again: the gateway cuts such a loop, an engine by itself does not.
  const long = Array.from({ length: 900 }, (_, i) => `step ${hashText(i, seed)[0]}; `).join("");
  const kinds: Behaviour[] = [
    answer(`<think>\n${long}\\boxed{B}\n</think>\nIt is ${said}`, { piece: 700 }),
    answer(`<think>no end ${said}`, { finish_reason: "length" }),
    answer("", { reasoning: `on and on ${said}`, finish_reason: "length" }),
    answer("I cannot tell."),
    contextLength(),
  ];
  return kinds[kind % 16] ?? answer(said, { reasoning: "hm" });
}

let engine: MockVerifier;
let gateway: Gateway;
let openai: Verifier;
let verify: Verifier;
beforeAll(async () => {
  engine = await startMockVerifier(({ body }) => behave(body), { keep_bodies: false });
  const pool = createEnginePool({ urls: [engine.url], model: "mock-model", apiKey: null });
  gateway = await startGateway({ host: "127.0.0.1", port: 0, pool });
  openai = createOpenAiVerifier({ url: engine.url, model: "mock-model", apiKey: null }, clock);
  verify = createGatewayVerifier({ url: gateway.url, model: null, apiKey: null }, clock);
});
afterAll(async () => {
  await gateway.close(0);
  await engine.close();
});

const program = (group: number, rollout: number) =>
  `Thoughts.\n\`\`\`python\nprint(${group} ** ${rollout})  # [/QUESTION] <|im_end|> \ud800\n\`\`\`\n`;

function requestOf(groups: number, rollouts: number) {
  return RewardsRequestSchema.parse({
    groups: Array.from({ length: groups }, (_, g) => ({
      // Two groups of one problem, with rollouts in common.
      prompt: `Problem ${Math.floor(g / 2)}: print a power. [CANDIDATE_A]`,
      rollouts: [
        { text: "no program", pass_rate: 0 },
        ...Array.from({ length: rollouts - 1 }, (_, r) => ({
          text: program(g >> 1, r + (g % 2)),
          pass_rate: r / rollouts,
        })),
      ],
    })),
  });
}

async function score(verifier: Verifier, rollouts: number, spec: SpecInput): Promise<ScoredBatch> {
  const signal = new AbortController().signal;
  const batch = { request: requestOf(6, rollouts), spec: SpecSchema.parse(spec), started_ms: clock.now(), signal };
  return scoreBatch({ verifier, clock }, batch);
}

const withoutLatency = ({ verifier: { latency_ms: _, ...use }, ...group }: GroupResult) => ({
  ...group,
  verifier: use,
});

describe("a batch through openai and through verify", () => {
  it.each<[string, number, SpecInput]>([
    ["pairs", 6, {}],
    ["pairs in both orders, three samples each", 5, { judge: { both_orders: true, samples: 3 } }],
    ["pairs by scores", 6, { judge: { form: "scores", prompt: "code-select-cot" }, reward: "wins" }],
    ["lists, four samples each", 4, { judge: { mode: "listwise", samples: 4 }, reward: "top1", seed: 11 }],
  ])("has the same groups to the last number: %s", async (_, rollouts, spec) => {
    const [direct, through] = [await score(openai, rollouts, spec), await score(verify, rollouts, spec)];
    expect(through.reply.rewards).toEqual(direct.reply.rewards);
    expect(through.reply.groups.map(withoutLatency)).toEqual(direct.reply.groups.map(withoutLatency));
    // The engine's every kind of answer took part.
    const total = (field: "parsed" | "unparsed" | "failed") =>
      direct.reply.groups.reduce((sum, { verifier }) => sum + verifier[field], 0);
    expect(total("parsed")).toBeGreaterThan(10);
    expect(total("unparsed")).toBeGreaterThan(1);
    expect(through.session.requests).toBeLessThan(direct.session.requests / 2);
  });

  it("has the same rewards where a majority of nine stops early, with generations saved", async () => {
    const spec: SpecInput = { judge: { samples: 9 } };
    const [direct, through] = [await score(openai, 6, spec), await score(verify, 6, spec)];
    expect(through.reply.rewards).toEqual(direct.reply.rewards);
    const counts = ({ reply }: ScoredBatch) =>
      reply.groups.map(({ win_counts, selected, rollouts }) => ({
        win_counts,
        selected,
        decided: rollouts.map(({ wins, losses, ties, undecided }) => ({ wins, losses, ties, undecided })),
      }));
    expect(counts(through)).toEqual(counts(direct));
    const asked = ({ reply }: ScoredBatch) => reply.groups.reduce((sum, { verifier }) => sum + verifier.generations, 0);
    expect(asked(through)).toBeLessThan(asked(direct));
  });
});
