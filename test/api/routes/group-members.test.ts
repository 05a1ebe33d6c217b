// The guarantees of the routes of a group that its caller names: what is added, what is refused, and the
// reply of its close, in each form.

import { describe, expect, it } from "vitest";
import { RewardsReplySchema } from "../../../src/core/contract/rewards-reply.ts";
import { DEFAULT_SPEC } from "../../../src/core/contract/spec.ts";
import { LIMITS } from "../../../src/core/faults/limits.ts";
import { ofFlat } from "../../../src/core/reward/spec-forms.ts";
import { fakeSpecStore, fakeVerifier } from "../../harness/fakes.ts";
import { failing } from "../contracts/setup.ts";
import { fenced, longest, problemOf, setUp } from "./harness.ts";

const CODES = ["1", "333", "22"];
const ROLLOUTS = CODES.map((code) => ({ text: fenced(code) }));
const adding = (positions: readonly number[], more: object = {}) =>
  positions.map((position) => ({ prompt: "p", position, rollouts: [ROLLOUTS[position]], ...more }));

type App = ReturnType<typeof setUp>;
const add = (app: App, body: unknown, id = "mine") => app.post(`/v1/groups/${id}/rollouts`, body);
const close = (app: App, headers: Record<string, string> = {}, body: unknown = {}, id = "mine") =>
  app.post(`/v1/groups/${id}/close`, body, headers);
async function filled(app: App, bodies: readonly object[]): Promise<void> {
  for (const body of bodies) expect((await add(app, body)).status).toBe(200);
}

describe("a group that is filled by position", () => {
  it("has the reply of /v1/rewards, whatever came when", async () => {
    const [app, whole] = [setUp(), setUp()];
    const told: unknown[] = [];
    for (const body of adding([2, 0, 1], { run_id: "r", step: 4 })) told.push(await (await add(app, body)).json());
    expect(told).toEqual([1, 2, 3].map((members) => ({ group_id: "mine", members, size: null, state: "gathering" })));
    const reply = RewardsReplySchema.parse(await (await close(app)).json());
    const groups = [{ prompt: "p", group_id: "mine", rollouts: ROLLOUTS }];
    const native = RewardsReplySchema.parse(
      await (await whole.post("/v1/rewards", { run_id: "r", step: 4, groups })).json(),
    );
    expect(reply.groups).toEqual(native.groups.map((group) => ({ ...group, positions: [0, 1, 2], early: 0 })));
    const { rewards, metrics, run_id, step, spec_hash, logged } = native;
    expect(reply).toMatchObject({ rewards, metrics, run_id, step, spec_hash, logged });
    expect(app.runLog.entries).toMatchObject([{ request_id: reply.request_id, run_id: "r", step: 4 }]);
    expect(await (await close(app)).json()).toEqual(reply);
    expect(app.runLog.entries).toHaveLength(1);
  });

  it("passes the verifier's own wait on, as /v1/rewards does, until there is no gap", async () => {
    let failing = true;
    const app = setUp({
      script: (...asked) => (failing ? { error: "verifier_overloaded", retry_after_ms: 36_001 } : longest(...asked)),
    });
    await filled(app, adding([0, 1, 2]));
    const groups = [{ prompt: "p", rollouts: ROLLOUTS }];
    const waits = async () => {
      const replies = [await close(app), await app.post("/v1/rewards", { groups })];
      return replies.map(({ status, headers }) => [status, headers.get("retry-after")]);
    };
    expect(await waits()).toEqual([
      [200, "37"],
      [200, "37"],
    ]);
    failing = false;
    expect(await waits()).toEqual([
      [200, null],
      [200, null],
    ]);
  });

  it("answers with the lines of /v1/rewards, and under the id of its judgement", async () => {
    const app = setUp();
    await filled(app, adding([0, 1, 2], { size: 3 }));
    const response = await close(app, { accept: "application/x-ndjson" });
    const lines = (await response.text())
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines).toMatchObject([
      {
        type: "group",
        index: 0,
        group_id: "mine",
        positions: [0, 1, 2],
        rollouts: [{ reward: 0 }, { reward: 1 }, { reward: 0.5 }],
      },
      { type: "done", request_id: app.runLog.entries[0]?.request_id },
    ]);
    expect((await close(app)).headers.get("x-request-id")).toBe(lines[1].request_id);
  });

  it("takes several at once, the same again, and leaves gaps where none came", async () => {
    const app = setUp();
    const body = { prompt: "p", position: 4, rollouts: ROLLOUTS };
    for (const members of [3, 3]) expect(await (await add(app, body)).json()).toMatchObject({ members });
    expect(await (await add(app, { prompt: "p", position: 3, rollouts: ROLLOUTS.slice(0, 1) })).json()).toMatchObject({
      members: 4,
    });
    const [group] = RewardsReplySchema.parse(await (await close(app)).json()).groups;
    expect(group).toMatchObject({ positions: [3, 4, 5, 6], win_counts: [0, 0, 3, 2] });
    expect(group?.rollouts[1]?.duplicate_of).toBe(0);
  });

  it("is each key's own", async () => {
    const keys = await Promise.all(
      ["one", "two"].map(async (name) => {
        const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(name));
        return { name, digest: new Uint8Array(digest) };
      }),
    );
    const app = setUp({ keys });
    const [one, two] = ["one", "two"].map((key) => ({ authorization: `Bearer ${key}` })) as [object, object];
    const sent = { prompt: "p", rollouts: ROLLOUTS };
    expect((await app.post("/v1/groups/mine/rollouts", sent, { ...one })).status).toBe(200);
    expect((await problemOf(await close(app, { ...two }))).code).toBe("not_found");
    expect((await close(app, { ...one })).status).toBe(200);
  });

  it("is judged again where its reply lacks what may come", async () => {
    let script = failing("verifier_unavailable");
    const app = setUp({ verifier: fakeVerifier((shown, about) => script(shown, about)) });
    await filled(app, adding([0, 1, 2], { size: 3 }));
    const lacking = RewardsReplySchema.parse(await (await close(app)).json());
    expect(lacking.rewards).toEqual([[null, null, null]]);
    script = longest;
    const mended = RewardsReplySchema.parse(await (await close(app)).json());
    expect(mended.rewards).toEqual([[0, 1, 0.5]]);
    expect(mended.request_id).not.toBe(lacking.request_id);
    expect(await (await close(app)).json()).toEqual(mended);
  });

  it("alone has no reward, and no number", async () => {
    const app = setUp();
    await filled(app, adding([0]));
    const { groups } = RewardsReplySchema.parse(await (await close(app)).json());
    expect(groups[0]?.rollouts).toMatchObject([{ reward: null, error: "group_too_small" }]);
  });
});

