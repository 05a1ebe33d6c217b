// OpenAI's graders that cannot be had, refused by name in the SDK's own errors, and what validating one
// gives back.
import { describe, expect, test } from "vitest";
import { EXAMPLE } from "../../../src/api/tools/graders.ts";
import { check, clientOf, type Grader, labelled, refusalOf, scored } from "./graders-setup.ts";

describe("a grader that cannot be had", () => {
  const multi = (more: object) => ({
    ...{ type: "multi", name: "m", graders: { a: check("eq") }, calculate_output: "a" },
    ...more,
  });
  const refusals: [string, object, string, RegExp][] = [
    ["python", { type: "python", name: "p", source: "def grade(s, i): return 1" }, "grader.type", /run code/],
    [
      "python in a multi",
      multi({ graders: { p: { type: "python", name: "p", source: "" } } }),
      "grader.graders.p.type",
      /code/,
    ],
    ["a multi of nothing", multi({ graders: {} }), "grader.graders", /holds no grader/],
    [
      "cosine",
      { ...check("eq"), type: "text_similarity", evaluation_metric: "cosine" },
      "grader.evaluation_metric",
      /embedding/,
    ],
    [
      "meteor",
      { ...check("eq"), type: "text_similarity", evaluation_metric: "meteor" },
      "grader.evaluation_metric",
      /WordNet/,
    ],
    [
      "an unknown metric",
      { ...check("eq"), type: "text_similarity", evaluation_metric: "x" },
      "grader.evaluation_metric",
      /rouge_l/,
    ],
    ["an unknown variable", check("eq", "{{sample.output_tools}}"), "grader.reference", /output_tools/],
    ["an unknown type", { type: "endpoint", name: "e" }, "grader.type", /string_check/],
    [
      "an image",
      scored({ input: [{ role: "user", content: { type: "input_image", image_url: "x" } }] }),
      "grader.input[0].content",
      /input_image/,
    ],
    [
      "reasoning_effort",
      scored({ sampling_params: { reasoning_effort: "low" } }),
      "grader.sampling_params.reasoning_effort",
      /leave it out/,
    ],
    [
      "a temperature",
      scored({ sampling_params: { temperature: 9 } }),
      "grader.sampling_params.temperature",
      /temperature_max/,
    ],
    ["a range upside down", scored({ range: [1, 0] }), "grader.range", /below/],
    ["a passing label of no label", labelled({ passing_labels: ["nice"] }), "grader.passing_labels", /nice/],
    [
      "a formula over a stranger",
      multi({ calculate_output: "a + b" }),
      "grader.calculate_output",
      /column 5: no signal is named b/,
    ],
    ["a formula without bounds", multi({ calculate_output: "1 / a" }), "grader.calculate_output", /must be a number/],
    ["a formula that is none", multi({ calculate_output: "a +" }), "grader.calculate_output", /column/],
    ["a name that no formula has", multi({ graders: { "a b": check("eq") } }), "grader.graders.a b", /letters/],
    [
      "two seeds",
      multi({ graders: { a: scored({ sampling_params: { seed: 1 } }), b: scored({ sampling_params: { seed: 2 } }) } }),
      "grader.graders.b.sampling_params.seed",
      /one seed/,
    ],
  ];
  test.each(refusals)("%s is refused by its field, run or validated", async (_, grader, param, message) => {
    const { client, run, log } = await clientOf();
    for (const running of [
      run(grader, "x", { answer: "x", question: "q" }),
      client.fineTuning.alpha.graders.validate({ grader: grader as Grader }),
    ]) {
      const refused = await refusalOf(running);
      expect(refused.param).toBe(param);
      expect(refused.message).toMatch(message);
    }
    expect(log).toEqual([]);
  });

  test("a sample over the limit is the sample's loss, and no refusal", async () => {
    const { run } = await clientOf();
    const reply = await run(check("like"), "x".repeat(600_000), { answer: "x" });
    expect(reply.reward).toBe(0);
  });
});

describe("a validated grader", () => {
  test("comes back as it was, with the spec that scores groups of /v1/rewards alike", async () => {
    const { client, post, run } = await clientOf();
    const grader = { ...EXAMPLE.grader, note: "kept" } as unknown as Grader;
    const valid = (await client.fineTuning.alpha.graders.validate({ grader })) as unknown as {
      grader: object;
      spec: object;
    };
    expect(valid.grader).toEqual(grader);
    const samples = ["fuzzy wuzzy was a bear", "fuzzy wuzzy had no hair"];
    const groups = [{ prompt: "Who?", item: EXAMPLE.item, rollouts: samples.map((text) => ({ text })) }];
    const rewards = (await (await post("/v1/rewards", { spec: valid.spec, groups })).json()) as { rewards: number[][] };
    const ran = await Promise.all(samples.map((sample) => run(grader, sample, EXAMPLE.item)));
    expect(rewards.rewards[0]).toEqual(ran.map(({ reward }) => reward));
  });

  test("needs its row in every group", async () => {
    const { client, post } = await clientOf();
    const { spec } = (await client.fineTuning.alpha.graders.validate({ grader: check("eq") as Grader })) as unknown as {
      spec: object;
    };
    const refused = async (item?: object) =>
      (await (
        await post("/v1/rewards", { spec, groups: [{ prompt: "P", item, rollouts: [{ text: "x" }] }] })
      ).json()) as {
        code: string;
        errors: { path: string }[];
      };
    expect(await refused()).toMatchObject({ code: "facts_required", errors: [{ path: "groups[0].item" }] });
    expect(await refused({ other: 1 })).toMatchObject({
      code: "facts_required",
      errors: [{ path: "groups[0].item.answer" }],
    });
  });
});
