// Holds a checker's request and form, that it is asked once a group and no other is asked, and that none of
// its faults becomes a number.
import { createHmac } from "node:crypto";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import type { RewardsReply } from "../../src/core/contract/rewards-reply.ts";
import { readEnv } from "../../src/env.ts";
import { createVerifier } from "../../src/verifier/create.ts";
import { problemOf, setUp } from "../api/routes/harness.ts";
import { clock } from "./setup.ts";

const SECRET = Buffer.from("0123456789abcdef0123456789abcdef");
const CHECKER_SECRET = `whsec_${SECRET.toString("base64")}`;

interface Seen {
  headers: IncomingHttpHeaders;
  text: string;
  candidates: string[];
}

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function serve(reply: (seen: Seen, index: number) => { status?: number; document: unknown; location?: string }) {
  const seen: Seen[] = [];
  const server = createServer(async (request, response) => {
    // Somebody's health check of a server that had this port before.
    if (request.method !== "POST") return void response.writeHead(404).end();
    let text = "";
    for await (const piece of request) text += piece;
    const asked = { headers: request.headers, text, candidates: JSON.parse(text).candidates as string[] };
    seen.push(asked);
    const { status = 200, document, location } = reply(asked, seen.length - 1);
    response.writeHead(status, location === undefined ? {} : { location }).end(JSON.stringify(document));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  ends.push(() => new Promise((resolve) => server.close(resolve)));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { host, url: `http://${host}/style?by=length`, seen };
}

function verifierOf(host: string, beside: object = {}) {
  const { config, faults } = readEnv({ CHECKER_HOSTS: `other.example.org, ${host}`, CHECKER_SECRET, ...beside });
  expect(faults).toEqual([]);
  return createVerifier(config.backends as never, { hedging: false }, clock);
}

const request = (url: string, texts: readonly string[], settings: object = {}) => ({
  deadline_ms: 20_000,
  spec: {
    candidate: { extract: "whole" },
    signals: { style: { kind: "external", url, range: [0, 10], ...settings } },
  },
  groups: [
    { prompt: "Name a colour.", reference: ["blue", "red"], rollouts: texts.map((text) => ({ text })) },
    { prompt: "Name a city.", rollouts: texts.map((text) => ({ text })) },
  ],
});

async function scored(host: string, body: object, beside: object = {}) {
  const response = await setUp({ verifier: verifierOf(host, beside), clock }).post("/v1/rewards", body);
  const reply = (await response.json()) as RewardsReply;
  if (response.status !== 200) throw new Error(JSON.stringify(reply));
  const told = reply.groups.map(({ rollouts }) => rollouts.map(({ reward, error }) => reward ?? error));
  return { reply, told, rollouts: reply.groups[0]?.rollouts ?? [] };
}

const lengths = ({ candidates }: Seen) => ({ document: { scores: candidates.map(({ length }) => length) } });

describe("a checker", () => {
  it("is asked once a group about each different candidate, and its numbers are the values", async () => {
    const { host, url, seen } = await serve(lengths);
    const { told, reply } = await scored(host, request(url, ["a", "bbb", "a"]));
    expect(told).toEqual([
      [1, 3, 1],
      [1, 3, 1],
    ]);
    expect(reply.reward_range).toEqual([0, 10]);
    // Two connections: which group's request arrives first is left open.
    const asked = seen.map(({ text }) => JSON.parse(text)).sort((a, b) => (a.question < b.question ? 1 : -1));
    expect(asked).toEqual([
      { question: "Name a colour.", language: null, reference: "blue\nor: red", candidates: ["a", "bbb"] },
      { question: "Name a city.", language: null, reference: null, candidates: ["a", "bbb"] },
    ]);
  });

  it("can tell by the signature who asks, and by the id what it was asked before", async () => {
    const { host, url, seen } = await serve(lengths);
    await scored(host, request(url, ["a"]));
    await scored(host, request(url, ["a"]));
    for (const { headers, text } of seen) {
      const signed = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${text}`;
      const expected = createHmac("sha256", SECRET).update(signed).digest("base64");
      expect(headers["webhook-signature"]).toBe(`v1,${expected}`);
    }
    // A request's two questions arrive in any order.
    const ids = seen.map(({ headers }) => headers["webhook-id"]);
    expect(new Set(ids.slice(0, 2)).size).toBe(2);
    expect(ids.slice(2).sort()).toEqual(ids.slice(0, 2).sort());
  });

  it("that gives null, or a number outside the range, gives no value, and the number is told and not moved", async () => {
    const { host, url } = await serve(() => ({ document: { scores: [10, null, 10.5, -1] } }));
    const { told, rollouts } = await scored(host, request(url, ["a", "b", "c", "d"]));
    expect(told[0]).toEqual([10, "checker_failed", "checker_failed", "checker_failed"]);
    expect(rollouts.map(({ details }) => details?.style)).toEqual([
      undefined,
      undefined,
      { out_of_range: 10.5 },
      { out_of_range: -1 },
    ]);
  });

  it.each([[{ scores: [1] }], [{ scores: ["1", "2"] }], [{ scores: { a: 1 } }], [[1, 2]], ["no"]])(
    "that answers %j gives no value",
    async (document) => {
      const { host, url } = await serve(() => ({ document }));
      const { told } = await scored(host, { ...request(url, ["a", "b"]), deadline_ms: 500 });
      for (const value of told.flat()) expect(["checker_failed", "deadline"]).toContain(value);
    },
  );

  it("is asked again after a failure of its own, and where it sends elsewhere nobody goes", async () => {
    const { host, url, seen } = await serve((asked, index) =>
      index === 0 ? { status: 503, document: {} } : lengths(asked),
    );
    expect((await scored(host, request(url, ["a"]))).told).toEqual([[1], [1]]);
    expect(seen).toHaveLength(3);
    const other = await serve(lengths);
    const away = await serve(() => ({ status: 307, document: {}, location: other.url }));
    const { told } = await scored(away.host, { ...request(away.url, ["a"]), deadline_ms: 500 });
    expect(told).toEqual([["checker_failed"], ["checker_failed"]]);
    expect(other.seen).toEqual([]);
  });
});

/** As most deployments are: the checker's address is looked at through the verifier of all kinds. */
const BESIDE = { VERIFIER_URL: "http://127.0.0.1:9", VERIFIER_MODEL: "judge", SANDBOX_URL: "http://127.0.0.1:9" };

describe("an address", () => {
  it.each([
    ["https://evil.example.org/", "CHECKER_HOSTS"],
    ["http://other.example.org/", "https"],
    ["https://u:p@other.example.org/", "password"],
    ["https://other.example.org:8443/", "CHECKER_HOSTS"],
    ["ftp://other.example.org/", "https"],
    ["other.example.org", "not a URL"],
  ])("such as %s is refused by field before anything is asked", async (address, why) => {
    for (const beside of [{}, BESIDE]) {
      const { post } = setUp({ verifier: verifierOf("127.0.0.1:9", beside) });
      const problem = await problemOf(await post("/v1/rewards", request(address, ["a"])));
      expect(problem.errors).toEqual([{ path: "spec.signals.style.url", message: expect.stringContaining(why) }]);
    }
  });

  it("of the list is asked in a deployment with a judge and a sandbox, too", async () => {
    const { host, url } = await serve(lengths);
    expect(verifierOf(host, BESIDE).takes).toEqual(expect.arrayContaining(["chat", "execute", "check"]));
    expect((await scored(host, request(url, ["a", "bbb"]), BESIDE)).told).toEqual([
      [1, 3],
      [1, 3],
    ]);
  });

  it("is of no use in a deployment that lists no host", async () => {
    const { post } = setUp();
    const problem = await problemOf(await post("/v1/rewards", request("https://other.example.org/", ["a"])));
    expect(problem).toMatchObject({ code: "not_configured", detail: expect.stringContaining("CHECKER_HOSTS") });
  });
});

it("hosts without a secret, and a range that holds nothing, are refused by name", async () => {
  expect(readEnv({ CHECKER_HOSTS: "a.example.org" }).faults).toMatchObject([{ path: "CHECKER_SECRET" }]);
  expect(readEnv({ VERIFIER_PROTOCOL: "checker", VERIFIER_URL: "https://a.example.org" }).faults[0]?.path).toBe(
    "VERIFIER_PROTOCOL",
  );
  const { post } = setUp({ verifier: verifierOf("127.0.0.1:9") });
  const problem = await problemOf(
    await post("/v1/rewards", request("https://other.example.org/", ["a"], { range: [1, 1] })),
  );
  expect(problem.errors?.[0]?.path).toBe("spec.signals.style.range");
});

describe("a checker of steps", () => {
  const stepsOf = ({ text }: Seen) => JSON.parse(text).steps as string[][];
  const stepwise = (url: string, steps: readonly (readonly string[])[], settings: object = {}) => ({
    spec: { signals: { proof: { kind: "steps", source: "checker", url, reduce: "mean", ...settings } } },
    groups: [
      {
        prompt: "1 + 1?",
        reference: "2",
        rollouts: steps.map((step_texts) => ({ text: step_texts.join("\n"), step_texts })),
      },
    ],
  });
  const graded = (seen: Seen) => ({
    document: { scores: stepsOf(seen).map((all) => all.map((step) => (step === "?" ? null : Number(step)))) },
  });

  it("is sent each different rollout in its steps, and its numbers are theirs", async () => {
    const { host, url, seen } = await serve(graded);
    const { told, rollouts } = await scored(host, stepwise(url, [["1", "0.5", "?"], ["1"], ["1"], ["?"], []]));
    expect(told).toEqual([[0.75, 1, 1, "no_steps", 0]]);
    expect(rollouts.map(({ details }) => details?.proof)).toEqual([
      { steps: [1, 0.5, null], first_wrong: -1 },
      { steps: [1], first_wrong: -1 },
      { steps: [1], first_wrong: -1 },
      { steps: [null], first_wrong: -1 },
      { steps: [], first_wrong: -1 },
    ]);
    expect(JSON.parse(seen[0]?.text ?? "")).toEqual({
      question: "1 + 1?",
      language: null,
      reference: "2",
      steps: [["1", "0.5", "?"], ["1"], ["?"]],
    });
  });

  it.each([[[[1]]], [[["1", "1"]]], [[1]], [[[1, -0.1]]], [[null]]])(
    "that answers %j about two steps gives no value",
    async (scores) => {
      const { host, url } = await serve(() => ({ document: { scores } }));
      const body = { ...stepwise(url, [["a", "b"]]), deadline_ms: 500 };
      const { told } = await scored(host, body);
      expect(["checker_failed", "deadline"]).toContain(told[0]?.[0]);
    },
  );

  it("must be one of the deployment's hosts", async () => {
    const { host } = await serve(graded);
    const body = stepwise("https://elsewhere.example/steps", [["1"]]);
    const problem = await problemOf(await setUp({ verifier: verifierOf(host), clock }).post("/v1/rewards", body));
    expect(problem).toMatchObject({ status: 400, errors: [{ path: "spec.signals.proof.url" }] });
  });
});
