// Soft votes by a stored template and by a raw completion, and the specs that cannot vote so.
import { describe, expect, test } from "vitest";
import { createEnginePool } from "../../../gpu-backend/gateway/engines/create.ts";
import { startGateway } from "../../../gpu-backend/gateway/http/server.ts";
import type { RewardsReply } from "../../../src/core/contract/rewards-reply.ts";
import { createGatewayVerifier } from "../../../src/verifier/gateway/adapter.ts";
import { createOpenAiVerifier } from "../../../src/verifier/openai/adapter.ts";
import { fakeTemplateStore } from "../../harness/fakes.ts";
import { type MockRequest, startMockVerifier } from "../../harness/mock-verifier.ts";
import { problemOf, setUp } from "./harness.ts";
import {
  besideSoftEngine,
  clock,
  close,
  engineAnswers,
  FAIR,
  groupOf,
  judged,
  letters,
  odds,
  shownIn,
  streamed,
  TEXTS,
  textOf,
  verifiers,
} from "./soft-votes-setup.ts";

besideSoftEngine();

describe.each(["openai", "verify"] as const)("a deployment's own template through %s", (protocol) => {
  const key = "The better of the two answers to the request above is [*] (one letter)";
  const template = {
    shape: "pair",
    messages: [{ role: "user", text: `{{question}}\n\n{{candidates}}\n\nEnd with a line: ${key.slice(0, 64)} A or B` }],
    candidate: "[Answer {{letter}}]\n{{text}}\n[End of answer {{letter}}]",
    parser: { kind: "line", key: key.slice(0, 64), labels: ["A", "B"] },
  };

  test("votes softly at its own key, however long it is and whatever marks it holds", async () => {
    engineAnswers.behave = (request) => {
      const pieces = [...key.slice(0, 64)].map((text) => ({ text }));
      return streamed(
        [
          { text: "Well.\n" },
          ...pieces,
          { text: " A", top: letters(odds(shownIn(textOf(request))), 1, (l) => ` ${l}`) },
        ],
        false,
      );
    };
    const app = setUp({ verifier: verifiers[protocol], clock, templates: fakeTemplateStore() });
    const headers = { "content-type": "application/json" };
    const put = await app.call("/v1/templates/own", { method: "PUT", headers, body: JSON.stringify(template) });
    expect(put.status).toBe(200);
    const judge = { preset: "own", vote: "soft", reask: 0 };
    const spec = { candidate: { extract: "whole" }, reward: "soft", judge };
    const reply = (await (await app.post("/v1/rewards", { spec, groups: [groupOf(TEXTS)] })).json()) as RewardsReply;
    expect(reply.rewards).toEqual([close(FAIR)]);
  });

  test("is refused by field where no one token says its verdict", async () => {
    const app = setUp({ verifier: verifiers[protocol], clock, templates: fakeTemplateStore() });
    const headers = { "content-type": "application/json" };
    const parser = { kind: "numbers", range: [1, 9] };
    const messages = [
      { role: "user", text: "{{question}}\n\n{{candidates}}\n\nEnd with \\boxed{7, 4}: two marks from 1 to 9." },
    ];
    const body = JSON.stringify({ ...template, messages, parser });
    const put = await app.call("/v1/templates/marks", { method: "PUT", headers, body });
    expect([put.status, await put.text()]).toEqual([200, expect.any(String)]);
    const spec = { judge: { preset: "marks", vote: "soft" } };
    const problem = await problemOf(await app.post("/v1/rewards", { spec, groups: [groupOf(TEXTS)] }));
    expect(problem.errors?.map(({ path }) => path)).toEqual(["spec.judge.vote"]);
  });
});

describe("a raw completion", () => {
  test("is asked and read in that interface's shape, through both protocols", async () => {
    const seen: MockRequest[] = [];
    const script = (request: MockRequest) => {
      seen.push(request);
      const [worth = 0] = shownIn(textOf(request));
      const top = { " Yes": worth / 4, " No": 1 - worth / 4 };
      return streamed([{ text: "Final Decision:" }, { text: " No", top }], true);
    };
    const mock = await startMockVerifier(script, { question_path: "/v1/completions" });
    const pool = createEnginePool({ urls: [mock.url], model: "judge", apiKey: null });
    const beside = await startGateway({ host: "127.0.0.1", port: 0, pool });
    const own = { ...verifiers };
    Object.assign(verifiers, {
      openai: createOpenAiVerifier({ url: mock.url, model: "judge", apiKey: null }, clock),
      verify: createGatewayVerifier({ url: beside.url, model: null, apiKey: null }, clock),
    });
    try {
      for (const protocol of ["openai", "verify"] as const) {
        const { rewards } = await judged(protocol, { preset: "general-verifier" }, { kind: "grade" });
        expect(rewards).toEqual(close([0, 0.25, 0.5]));
      }
      expect(seen.every(({ body }) => body.logprobs === 20 && body.top_logprobs === undefined)).toBe(true);
    } finally {
      Object.assign(verifiers, own);
      await beside.close(0);
      await mock.close();
    }
  });
});

describe("a spec with a soft vote", () => {
  const groups = [groupOf(TEXTS)];
  test.each([
    [
      "a preset whose verdict no one token says",
      { judge: { vote: "soft", preset: "ruler" } },
      "spec.judge.vote",
      "text-select",
    ],
    ["scores", { judge: { vote: "soft", form: "scores" } }, "spec.judge.vote", "exact_match"],
    [
      "a grade by criteria",
      { signals: { q: { kind: "grade", judge: { vote: "soft", preset: "rubric" } } } },
      "spec.signals.q.judge.vote",
      "yes-no",
    ],
  ])("is refused by field with %s", async (_, spec, path, word) => {
    const problem = await problemOf(await setUp().post("/v1/rewards", { spec, groups }));
    expect(problem.errors).toEqual([{ path, message: expect.stringContaining(word) }]);
  });

  test("is told by specs/check with what it costs at most", async () => {
    const spec = { judge: { vote: "soft", preset: "letter-select", max_tokens: 8 }, reward: "soft" };
    const reply = (await (await setUp().post("/v1/specs/check?n=16", spec)).json()) as Record<string, unknown>;
    expect(reply.spec).toMatchObject({ judge: { vote: "soft", prompt: "letter-select" } });
    expect(reply.cost).toMatchObject({ generations: 120, completion_tokens_max: 8 * (240 + 20) });
  });
});
