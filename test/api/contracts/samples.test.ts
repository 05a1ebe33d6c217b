// The guarantees that all one-sample contracts share: each sample its own reward, constant keys, failures
// never a made-up number, options and ids.

import { describe, expect, test } from "vitest";
import { SlimeReplySchema } from "../../../src/api/tools/slime.ts";
import { DEFAULT_SPEC } from "../../../src/core/contract/spec.ts";
import { ADVICE } from "../../../src/core/faults/limit-advice.ts";
import { LIMITS } from "../../../src/core/faults/limits.ts";
import { ofFlat } from "../../../src/core/reward/spec-forms.ts";
import { fakeSpecStore } from "../../harness/fakes.ts";
import { CONTRACTS, fixedRooms, gathered, without } from "./sample-setup.ts";
import { faultOf, fenced, replyOf, setUp } from "./setup.ts";

describe.each(CONTRACTS)("$path", ({ path, example }) => {
  test("passes the URL's options on, and closes within the contract's own bounds", async () => {
    const specs = fakeSpecStore({ strict: ofFlat({ ...DEFAULT_SPEC, reward: "top1" }) });
    const { rooms, joined } = fixedRooms(gathered());
    const { post } = setUp({ rooms, specs });
    await post(`${path}?spec=strict&run_id=r&step=7&group_size=5&group_window_ms=900&deadline_ms=10000`, example);
    await post(path, example);
    await post(`${path}?group_size=5`, example);
    const [full, plain, sized] = joined as [(typeof joined)[0], (typeof joined)[0], (typeof joined)[0]];
    expect(full).toMatchObject({ run_id: "r", step: 7, group_size: 5, window_ms: 900, answer_within_ms: 10_000 });
    expect(full.spec.signals.base?.score).toBe("top1");
    expect(plain).toMatchObject({ run_id: null, group_size: null, window_ms: LIMITS.group_window_ms_default });
    expect(sized.window_ms).toBe(sized.answer_within_ms / 2);
    expect(plain.retain_ms).toBeGreaterThan(plain.answer_within_ms);
    expect(new Set(joined.map(({ room }) => room)).size).toBe(3);
    expect(new Set(joined.map(({ body_hash }) => body_hash)).size).toBe(1);
    expect(new Set(joined.map(({ waiter_id }) => waiter_id)).size).toBe(3);
  });

  test.each([
    ["group_size=0", "group_size"],
    [`group_size=${LIMITS.rollouts_per_group_max + 1}`, "group_size"],
    ["group_size=eight", "group_size"],
    ["group_window_ms=-1", "group_window_ms"],
    ["on_failure=null", "on_failure"],
    ["on_failure=NaN", "on_failure"],
    ["deadline_ms=1", "deadline_ms"],
    ["run_id=a%20b", "run_id"],
  ])("refuses %s by name", async (query, name) => {
    const { rooms, joined } = fixedRooms(gathered());
    const fault = await faultOf(await setUp({ rooms }).post(`${path}?${query}`, example), 400);
    expect(fault.errors?.[0]?.path).toBe(name);
    expect(joined).toEqual([]);
  });
});

test("a bound of the URL is named with its limit and the number that was sent", async () => {
  const fault = await faultOf(await setUp().post("/slime/reward?group_size=128", CONTRACTS[1]?.example), 400);
  expect(fault.errors?.[0]?.message).toBe(
    `128; must be at most 64 (limit rollouts_per_group_max); ${ADVICE.rollouts_per_group_max}`,
  );
});

