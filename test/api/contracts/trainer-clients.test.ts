// Clients written after each trainer's source, against the app over real HTTP: rewards arrive, outages are
// ridden out, and nothing else is taken for a reward.

import type { AddressInfo } from "node:net";
import { serve } from "@hono/node-server";
import { afterEach, describe, expect, test } from "vitest";
import { sha256Hex } from "../../../src/platform/sha256.ts";
import type { Script } from "../../harness/fakes.ts";
import { CONTRACTS } from "./sample-setup.ts";
import { fenced, longest, PROGRAMS, setUp } from "./setup.ts";
import * as trainers from "./trainer-clients.ts";

const KEY = "s3cret";
const COMPRESSION = 100;
const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** The app on a loopback port, behind a key. */
async function start(script: Script) {
  const digest = Buffer.from(await sha256Hex(KEY), "hex");
  const parts = setUp({ script, keys: [{ name: "team", digest: new Uint8Array(digest) }] });
  let requests = 0;
  const third = Promise.withResolvers<void>();
  const origin = await listen((request) => {
    if (++requests === 3) third.resolve();
    return parts.app.fetch(request);
  });
  const at = (path: string) => ({ url: `${origin}${path}`, compression: COMPRESSION });
  return { ...parts, at, keyed: (path: string) => at(`/k/${KEY}${path}`), third: third.promise };
}

/** Serves on a free loopback port until the test ends. */
async function listen(fetch: (request: Request) => Response | Promise<Response>): Promise<string> {
  const server = serve({ fetch, port: 0, hostname: "127.0.0.1" });
  await new Promise((resolve) => server.once("listening", resolve));
  closing.push(() => new Promise((resolve) => server.close(resolve)));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A verifier that is down for its first questions. */
function outage(questions: number): Script {
  let left = questions;
  return (shown, about) => (left-- > 0 ? { error: "verifier_unavailable" } : longest(shown, about));
}
const down: Script = () => ({ error: "verifier_unavailable" });

const chatml = "<|im_start|>user\nSum it.<|im_end|>\n<|im_start|>assistant\n";
const nemoRow = (text: string) => CONTRACTS[3]?.body("Sum it.", text) as Record<string, unknown>;
const EXPECTED = [0, 1, 0.5];

describe("OpenRLHF", () => {
  const path = "/openrlhf/get_reward?group_size=3&run_id=r";
  const run = (at: trainers.TrainerOptions) =>
    Promise.all(PROGRAMS.map((text) => trainers.openRlhf(at, `${chatml}${text}<|im_end|>`, chatml, "l")));

  test("gets a group's rewards, with the same log names for every sample", async () => {
    const { keyed } = await start(longest);
    const samples = await run(keyed(path));
    expect(samples.map((sample) => sample?.reward)).toEqual(EXPECTED);
    expect(samples.map((sample) => sample?.score)).toEqual([0.5, 1, 0.75]);
    expect(new Set(samples.map((sample) => Object.keys(sample?.logs ?? {}).join())).size).toBe(1);
  });

  test("rides out an outage by its own tries, and the run log has the group once more", async () => {
    const { keyed, runLog } = await start(outage(3));
    expect((await run(keyed(path))).map((sample) => sample?.reward)).toEqual(EXPECTED);
    expect(runLog.entries.map(({ items }) => items)).toEqual([3, 3]);
  });

  test("loses the samples when the verifier stays down, unless a number is declared, which is flagged", async () => {
    const { keyed } = await start(down);
    expect(await run(keyed(path))).toEqual([null, null, null]);
    const declared = await run(keyed(`${path}&on_failure=0`));
    expect(declared.map((sample) => [sample?.reward, sample?.logs.rm_fallback])).toEqual([
      [0, 1],
      [0, 1],
      [0, 1],
    ]);
  });
});

describe("slime", () => {
  const path = "/slime/reward?group_size=3";
  const run = (at: trainers.TrainerOptions, rewardKey?: string) =>
    Promise.all(PROGRAMS.map((text) => trainers.slime(at, [{ role: "user", content: "Sum it." }], text, rewardKey)));

  test("gets bare numbers, or objects with a reward key, also after an outage", async () => {
    expect(await run((await start(longest)).keyed(path))).toEqual(EXPECTED);
    expect(await run((await start(outage(3))).keyed(`${path}&format=object`), "score")).toEqual(EXPECTED);
  });

  test("raises when the verifier stays down", async () => {
    await expect(run((await start(down)).keyed(path))).rejects.toThrow("503");
  });
});

test("verifiers gets a reward and its request back", async () => {
  const { at } = await start(longest);
  // It cannot name a group's size, so the group is judged when no other sample has come for a
  // while.
  const rewards = await Promise.all(
    PROGRAMS.map((text) => trainers.verifiers({ ...at("/nemo-gym"), compression: 10 }, KEY, nemoRow(text))),
  );
  expect(rewards).toEqual(EXPECTED);
});

test("NeMo-RL gets rewards through its rollout paths, and dispatches again what failed with on_failure=error", async () => {
  const relayed = async (script: Script) => {
    const url = await relay(script);
    return Promise.all(PROGRAMS.map((text) => trainers.nemoRl({ url, compression: COMPRESSION }, nemoRow(text))));
  };
  expect(await relayed(longest)).toEqual(EXPECTED);
  expect(await relayed(outage(3))).toEqual(EXPECTED);
  await expect(relayed(down)).rejects.toThrow("503");
});

/**
 * The Python client's relay, as far as the gym sees it: paths under /nemo-gym, options and key
 * added.
 */
async function relay(script: Script): Promise<string> {
  const { app } = await start(script);
  return listen((request) => {
    const { pathname } = new URL(request.url);
    const url = `http://127.0.0.1/k/${KEY}/nemo-gym${pathname}?group_size=3&on_failure=error`;
    return app.fetch(new Request(url, request));
  });
}

test("eval-protocol gets a valid score, or is told that there is none", async () => {
  const run = (at: trainers.TrainerOptions) =>
    Promise.all(
      PROGRAMS.map((content) =>
        trainers.evalProtocol({ ...at, compression: 10 }, KEY, [
          { role: "user", content: "Sum it." },
          { role: "assistant", content },
        ]),
      ),
    );
  expect(await run((await start(longest)).at("/evaluate?group_size=3"))).toEqual([0.5, 1, 0.75]);
  // It would take a score that is marked as none for 0: an HTTP error is what it understands.
  await expect(run((await start(down)).at("/evaluate?group_size=3"))).rejects.toThrow();
});

test("verl gets a dict with the same keys for every sample", async () => {
  const { keyed } = await start(longest);
  expect(await trainers.verl(keyed("/verl/compute_score?group_size=3"), PROGRAMS, "Sum it.")).toEqual(EXPECTED);
});

test("a trainer that gave up on a try too early gets the reward of that try by its next one", async () => {
  const { keyed, runLog, verifier, third } = await start(longest);
  const hasty = { ...keyed("/slime/reward?group_size=2"), compression: 600 };
  // Alone, the first sample waits for its group beyond its client's 200 ms; the client comes back
  // again and again.
  const first = trainers.slime(hasty, "p", fenced("1"));
  await third;
  const second = trainers.slime(hasty, "p", fenced("22"));
  expect(await Promise.all([first, second])).toEqual([0, 1]);
  expect(verifier.jobs).toHaveLength(1);
  expect(runLog.entries).toHaveLength(1);
});
