// A backend that is one file and one line of the table: configured by its own settings, then used
// over HTTP.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { RewardsReply } from "../../src/core/contract/rewards-reply.ts";
import { readEnv } from "../../src/env.ts";
import { systemClock } from "../../src/platform/clock.ts";
import type { Clock } from "../../src/ports/ports.ts";
import { createVerifier } from "../../src/verifier/create.ts";
import { fenced, setUp } from "../api/routes/harness.ts";

vi.mock("../../src/verifier/table.ts", async (original) => {
  const { BACKENDS } = await original<typeof import("../../src/verifier/table.ts")>();
  const { toyBackend } = await import("./toy-backend.ts");
  return { BACKENDS: [...BACKENDS, toyBackend] };
});

const server = createServer(async (request, response) => {
  let body = "";
  for await (const piece of request) body += piece;
  if (request.url === "/health") return response.end();
  const { shown, taste } = JSON.parse(body) as { shown: string[]; taste: string };
  const sign = taste === "long" ? 1 : -1;
  const best = shown.reduce((top, text, at) => (sign * (text.length - (shown[top] ?? "").length) > 0 ? at : top), 0);
  response.end(JSON.stringify({ best }));
});
let url = "";
beforeAll(async () => {
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

const clock: Clock = systemClock;

async function rewardsOf(env: Record<string, string>) {
  const { config, faults } = readEnv(env);
  expect(faults).toEqual([]);
  const [first, ...others] = config.backends;
  if (first === undefined) throw new Error("no backend");
  const { post, call } = setUp({ verifier: createVerifier([first, ...others], { hedging: true }, clock) });
  const rollouts = ["a", "bb", "ccc"].map((code) => ({ text: fenced(code) }));
  const reply = await post("/v1/rewards", { groups: [{ prompt: "p", rollouts }] });
  return { reply: (await reply.json()) as RewardsReply, ready: await call("/readyz") };
}

describe("a backend in one file and one line", () => {
  test("judges over HTTP by settings that are variables of their own names", async () => {
    const env = { VERIFIER_PROTOCOL: "toy", VERIFIER_URL: url };
    const long = await rewardsOf({ ...env, VERIFIER_TASTE: "long" });
    expect(long.reply.rewards).toEqual([[0, 0.5, 1]]);
    expect(long.ready.status).toBe(200);
    const short = await rewardsOf({ ...env, VERIFIER_TASTE: "short" });
    expect(short.reply.rewards).toEqual([[1, 0.5, 0]]);
  });

  test("stands in as a fallback by settings that are members of its entry", async () => {
    const gone = { VERIFIER_PROTOCOL: "openai", VERIFIER_URL: "http://127.0.0.1:1", VERIFIER_MODEL: "m" };
    const { reply } = await rewardsOf({
      ...gone,
      VERIFIER_FALLBACKS: JSON.stringify([{ name: "spare", protocol: "toy", url, taste: "long" }]),
    });
    expect(reply.rewards).toEqual([[0, 0.5, 1]]);
  });

  test("is refused by the name of the variable that its own schema misses or does not take", () => {
    const env = { VERIFIER_PROTOCOL: "toy", VERIFIER_URL: url };
    expect(readEnv(env).faults).toEqual([{ path: "VERIFIER_TASTE", message: "required if VERIFIER_URL is set" }]);
    expect(readEnv({ ...env, VERIFIER_TASTE: "secret" }).faults).toEqual([
      { path: "VERIFIER_TASTE", message: "has an invalid value" },
    ]);
    const entry = JSON.stringify([{ protocol: "toy", url, taste: "secret" }]);
    const { faults } = readEnv({ ...env, VERIFIER_TASTE: "long", VERIFIER_FALLBACKS: entry });
    expect(faults.map(({ path }) => path)).toEqual(["VERIFIER_FALLBACKS"]);
    expect(JSON.stringify(faults)).not.toContain("secret");
  });
});
