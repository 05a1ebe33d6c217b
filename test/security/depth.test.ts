// JSON that nests without end: refused as the request's fault wherever a contract takes whatever it
// is sent, never a fault of ours.
import { expect, it } from "vitest";
import { LIMITS } from "../../src/core/faults/limits.ts";
import { setUp } from "../api/routes/harness.ts";

const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;
const chat = '[{"role":"user","content":"p"},{"role":"assistant","content":"a"}]';

/** Bodies whose `HERE` is a field that the contract takes whatever it holds. */
const FREE: [string, string][] = [
  ["/openrlhf/get_reward", '{"query":["pa","pb"],"prompts":["p","p"],"labels":[HERE,HERE]}'],
  ["/slime/reward", '{"prompt":"p","response":"a","label":HERE}'],
  ["/verl/compute_score", '{"solution_str":"a","extra_info":{"question":"p"},"ground_truth":HERE}'],
  ["/v1/score_batch", '{"prompts":["p","p"],"completions":["a","b"],"kwargs":{"answers":[HERE,HERE]}}'],
  ["/evaluate", `{"messages":${chat},"kwargs":HERE}`],
  ["/v1/rewards", '{"groups":HERE}'],
  ["/v1/verdicts", '{"formulation":"list_em","items":HERE}'],
  ["/v1/rerank", '{"query":"p","documents":[{"text":"a","more":HERE},"b"]}'],
];

it.each(FREE)("%s ends well with a value of any depth", async (path, body) => {
  const { post, lines } = setUp();
  const reply = await post(path, body.replaceAll("HERE", nested(50_000)));
  // One sample alone is 503 `group_too_small`; nothing else may be a fault of ours.
  if (reply.status >= 500) expect(await reply.json()).toMatchObject({ code: "group_too_small" });
  expect(lines).toEqual([]);
});

/** Bodies whose `HERE` is a label, and how the contract calls it. */
const LABELS: [string, string, string][] = [
  ["/openrlhf/get_reward", '{"query":["pa","pb"],"prompts":["p","p"],"labels":["x",HERE]}', "labels[1]"],
  ["/slime/reward", '{"prompt":"p","response":"a","label":HERE}', "label"],
  ["/verl/compute_score", '{"solution_str":"a","extra_info":{"question":"p"},"ground_truth":HERE}', "ground_truth"],
  ["/verl/compute_score", '{"solution_str":"a","extra_info":{"question":"p"},"data_source":HERE}', "data_source"],
  ["/v1/score_batch", '{"prompts":["p"],"completions":["a"],"kwargs":{"answers":[HERE]}}', "kwargs.answers[0]"],
  ["/evaluate", `{"messages":${chat},"ground_truth":HERE}`, "ground_truth"],
  [
    "/nemo-gym/verify",
    '{"responses_create_params":{"input":"p"},"response":{"output":[{"type":"message","content":"a"}]},"verifier_metadata":HERE}',
    "verifier_metadata",
  ],
];

/** Whether a route reads the options of gathered samples. */
const gathers = (path: string) => path !== "/v1/score_batch";

it.each(LABELS)(
  "%s takes a label of the largest depth, and refuses a deeper one by its name",
  async (path, body, field) => {
    const ask = (depth: number) =>
      setUp().post(
        `${path}${gathers(path) ? "?group_window_ms=100&on_failure=0" : ""}`,
        body.replace("HERE", nested(depth)),
      );
    expect((await ask(LIMITS.label_depth_max)).status).toBe(200);
    const refused = await ask(LIMITS.label_depth_max + 1);
    const fault = `${field}: nests deeper than the limit label_depth_max = ${LIMITS.label_depth_max}`;
    expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining(fault)]);
  },
);

it("a member called __proto__ is data: refused where names are known, ignored or echoed where any are taken", async () => {
  const proto = '"__proto__":{"reward":99,"run_id":"x","spec":"mine"}';
  const rollouts = '"rollouts":[{"text":"a"},{"text":"b"}]';
  const refused = await setUp().post("/v1/rewards", `{${proto},"groups":[{"prompt":"p",${rollouts}}]}`);
  expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining("__proto__: unknown field")]);
  const batch = '"prompts":["p","p"],"completions":["a","bb"]';
  const plain = await (await setUp().post("/v1/score_batch", `{${batch}}`)).json();
  const loaded = await (await setUp().post("/v1/score_batch", `{${batch},"columns":{${proto}},${proto}}`)).json();
  const same = ({ rewards, run_id, spec_hash }: Record<string, unknown>) => ({ rewards, run_id, spec_hash });
  expect(same(loaded as never)).toEqual(same(plain as never));
  expect(({} as { reward?: unknown }).reward).toBeUndefined();
});
