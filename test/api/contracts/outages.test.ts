// Holds that a verifier which is gone for 2, 15 or 60 s inside the deadline costs no contract a
// reward: the routes, the rooms and the real verifier client, in virtual time.

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { completeDeps } from "../../../src/api/door/complete-deps.ts";
import { createApp } from "../../../src/app.ts";
import { createVerifier } from "../../../src/verifier/create.ts";
import { builtAssets, fakeRunLog, fakeSpecStore } from "../../harness/fakes.ts";
import { answerEvents } from "../../harness/mock-behaviours.ts";
import { VirtualTime } from "../../harness/virtual-time.ts";
import { ask, CLIENTS, named, scaled } from "./clients.ts";
import { fenced, PROGRAMS } from "./setup.ts";

/** Turns of the event loop in which bodies in memory are read. */
const TURNS = 12;
const DEADLINE = "deadline_ms=144000";
const CANDIDATE = /\[CANDIDATE_([A-Z])\]\n(`{3,})[^\n`]*\n([\s\S]*?)\n\2\n\[\/CANDIDATE_\1\]/g;

let time: VirtualTime;
let deployments = 0;

beforeEach(() => {
  time = new VirtualTime();
});
afterEach(() => {
  vi.restoreAllMocks();
});

const until = <T>(work: () => Promise<T>): Promise<T> => time.until(work, TURNS);

/**
 * The app before an engine that refuses connections until `gone_ms` are over, then prefers the
 * longest program.
 */
function appWithout(gone_ms: number) {
  const back = time.now + gone_ms;
  let refused = 0;
  vi.spyOn(globalThis, "fetch").mockImplementation(async (_, init) => {
    await time.sleep(20);
    if (time.now < back) {
      refused++;
      throw new TypeError("fetch failed");
    }
    const { messages } = JSON.parse(String(init?.body)) as { messages: { content: string }[] };
    const shown = [...(messages.at(-1)?.content ?? "").matchAll(CANDIDATE)];
    const [, best] = shown.reduce((one, other) => ((other[3] ?? "").length > (one[3] ?? "").length ? other : one));
    return new Response(answerEvents(`\\boxed{${best}}`).join(""), {
      headers: { "content-type": "text/event-stream" },
    });
  });
  const { clock } = time;
  // A separate URL: the isolate's memory of a backend is kept by it.
  const backend = {
    name: "verifier",
    url: `http://engine-${deployments++}`,
    protocol: "openai",
    model: "m",
  };
  const verifier = createVerifier([backend], { hedging: false }, clock);
  const parts = { verifier, runLog: fakeRunLog(), specs: fakeSpecStore(), assets: builtAssets, keys: [] };
  const app = createApp(completeDeps({ ...parts, clock, timers: clock, report: () => undefined }));
  const post = async (path: string, body: unknown) => {
    const headers = { "content-type": "application/json" };
    const reply = await app.request(`http://localhost${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    const text = await reply.text();
    if (reply.status !== 200) throw new Error(`${reply.status}: ${text}`);
    return new Response(text, reply);
  };
  return { post, refused: () => refused };
}

const OUTAGES = [2_000, 15_000, 60_000];

describe.each(OUTAGES)("a verifier gone for %i ms", (gone_ms) => {
  it.each(named(CLIENTS))("costs no text of %s its number", async (_, client) => {
    const { post, refused } = appWithout(gone_ms);
    const began = time.now;
    const { numbers } = await until(() => ask(client, { post }, PROGRAMS, DEADLINE));
    expect(numbers).toEqual(scaled(client, [0, 1, 0.5]));
    expect(refused()).toBeGreaterThan(0);
    // Asked again within a second of its return.
    expect(time.now - began - gone_ms).toBeLessThan(3_000);
  });

  it("breaks no reply of equal rollouts, whose clients were asked to prove that they are there", async () => {
    const { post } = appWithout(gone_ms);
    const twin = { prompt: "p", response: fenced("1"), label: null };
    const bodies = [twin, twin, { ...twin, response: fenced("123") }];
    const replies = () => bodies.map((body) => post(`/slime/reward?group_size=3&${DEADLINE}`, body));
    const told = () => Promise.all(replies().map(async (reply) => (await reply).json()));
    expect(await until(told)).toEqual([0.25, 0.25, 1]);
  });
});
