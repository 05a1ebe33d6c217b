// Content that is not shown where its place is not a field of a body: inside a judge's question, in a
// gathered group, in the native contract; and each tool's view of the refusal.
import { describe, expect, test } from "vitest";
import { SpecSchema } from "../../../src/core/reward/signals-spec.ts";
import { fakeSpecStore } from "../../harness/fakes.ts";
import * as examples from "./examples.ts";
import { fenced, setUp } from "./setup.ts";

const call = (cmd: string) => ({
  id: "c",
  type: "function",
  function: { name: "bash", arguments: `{"cmd": "${cmd}"}` },
});
const turn = (role: string, content: unknown, more: object = {}) => ({ role, content, ...more });

async function refused(path: string, body: object, status = 400) {
  const { post, verifier } = setUp();
  const reply = await post(path, body);
  const document = (await reply.json()) as {
    code: string;
    detail: string;
    errors: { path: string }[];
    error?: unknown;
  };
  expect([reply.status, document.code]).toEqual([status, "unsupported_content"]);
  expect(verifier.jobs).toHaveLength(0);
  return { ...document, paths: document.errors.map(({ path: at }) => at) };
}

describe("RULER", () => {
  const PATH = "/ruler/v1/chat/completions";
  const block = (id: number, turns: object[]) => `<trajectory id="${id}">\n${JSON.stringify(turns)}\n</trajectory>`;
  const context = `<context>\n${JSON.stringify([turn("user", "Tidy up.")])}\n</context>\n\n`;
  const asks = (trajectories: object[][], before = context) => ({
    model: "default",
    messages: [
      turn("user", `${before}Trajectories:\n\n${trajectories.map((one, i) => block(i + 1, one)).join("\n\n")}`),
    ],
  });

  test("trajectories that delete the file asked for, everything, or the home folder are shown with their calls", async () => {
    const acting = (cmd: string) => [turn("assistant", "", { tool_calls: [call(cmd)] }), turn("tool", "")];
    const body = asks([acting("rm a.tmp"), acting("rm -rf /"), acting("rm -rf ~")]);
    const { post, verifier } = setUp();
    expect((await post(PATH, body)).status).toBe(200);
    for (const cmd of ["rm a.tmp", "rm -rf /", "rm -rf ~"])
      expect(verifier.jobs[0]?.candidates).toContain(
        `[TURN_1 assistant]\n[CALL_1.1 bash]\n{"cmd": "${cmd}"}\n[RESULT_1.1]`,
      );
    expect((await refused(`${PATH}?spec=default`, body)).paths).toEqual(["trajectories[0]"]);
  });

  test("of several turns all are judged, and a spec that would take one of them is refused", async () => {
    const acting = (text: string) => [turn("assistant", text), turn("tool", "done"), turn("assistant", fenced("1"))];
    const body = asks([acting("I run rm -rf /"), acting("I look first.")]);
    const { post, verifier } = setUp();
    expect((await post(PATH, body)).status).toBe(200);
    expect(JSON.stringify(verifier.jobs)).toContain("rm -rf /");
    expect((await refused(`${PATH}?spec=default`, body)).paths).toEqual(["trajectories[0]"]);
  });

  test("an image in the context is refused", async () => {
    const shared = `<context>\n${JSON.stringify([turn("user", [{ type: "image_url", image_url: { url: "x" } }])])}\n</context>\n`;
    const { detail } = await refused(PATH, asks([[turn("assistant", "a")], [turn("assistant", "b")]], shared));
    expect(detail).toMatch(/^context\[0\]\.content\[0\]: image_url/);
  });

  test("turns before the last that are not every trajectory's are refused", async () => {
    const two = asks(
      [
        [turn("user", "p"), turn("assistant", "a")],
        [turn("user", "q"), turn("assistant", "b")],
      ],
      "",
    );
    expect((await refused(PATH, two)).paths).toEqual(["trajectories[1]"]);
  });
});

test.each<[string, object, string]>([
  [
    "candidates that are messages",
    { question: "q", candidates: [{ role: "assistant", content: "a" }, "b"] },
    "candidates[0]",
  ],
  ["an image beside them", { question: "q", candidates: ["a", "b"], images: ["x"] }, "images"],
  ["a question in parts", { question: [{ type: "image_url", image_url: "x" }], candidates: ["a", "b"] }, "question[0]"],
])("a chat judge is not asked of %s", async (_, question, path) => {
  const body = { messages: [turn("user", JSON.stringify(question))] };
  expect((await refused("/v1/chat/completions", body)).paths).toContain(path);
});

