// Holds that every option of a contract's URL may be in a header, for tools that can be given headers and no
// query: the URL wins, and a wrong value is refused by the header's name.
import { describe, expect, test } from "vitest";
import type { AppContext } from "../../../src/api/door/scope.ts";
import {
  OptionsSchema,
  optionHeader,
  SampleOptionsSchema,
  sampleOptions,
  urlOptions,
} from "../../../src/api/tools/shared/options.ts";
import { KritaiSchema } from "../../../src/api/tools/shared/ranking-options.ts";
import { fenced, setUp } from "../routes/harness.ts";
import { fixedRooms, gathered, without } from "./sample-setup.ts";

/** For each option a text that no other says. */
const SAID: Record<string, string> = {
  spec: "strict",
  run_id: "r-7",
  step: "12",
  deadline_ms: "9000",
  on_failure: "-0.5",
  response_field: "marks",
  group_size: "6",
  val_group_size: "3",
  log_step: "13",
  group_window_ms: "70",
  tries: "5",
  on_incomplete: "error",
  format: "object",
};

const contextOf = (query: Record<string, string>, headers: Record<string, string>) => {
  const lower = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const queries = () => Object.fromEntries(Object.entries(query).map(([name, value]) => [name, [value]]));
  const header = (name?: string) => (name === undefined ? Object.fromEntries(lower) : lower.get(name.toLowerCase()));
  return { req: { queries, header }, get: () => ({ key_name: null }) } as unknown as AppContext;
};

test.each([
  ["whole groups", OptionsSchema, urlOptions],
  ["one sample a request", SampleOptionsSchema, (c: AppContext) => sampleOptions(c, { group_sizes: new Map() })],
] as const)("of contracts with %s each option is read from its header as from the URL", (_, schema, read) => {
  const said = Object.fromEntries(Object.keys(schema.shape).map((name) => [name, SAID[name] as string]));
  const headers = Object.fromEntries(Object.entries(said).map(([name, text]) => [optionHeader(name), text]));
  const byUrl = read(contextOf(said, {}));
  expect(Object.values(byUrl)).not.toContain(undefined);
  expect(read(contextOf({}, headers))).toEqual(byUrl);
  for (const name of Object.keys(said)) {
    expect(() => read(contextOf({}, { [optionHeader(name)]: "?!" }))).toThrow(`${optionHeader(name)}: `);
    expect(read(contextOf({ [name]: said[name] as string }, { [optionHeader(name)]: "?!" }))).toMatchObject({
      [name]: (byUrl as Record<string, unknown>)[name],
    });
  }
});

test("the headers' names are words with hyphens", () => {
  expect(["on_failure", "group_window_ms", "spec"].map(optionHeader)).toEqual([
    "Kritai-On-Failure",
    "Kritai-Group-Window-Ms",
    "Kritai-Spec",
  ]);
});

const RERANK = { query: "q", documents: ["a", "bb"] };
const SLIME = { prompt: "p", response: fenced("a") };

describe("an option that the URL or a header misspells is refused with a hint", () => {
  test.each([
    ["/v2/rerank", RERANK, "deadline", 'unknown option; did you mean "deadline_ms"?'],
    ["/v2/rerank", RERANK, "runid", 'unknown option; did you mean "run_id"?'],
    ["/v2/rerank", RERANK, "Spec", 'unknown option; did you mean "spec"?'],
    ["/v2/rerank", RERANK, "both_orders", "set it in a spec, and name the spec in `spec`"],
    ["/v2/rerank", RERANK, "budget", "rankings read it from `kritai` in the body or the header Kritai-Budget"],
    ["/score", { query: "q", documents: ["a"] }, "on_incomplete", "not an option of this URL, which has spec, run_id"],
    ["/slime/reward", SLIME, "group-size", 'unknown option; did you mean "group_size"?'],
    ["/slime/reward", SLIME, "deadlin_ms", 'unknown option; did you mean "deadline_ms"?'],
  ])("%s: %s", async (path, body, name, message) => {
    const reply = await setUp().post(`${path}?${name}=5`, body);
    expect([reply.status, await reply.text()]).toEqual([
      400,
      expect.stringContaining(JSON.stringify(message).slice(1, -1)),
    ]);
  });

  test.each([
    ["/v2/rerank", RERANK, "Kritai-Deadline", 'kritai-deadline: unknown option; did you mean "Kritai-Deadline-Ms"?'],
    ["/slime/reward", SLIME, "Kritai-Groupsize", 'kritai-groupsize: unknown option; did you mean "Kritai-Group-Size"?'],
    ["/v2/rerank", RERANK, "Kritai-Colour", "kritai-colour: unknown option"],
    ["/v1/rewards", {}, "Kritai-Deadline-Ms", "kritai-deadline-ms: this route reads no options from headers"],
  ])("%s: %s", async (path, body, name, message) => {
    const reply = await setUp().post(path, body, { [name]: "5" });
    expect([reply.status, await reply.text()]).toEqual([
      400,
      expect.stringContaining(JSON.stringify(message).slice(1, -1)),
    ]);
  });
});

test("parameters that clients append and options that other routes read are ignored", async () => {
  const { post } = setUp();
  const appended = "/v2/rerank?api-version=2024-05-01&key=k&%24alt=json&format=json&v=1&code=c";
  expect((await post(appended, RERANK)).status).toBe(200);
  expect((await post("/v2/rerank", RERANK, { "kritai-group-size": "4" })).status).toBe(200);
  for (const name of Object.keys(KritaiSchema.unwrap().unwrap().shape)) {
    const reply = await post("/v2/rerank", RERANK, { [optionHeader(name)]: "?!" });
    expect([reply.status, await reply.text()]).toEqual([400, expect.stringContaining(optionHeader(name))]);
  }
});

test("a header decides a gathered sample's failure, and reaches its room", async () => {
  const body = { prompt: "p", response: fenced("a") };
  const failing = setUp(fixedRooms(without("deadline")));
  expect((await failing.post("/slime/reward", body)).status).toBe(504);
  const declared = await failing.post("/slime/reward", body, { "kritai-on-failure": "-1" });
  expect([declared.status, await declared.json()]).toEqual([200, -1]);
  const { rooms, joined } = fixedRooms(gathered());
  const headers = { "kritai-group-size": "4", "kritai-on-incomplete": "error", "kritai-step": "3" };
  await setUp({ rooms }).post("/slime/reward", body, headers);
  expect(joined).toMatchObject([{ group_size: 4, whole_only: true, step: 3 }]);
});
