// Scalar models behind the gateway: rewards as without it, the saturated probe, a bound on what is
// at a server at one time, and the end of what a client no longer waits for.

import { once } from "node:events";
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { createEnginePool } from "../../gpu-backend/gateway/engines/create.ts";
import { startGateway } from "../../gpu-backend/gateway/http/server.ts";
import { GATEWAY_LIMITS } from "../../gpu-backend/gateway/limits/gateway-limits.ts";
import type { RewardsReply } from "../../src/core/contract/rewards-reply.ts";
import { LIMITS } from "../../src/core/faults/limits.ts";
import { readEnv } from "../../src/env.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { createVerifier } from "../../src/verifier/create.ts";
import { setUp } from "../api/routes/harness.ts";

const clock = systemClock;
const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

type Handler = (body: { input?: string[] }, request: IncomingMessage, response: ServerResponse) => void;

async function serve(handle: Handler): Promise<string> {
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (piece) => {
      text += piece;
    });
    request.on("end", () => handle(JSON.parse(text || "{}"), request, response));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  ends.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function relayTo(urls: readonly string[], apiKey: string | null = null): Promise<string> {
  const pool = createEnginePool({ urls: [urls[0] as string], model: "m", apiKey: null });
  const gateway = await startGateway({ host: "127.0.0.1", port: 0, pool, scalar: { urls, apiKey } });
  ends.push(() => gateway.close(0));
  return gateway.url;
}

const numbers = (response: ServerResponse, probs: readonly number[]) =>
  response
    .writeHead(200, { "content-type": "application/json" })
    .end(JSON.stringify({ data: probs.map((one, index) => ({ index, probs: [one] })) }));
const byLength: Handler = ({ input = [] }, _, response) =>
  numbers(
    response,
    input.map((text) => text.length / 100),
  );

async function rewards(url: string): Promise<RewardsReply> {
  const env = { VERIFIER_PROTOCOL: "scalar", VERIFIER_API: "vllm-classify", VERIFIER_MODEL: "rm", VERIFIER_URL: url };
  const [first, ...others] = readEnv(env).config.backends;
  if (first === undefined) throw new Error("no backend");
  const verifier = createVerifier([first, ...others], { hedging: false }, clock);
  const spec = { candidate: { extract: "whole" }, signals: { rm: { kind: "scalar", squash: "sigmoid" } } };
  const groups = [{ prompt: "q", rollouts: ["a", "a longer answer", "middling"].map((text) => ({ text })) }];
  return (await (await setUp({ verifier, clock }).post("/v1/rewards", { spec, groups })).json()) as RewardsReply;
}

test("rewards through it are those without it, and the server gets its own key", async () => {
  const keys: (string | undefined)[] = [];
  const server = await serve((body, request, response) => {
    keys.push(request.headers.authorization);
    byLength(body, request, response);
  });
  const direct = await rewards(server);
  const relayed = await rewards(await relayTo([server], "secret"));
  expect(relayed.rewards).toEqual(direct.rewards);
  expect(relayed.rewards.flat().every((one) => typeof one === "number")).toBe(true);
  expect(keys.at(-1)).toBe("Bearer secret");
});

test("a softmax over one label fails loudly through it", async () => {
  const server = await serve(({ input = [] }, _, response) =>
    numbers(
      response,
      input.map(() => 1),
    ),
  );
  const { groups } = await rewards(await relayTo([server]));
  expect(groups[0]?.rollouts.map(({ error }) => error)).toEqual(Array(3).fill("scalar_backend_saturated"));
});

const post = (url: string, signal?: AbortSignal) =>
  fetch(`${url}/classify`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ input: ["x"] }),
    ...(signal && { signal }),
  });

test("a server has so many at one time, the emptier one the next, and the rest wait for theirs", async () => {
  const held: ServerResponse[][] = [[], []];
  const most = 2 * GATEWAY_LIMITS.scalar_in_flight_max;
  const { promise: full, resolve: isFull } = Promise.withResolvers<void>();
  let release = false;
  const holding = (which: number) =>
    serve((_, request, response) => {
      // The pool looks at the same address for an engine.
      if (request.url !== "/classify") return void response.writeHead(404).end();
      if (release) return void numbers(response, [0.5]);
      held[which]?.push(response);
      if (held.flat().length === most) isFull();
    });
  const url = await relayTo([await holding(0), await holding(1)]);
  const asked = Array.from({ length: most + 3 }, () => post(url));
  await full;
  expect(held.map(({ length }) => length)).toEqual([most / 2, most / 2]);
  release = true;
  for (const response of held.flat()) numbers(response, [0.5]);
  expect((await Promise.all(asked)).map(({ status }) => status)).toEqual(Array(most + 3).fill(200));
});

