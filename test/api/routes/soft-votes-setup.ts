// Helpers shared by the tests of soft votes: an engine that answers with log probabilities, asked directly
// and through the gateway.

import { afterAll, beforeAll, expect } from "vitest";
import { createEnginePool } from "../../../gpu-backend/gateway/engines/create.ts";
import { type Gateway, startGateway } from "../../../gpu-backend/gateway/http/server.ts";
import type { GroupResult } from "../../../src/core/contract/group-reply.ts";
import type { RewardsReply } from "../../../src/core/contract/rewards-reply.ts";
import { systemClock } from "../../../src/platform/clock.ts";
import type { Verifier } from "../../../src/ports/ports.ts";
import { createGatewayVerifier } from "../../../src/verifier/gateway/adapter.ts";
import { createOpenAiVerifier } from "../../../src/verifier/openai/adapter.ts";
import { answer, event, raw } from "../../harness/mock-behaviours.ts";
import { type Behaviour, type MockRequest, type MockVerifier, startMockVerifier } from "../../harness/mock-verifier.ts";
import { setUp } from "./harness.ts";

export const clock = systemClock;

/** How good each text is; the odds of the first of two are exp(difference). */
export const TEXTS = ["bad", "fair", "good"];

export const WORTH: Record<string, number> = { bad: 0, fair: 1, good: 2 };

export const sigmoid = (x: number) => 1 / (1 + Math.exp(-x));

export interface Piece {
  text: string;
  /** Probabilities of the alternatives; absent: the piece itself is sure. */
  top?: Record<string, number>;
}

export const chatEvent = (text: string, logprobs: unknown) =>
  event({ choices: [{ index: 0, delta: { content: text }, logprobs, finish_reason: null }] });

const rawEvent = (text: string, logprobs: unknown) =>
  event({ choices: [{ index: 0, text, logprobs, finish_reason: null }] });

/** Streams pieces, one token each, with logprobs as chats and raw completions have them. */
export function streamed(pieces: readonly Piece[], completion: boolean, finish = "stop"): Behaviour {
  const events = pieces.map(({ text, top = { [text]: 1 } }) => {
    const logs = Object.entries(top)
      .filter(([, p]) => p > 0)
      .map(([token, p]) => ({ token, logprob: Math.log(p) }));
    if (!completion) return chatEvent(text, { content: [{ token: text, logprob: -0.1, top_logprobs: logs }] });
    const tops = Object.fromEntries(logs.map(({ token, logprob }) => [token, logprob]));
    return rawEvent(text, { tokens: [text], token_logprobs: [-0.1], top_logprobs: [tops], text_offset: [0] });
  });
  const last = event({ choices: [{ index: 0, delta: {}, finish_reason: finish }] });
  return raw([...events, last, event("[DONE]")]);
}

export const textOf = ({ body }: Pick<MockRequest, "body">) => {
  const { messages, prompt } = body as { messages?: { content: string }[]; prompt?: string };
  return prompt ?? (messages ?? []).map(({ content }) => content).join("\n");
};

/** The worth of the texts shown, in their order. */
export function shownIn(text: string): number[] {
  const found = [...text.matchAll(/ANSWER (bad|fair|good)/g)].map(([, word]) => WORTH[word as string] as number);
  if (found.length === 0) throw new Error(`nobody is shown in ${text}`);
  return found;
}

/** Odds of the letters by worth, a favour of the first besides. */
export function odds(worth: readonly number[], favour = 0): number[] {
  const weights = worth.map((one, i) => Math.exp(one + (i === 0 ? favour : 0)));
  const total = weights.reduce((sum, one) => sum + one, 0);
  return weights.map((one) => one / total);
}

export const letters = (shares: readonly number[], mass = 1, around = (l: string) => l) =>
  Object.fromEntries(shares.map((share, i) => [around("ABCDE"[i] as string), share * mass]));

export let engine: MockVerifier;

let gateway: Gateway;

/** By protocol, before the engine of these tests. */
export const verifiers = {} as Record<"openai" | "verify", Verifier>;

/** The engine's behaviour at a question; each test sets it. */
export const engineAnswers: { behave: (asked: MockRequest) => Behaviour } = { behave: () => answer("") };

export let asked: MockRequest[] = [];

/** Starts the engine and the gateway before a file's tests, and closes them behind. Called once by each file. */
export function besideSoftEngine(): void {
  beforeAll(async () => {
    const listen = (request: MockRequest) => {
      asked.push(request);
      return engineAnswers.behave(request);
    };
    engine = await startMockVerifier(listen, { question_path: "/v1/chat/completions" });
    const pool = createEnginePool({ urls: [engine.url], model: "judge", apiKey: null, maxInFlight: 16 });
    gateway = await startGateway({ host: "127.0.0.1", port: 0, pool });
    Object.assign(verifiers, {
      openai: createOpenAiVerifier({ url: engine.url, model: "judge", apiKey: null }, clock),
      verify: createGatewayVerifier({ url: gateway.url, model: null, apiKey: null }, clock),
    });
  });

  afterAll(async () => {
    await gateway.close(0);
    await engine.close();
  });
}

export const groupOf = (texts: readonly string[]) => ({
  prompt: "Which is best?",
  reference: "good",
  rollouts: texts.map((text) => ({ text: `ANSWER ${text}` })),
});

export async function judged(
  protocol: "openai" | "verify",
  judge: Record<string, unknown>,
  more: Record<string, unknown> = {},
  texts: readonly string[] = TEXTS,
): Promise<{ group: GroupResult; rewards: readonly (number | null)[]; app: ReturnType<typeof setUp>; id: string }> {
  asked = [];
  const app = setUp({ verifier: verifiers[protocol], clock });
  const kind = "kind" in more ? more : { kind: "tournament", score: "soft", ...more };
  const signals = { q: { ...kind, judge: { vote: "soft", reask: 0, ...judge } } };
  const spec = { candidate: { extract: "whole" }, signals };
  const response = await app.post("/v1/rewards", { spec, groups: [groupOf(texts)] });
  const reply = (await response.json()) as RewardsReply;
  if (response.status !== 200) throw new Error(JSON.stringify(reply));
  const group = reply.groups[0] as GroupResult;
  return { group, rewards: group.rollouts.map(({ reward }) => reward), app, id: `${reply.request_id}.0` };
}

/** Mean outcome of each of three against the others. */
export const FAIR = [
  (sigmoid(-1) + sigmoid(-2)) / 2,
  (sigmoid(1) + sigmoid(-1)) / 2,
  (sigmoid(2) + sigmoid(1)) / 2,
] as const;

export const close = (values: readonly number[], digits = 6) => values.map((one) => expect.closeTo(one, digits));