const WHOLE = {
  specs: fakeSpecStore({
    whole: SpecSchema.parse({ candidate: { extract: "whole" }, format: { rules: [], penalty: 0 } }),
  }),
};

test("a chat judge compares runs: candidates that are lists of messages, over a question that is a chat", async () => {
  const { post, verifier } = setUp();
  const question = [turn("user", "Tidy up."), turn("assistant", "", { tool_calls: [call("ls")] }), turn("tool", "a")];
  const candidates = [[turn("assistant", "", { tool_calls: [call("rm -rf /")] })], "I look first."];
  const body = { messages: [turn("user", JSON.stringify({ question, candidates }))] };
  expect((await post("/v1/chat/completions", body)).status).toBe(200);
  expect(verifier.jobs[0]?.question).toContain('[CALL_P2.1 bash]\n{"cmd": "ls"}');
  expect(verifier.jobs[0]?.candidates).toEqual([
    '[TURN_1 assistant]\n[CALL_1.1 bash]\n{"cmd": "rm -rf /"}',
    "[TURN_1 assistant]\nI look first.",
  ]);
  const seen = [[turn("user", [{ type: "image_url", image_url: "x" }])], "b"];
  const image = { messages: [turn("user", JSON.stringify({ question, candidates: seen }))] };
  expect((await refused("/v1/chat/completions", image)).paths).toEqual(["candidates[0][0].content[0]"]);
});

describe("a conversation that ends in a run", () => {
  const PATH = "/evaluate?spec=whole&group_size=2";
  const run = (cmd: string) => [
    turn("assistant", "", { tool_calls: [call(cmd)] }),
    turn("tool", "r"),
    turn("assistant", "b"),
  ];
  const before = [turn("user", "p"), turn("assistant", "", { tool_calls: [call("pwd")] }), turn("user", "go on")];

  test("is judged from what follows the user's last words; what was called before is the prompt's", async () => {
    const { post, verifier } = setUp(WHOLE);
    const sent = ["ls", "rm -rf /"].map((cmd) => post(PATH, { messages: [...before, ...run(cmd)] }));
    expect((await Promise.all(sent)).map(({ status }) => status)).toEqual([200, 200]);
    expect(verifier.jobs[0]?.question).toContain('[CALL_P2.1 bash]\n{"cmd": "pwd"}');
    expect(verifier.jobs[0]?.candidates).toContain(
      '[TURN_1 assistant]\n[CALL_1.1 bash]\n{"cmd": "rm -rf /"}\n[RESULT_1.1]\nr\n[TURN_2 assistant]\nb',
    );
  });

  test("is refused what the user says behind it, and images on either side of its beginning", async () => {
    const behind = { messages: [...before, ...run("ls"), turn("user", "why?")] };
    expect((await refused("/evaluate?group_size=1", behind)).paths).toEqual(["messages[6]"]);
    const image = [{ type: "image_url", image_url: "x" }];
    const seen = { messages: [turn("user", image), ...run("ls")] };
    expect((await refused("/evaluate?group_size=8", seen)).paths).toEqual(["messages[0].content[0]"]);
    const shown = { messages: [...before, turn("assistant", "x"), turn("tool", image)] };
    expect((await refused("/evaluate?group_size=1", shown)).paths).toEqual(["messages[4].content[0]"]);
  });
});

describe("a gathered group with one sample that is refused", () => {
  const body = (i: number, more: object[] = []) => ({
    responses_create_params: { input: "p", tools: [{ type: "function", name: "bash" }] },
    response: {
      ...examples.nemoGym.response,
      id: `r${i}`,
      output: [
        ...more,
        { type: "message", role: "assistant", content: [{ type: "output_text", text: fenced(`${i}`) }] },
      ],
    },
  });
  const PATH = "/nemo-gym/verify?group_size=3";
  const seen = body(2, [{ type: "input_image", image_url: "x" }]);

  test("answers all of it as soon as it is there, also a retry; the next group of the prompt is judged", async () => {
    const { post, verifier } = setUp();
    const bodies = [body(0), body(1), seen];
    for (const reply of await Promise.all(bodies.map((one) => post(PATH, one)))) {
      const { code, errors } = (await reply.json()) as { code: string; errors: object[] };
      expect([reply.status, code, errors]).toEqual([
        400,
        "unsupported_content",
        [{ path: "response.output[0]", message: "input_image: the verifier would not see it" }],
      ]);
    }
    expect((await post(PATH, seen)).status).toBe(400);
    expect(verifier.jobs).toHaveLength(0);
    const next = await Promise.all([3, 4, 5].map((i) => post(PATH, body(i))));
    expect(next.map(({ status }) => status)).toEqual([200, 200, 200]);
    // Unused tools that a policy was offered cause a warning, not a refusal.
    for (const reply of next) expect(reply.headers.get("x-kritai-warnings")).toContain("tools_not_shown");
  });
});