test("a client that goes ends its question at the server", async () => {
  const { promise: closed, resolve: wasClosed } = Promise.withResolvers<void>();
  const { promise: came, resolve: hasCome } = Promise.withResolvers<void>();
  const url = await relayTo([
    await serve((_, request, response) => {
      if (request.url !== "/classify") return void response.writeHead(404).end();
      response.on("close", wasClosed);
      hasCome();
    }),
  ]);
  const controller = new AbortController();
  const asked = post(url, controller.signal).catch(() => "gone");
  await came;
  controller.abort();
  expect(await asked).toBe("gone");
  await closed;
});

test("a server that does not answer costs no request where another does", async () => {
  const url = await relayTo(["http://127.0.0.1:1", await serve(byLength)]);
  const one = async () => (await post(url)).status;
  expect([await one(), await one(), ...(await Promise.all([one(), one(), one()]))]).toEqual(Array(5).fill(200));
  const dead = await relayTo(["http://127.0.0.1:1", "http://127.0.0.1:2"]);
  expect((await post(dead)).status).toBe(502);
});

/** A gateway before a server that holds its question. */
async function holding() {
  const { promise: asked, resolve: wasAsked } = Promise.withResolvers<ServerResponse>();
  const { promise: closed, resolve: wasClosed } = Promise.withResolvers<void>();
  const server = await serve((_, request, response) => {
    if (request.url !== "/classify") return void response.writeHead(404).end();
    response.on("close", wasClosed);
    wasAsked(response);
  });
  const pool = createEnginePool({ urls: [server], model: "m", apiKey: null });
  const gateway = await startGateway({ host: "127.0.0.1", port: 0, pool, scalar: { urls: [server], apiKey: null } });
  return { gateway, answered: post(gateway.url), held: await asked, closed };
}

test("a gateway that shuts down lets what is asked come to its end, and takes nothing new", async () => {
  const { gateway, answered, held } = await holding();
  const ended = gateway.close(LIMITS.deadline_ms_max);
  expect((await post(gateway.url)).status).toBe(503);
  numbers(held, [0.5]);
  expect((await answered).status).toBe(200);
  await ended;
});

test("a body that is being sent holds up no shutdown", async () => {
  const server = await serve(byLength);
  const pool = createEnginePool({ urls: [server], model: "m", apiKey: null });
  const gateway = await startGateway({ host: "127.0.0.1", port: 0, pool, scalar: { urls: [server], apiKey: null } });
  const headers = { "content-type": "application/json", "content-length": "100", expect: "100-continue" };
  const sent = httpRequest(`${gateway.url}/classify`, { method: "POST", headers });
  sent.on("error", () => {});
  sent.flushHeaders();
  await once(sent, "continue");
  sent.write("{");
  await gateway.close(LIMITS.deadline_ms_max);
  sent.destroy();
});

test("what is still asked when the time to shut down is over ends with 502", async () => {
  const { gateway, answered, closed } = await holding();
  await Promise.all([gateway.close(0), closed]);
  expect((await answered).status).toBe(502);
});

test("without scalar servers their paths are no routes", async () => {
  const pool = createEnginePool({ urls: ["http://127.0.0.1:1"], model: "m", apiKey: null });
  const gateway = await startGateway({ host: "127.0.0.1", port: 0, pool });
  ends.push(() => gateway.close(0));
  expect((await post(gateway.url)).status).toBe(404);
});

test("a body over the limit is refused, the next one on the same gateway is not; HEAD is answered as GET", async () => {
  const gateway = await relayTo([await serve(byLength)]);
  const ask = (input: string) =>
    fetch(`${gateway}/classify`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ model: "rm", input: [input] }),
    });
  const refused = await ask("x".repeat(GATEWAY_LIMITS.body_bytes));
  expect([refused.status, ((await refused.json()) as { type: string }).type]).toEqual([
    413,
    expect.stringContaining("body_too_large"),
  ]);
  expect((await ask("x")).status).toBe(200);
  expect((await fetch(`${gateway}/health`, { method: "HEAD" })).status).toBe(200);
});
