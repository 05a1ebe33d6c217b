// Helpers shared by the tests of scalar backends: a server of a reward model, and rewards by it.
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect } from "vitest";
import { readEnv } from "../../src/env.ts";
import { createVerifier } from "../../src/verifier/create.ts";
import { setUp } from "../api/routes/harness.ts";
import { clock } from "./setup.ts";

type Body = Record<string, unknown>;

export interface Seen {
  path: string;
  body: Body;
}

export const ends: (() => Promise<unknown>)[] = [];

/** Closes the servers of each test. Called once by each file. */
export const closingServers = () =>
  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end();
  });

/** A server whose replies the test writes: a status and a document a request. */
export async function serve(reply: (seen: Seen, index: number) => { status?: number; document: unknown }) {
  const seen: Seen[] = [];
  const server = createServer((request: IncomingMessage, response) => {
    let text = "";
    request.on("data", (piece) => {
      text += piece;
    });
    request.on("end", () => {
      const asked = { path: request.url ?? "", body: JSON.parse(text || "{}") as Body };
      seen.push(asked);
      const { status = 200, document } = reply(asked, seen.length - 1);
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(document));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  ends.push(() => new Promise((resolve) => server.close(resolve)));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

export const textsOf = (body: Body) => body.input as string[];

export const classified = (numbers: readonly number[]) => ({
  document: {
    model: "rm",
    data: numbers.map((x, index) => ({ index, probs: [x] })).reverse(),
    usage: { prompt_tokens: 5 },
  },
});

export const ENV = { VERIFIER_PROTOCOL: "scalar", VERIFIER_API: "vllm-classify", VERIFIER_MODEL: "rm" };

export function verifierOf(env: Record<string, string>) {
  const { config, faults } = readEnv(env);
  expect(faults).toEqual([]);
  const [first, ...others] = config.backends;
  if (first === undefined) throw new Error("no backend");
  return createVerifier([first, ...others], { hedging: false }, clock);
}

export interface Reply {
  rewards: (number | null)[][];
  reward_range: number[];
  warnings: string[];
  groups: { rollouts: { error: string | null }[]; verifier: { prompt_tokens: number } }[];
}

const whole = { extract: "whole" };

export const request = (texts: readonly string[], signal: Body = {}, more: Body = {}) => ({
  spec: { candidate: whole, signals: { rm: { kind: "scalar", ...signal } }, ...more },
  groups: [{ prompt: "Say something.", rollouts: texts.map((text) => ({ text })) }],
});

export async function rewardsOf(env: Record<string, string>, body: Body): Promise<Reply> {
  const response = await setUp({ verifier: verifierOf(env), clock }).post("/v1/rewards", body);
  expect(response.status).toBe(200);
  return (await response.json()) as Reply;
}