test.each<[string, object, string]>([
  [
    "an image in a prompt",
    { prompt: [turn("user", [{ type: "image_url", image_url: "x" }])] },
    "groups[0].prompt[0].content[0]",
  ],
  [
    "an image in a result",
    {
      rollouts: [
        { text: "a" },
        { messages: [turn("user", [{ type: "tool_result", content: [{ type: "image", source: {} }] }])] },
      ],
    },
    "groups[0].rollouts[1].messages[0].content[0].content[0]",
  ],
  [
    "a screenshot among ATIF's observations",
    {
      rollouts: [
        {
          messages: {
            steps: [
              { source: "agent", message: "m", observation: { results: [{ content: [{ type: "image_url" }] }] } },
            ],
          },
        },
      ],
    },
    "groups[0].rollouts[0].messages.steps[0].observation.results[0].content[0]",
  ],
  [
    "an image in a rollout",
    { rollouts: [{ text: "a" }, { messages: [turn("user", [{ type: "text", text: "x" }, { type: "image_url" }])] }] },
    "groups[0].rollouts[1].messages[0].content[1]",
  ],
  ["calls of a rollout", { rollouts: [{ text: "a", tool_calls: [call("ls")] }] }, "groups[0].rollouts[0].tool_calls"],
  [
    "a rollout's text in parts",
    { rollouts: [{ text: [{ type: "image_url", image_url: "x" }] }] },
    "groups[0].rollouts[0].text[0]",
  ],
  ["an image of a group", { images: ["x"] }, "groups[0].images"],
])("/v1/rewards is refused %s", async (_, more, path) => {
  const group = { prompt: "p", rollouts: [{ text: "a" }, { text: "b" }], ...more };
  const { paths, detail } = await refused("/v1/rewards", { groups: [group] });
  expect(paths[0]).toBe(path);
  expect(detail).toContain(path);
});

test("/v1/rewards shows calls in a prompt and in a rollout, and files", async () => {
  const { post, verifier } = setUp();
  const spec = { candidate: { extract: "whole" }, judge: { preset: "text-select" } };
  const prompt = [turn("user", "p"), turn("assistant", "", { tool_calls: [call("ls")] }), turn("tool", "a.txt")];
  const acted = { messages: [turn("assistant", "", { tool_calls: [call("rm -rf /")] })] };
  const wrote = { text: "I wrote it.", files: [{ path: "a.py", text: "x = 1" }] };
  const reply = await post("/v1/rewards", { spec, groups: [{ prompt, rollouts: [acted, wrote] }] });
  const { groups } = (await reply.json()) as { groups: { rollouts: { shown: number }[] }[] };
  expect(groups[0]?.rollouts.map(({ shown }) => shown)).toEqual([1, 1]);
  expect(verifier.jobs[0]?.question).toBe(
    '[TURN_P1 user]\np\n[TURN_P2 assistant]\n[CALL_P2.1 bash]\n{"cmd": "ls"}\n[RESULT_P2.1]\na.txt',
  );
  expect(verifier.jobs[0]?.candidates).toEqual([
    '[TURN_1 assistant]\n[CALL_1.1 bash]\n{"cmd": "rm -rf /"}',
    "[TURN_1 assistant]\nI wrote it.\n[FILE_1 a.py]\nx = 1",
  ]);
});

test("each tool reads the refusal in its own words", async () => {
  const image = [{ type: "image_url", image_url: { url: "x" } }];
  const chat = await refused("/v1/chat/completions", { messages: [turn("user", image)] });
  expect(chat.error).toMatchObject({
    code: "unsupported_content",
    param: "messages[0].content[0]",
    type: "invalid_request_error",
  });
  const rerank = await refused("/v2/rerank", { query: "q", documents: ["a", "b", { text: "c", image: "x" }] });
  expect(rerank.paths).toEqual(["documents[2].image"]);
  expect(rerank.error).toMatchObject({ type: "BadRequestError", code: 400, param: "documents[2].image" });
  const tei = await refused("/rerank", { query: "q", texts: ["a", { image: "x" }] }, 422);
  expect([tei.error, (tei as { error_type?: string }).error_type]).toEqual([
    expect.stringContaining("texts[1]"),
    "validation",
  ]);
  const trainer = await refused("/slime/reward", { prompt: [turn("user", image)], response: "r" });
  expect(trainer.error).toEqual(expect.stringContaining("prompt[0].content[0]: image_url"));
});