describe("a request to add rollouts", () => {
  it.each([
    [{ prompt: "q" }, "prompt"],
    [{ spec: { reward: "top1" } }, "spec"],
    [{ size: 4 }, "size"],
    [{ run_id: "r" }, "run_id"],
    [{ step: 1 }, "step"],
    [{ language: "python" }, "language"],
    [{ position: 0 }, "rollouts[0]"],
  ])("is refused where it says another thing of the group: %j", async (other, path) => {
    const app = setUp();
    await filled(app, adding([0]));
    const problem = await problemOf(await add(app, { ...adding([1])[0], ...other }));
    expect(problem).toMatchObject({ status: 400, code: "facts_disagree", errors: [{ path }] });
    // Nothing of it is kept.
    expect(await (await add(app, adding([1])[0])).json()).toMatchObject({ members: 2 });
  });

  it("is refused with group_closed once its members are known, but not what is there already", async () => {
    for (const size of [undefined, 2]) {
      const app = setUp();
      const sized = size === undefined ? {} : { size };
      await filled(app, adding([0, 1], sized));
      if (size === undefined) await close(app);
      expect((await add(app, adding([1], sized)[0])).status).toBe(200);
      const beyond =
        size === undefined ? adding([2])[0] : { ...adding([0], sized)[0], position: 1, rollouts: [ROLLOUTS[2]] };
      const problem = await problemOf(await add(app, beyond));
      expect(problem.code).toBe(size === undefined ? "group_closed" : "facts_disagree");
      if (size === undefined) expect(problem).toMatchObject({ status: 409, errors: [{ path: "rollouts[0]" }] });
    }
  });

  it.each([
    [{ position: 1, size: 1 }, "position", "the group's size is 1"],
    [{ position: LIMITS.rollouts_per_group_max }, "position", "rollouts_per_group_max"],
    [{ position: 63, rollouts: ROLLOUTS }, "position", "rollouts_per_group_max"],
    [{ size: 65 }, "size", "rollouts_per_group_max"],
    [{ rollouts: [] }, "rollouts", ""],
    [{ group_id: "x" }, "group_id", ""],
    [{ spec: "nowhere" }, "spec", ""],
  ])("names the field and the limit: %j", async (wrong, path, message) => {
    const problem = await problemOf(await add(setUp(), { ...adding([0])[0], ...wrong }));
    expect(problem.errors?.[0]?.path).toBe(path);
    expect(problem.errors?.[0]?.message).toContain(message);
  });

  it("lacks what its spec needs, told in the body's own words", async () => {
    const overlong = { max_tokens: 100, cache_tokens: 50, clamp: true };
    const app = setUp({ specs: fakeSpecStore({ long: ofFlat({ ...DEFAULT_SPEC, overlong }) }) });
    const problem = await problemOf(await add(app, { ...adding([0])[0], spec: "long" }));
    expect(problem).toMatchObject({ code: "length_tokens_required", errors: [{ path: "rollouts[0].length_tokens" }] });
  });

  it("with an image is refused: no judge would be shown it", async () => {
    const content = [{ type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } }];
    const body = { prompt: [{ role: "user", content }], rollouts: ROLLOUTS };
    expect((await problemOf(await add(setUp(), body))).code).toBe("unsupported_content");
  });

  it("is not of a name that is none", async () => {
    const problem = await problemOf(await add(setUp(), adding([0])[0], "a%20b"));
    expect(problem.errors?.[0]?.path).toBe("id");
  });
});

it("a close that is out of time says so, and the group is judged on", async () => {
  const gate = Promise.withResolvers<void>();
  const app = setUp({ verifier: fakeVerifier(longest, { gate: gate.promise }) });
  await filled(app, adding([0, 1], { size: 2 }));
  const problem = await problemOf(await close(app, {}, { deadline_ms: LIMITS.deadline_ms_min }));
  expect(problem).toMatchObject({ code: "not_ready", retryable: true });
  gate.resolve();
  expect(RewardsReplySchema.parse(await (await close(app)).json()).rewards).toEqual([[0, 1]]);
});