describe("log values", () => {
  const path = "/slime/reward?format=object&on_failure=0";
  const body = { prompt: "p", response: fenced("1") };
  const logsOf = async (answer: ReturnType<typeof gathered>) =>
    (await replyOf(SlimeReplySchema, await setUp(fixedRooms(answer)).post(path, body))) as Record<string, number>;

  test("have the same names and are finite numbers whatever happened", async () => {
    const many = await Promise.all([
      logsOf(gathered()),
      logsOf(without("deadline", { members: 0, closed: "deadline" })),
      logsOf(without("group_too_small", { members: 1, closed: "window" })),
      logsOf(gathered({ attached: true, late: true })),
    ]);
    for (const logs of many) {
      expect(Object.keys(logs)).toEqual(Object.keys(many[0] as object));
      for (const [name, value] of Object.entries(logs)) expect(Number.isFinite(value), name).toBe(true);
    }
  });

  test("are none of the trainers' own names", async () => {
    const reserved =
      "reward score return kl logprobs_diff group_reward_std response_clip_ratio ppo_clip_ratio ppo_kl vllm_kl acc";
    const { score: _, ...logs } = await logsOf(gathered());
    expect(Object.keys(logs).filter((name) => reserved.split(" ").includes(name))).toEqual([]);
  });

  test("tell fallback, retry, lateness, a group that was cut short, and components that add up to the score", async () => {
    expect(await logsOf(gathered())).toMatchObject({ rm_fallback: 0, rm_attached: 0, rm_late: 0, rm_cut_short: 0 });
    expect(await logsOf(gathered({ attached: true, late: true, closed: "deadline" }))).toMatchObject({
      rm_attached: 1,
      rm_late: 1,
      rm_cut_short: 1,
    });
    for (const answer of [gathered(), without("deadline")]) {
      const { score, rm_base, rm_format, rm_overlong, rm_fallback } = await logsOf(answer);
      expect((rm_base as number) + (rm_format as number) + (rm_overlong as number)).toBe(score);
      expect(rm_fallback).toBe(answer.result.reward === null ? 1 : 0);
    }
  });
});

describe("a group", () => {
  // A group of a told size is judged when it is whole, however busy the machine is.
  const post = (app: ReturnType<typeof setUp>, query: string, prompt: string, label: string, text: string) =>
    app.post(`/slime/reward?${query}`, { prompt, response: fenced(text), label });
  const PAIR = "group_size=2";

  test("is made of samples of equal prompt, label, run, step, spec and size; no other meets it", async () => {
    const app = setUp({ specs: fakeSpecStore({ top: ofFlat({ ...DEFAULT_SPEC, reward: "top1" }) }) });
    const short = `${PAIR}&group_window_ms=20`;
    const others = [
      post(app, short, "q", "l", "1"),
      post(app, short, "p", "m", "22"),
      post(app, `${short}&run_id=r`, "p", "l", "333"),
      post(app, `${short}&step=1`, "p", "l", "4444"),
      post(app, `${short}&spec=top`, "p", "l", "55555"),
      post(app, "group_size=9&group_window_ms=20", "p", "l", "666666"),
    ];
    const pair = [post(app, PAIR, "p", "l", "1"), post(app, PAIR, "p", "l", "22")];
    expect(await Promise.all((await Promise.all(pair)).map((reply) => reply.json()))).toEqual([0, 1]);
    for (const reply of await Promise.all(others)) {
      expect(await faultOf(reply, 503)).toMatchObject({ code: "group_too_small", retryable: true });
    }
  });

  test("is logged under the latest log_step of its samples, which parts none of them", async () => {
    const app = setUp();
    const replies = await Promise.all(
      [3, 4].map((step) => post(app, `${PAIR}&log_step=${step}`, "p", "l", "1".repeat(step))),
    );
    expect(await Promise.all(replies.map((reply) => reply.json()))).toEqual([0, 1]);
    expect(app.runLog.entries.map(({ step, items }) => [step, items])).toEqual([[4, 2]]);
  });

  test("answers a byte-identical retry with the reward that was given, without judging again", async () => {
    const app = setUp();
    const body = (text: string) => ({ prompt: "p", response: fenced(text) });
    const path = "/slime/reward?group_size=2&format=object";
    const first = await Promise.all(["1", "22"].map((text) => app.post(path, body(text))));
    const [, best] = await Promise.all(first.map((reply) => reply.json() as Promise<Record<string, number>>));
    const again = (await (await app.post(path, body("22"))).json()) as Record<string, number>;
    expect(again).toEqual({ ...best, rm_attached: 1 });
    expect(app.runLog.entries).toHaveLength(1);
  });
});

test("warnings of the judgement are in a header", async () => {
  const rooms = fixedRooms(gathered({ warnings: ["log_failed"], logged: false }));
  const reply = await setUp(rooms).post("/slime/reward", CONTRACTS[1]?.example);
  expect(reply.headers.get("x-kritai-warnings")).toBe("log_failed");
});

test("GET /health and GET /nemo-gym/ answer without a key", async () => {
  const { call } = setUp({ keys: [{ name: "team", digest: new Uint8Array(32) }] });
  expect(await (await call("/health")).json()).toEqual({ status: "ok" });
  expect(await (await call("/nemo-gym/")).json()).toMatchObject({ name: "kritai" });
});
