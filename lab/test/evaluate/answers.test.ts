// The guarantees of the answers on disk: they outlive a killed run, and answers of different runs never mix.
import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../test/e2e/temporary-folder.ts";
import {
  type Answer,
  AnswerSchema,
  openAnswers as open,
  type RunIdentity,
  RunMismatch,
} from "../../evaluate/asking/answers.ts";

const IDENTITY: RunIdentity = {
  format: "kritai-evaluation-run/1",
  target: "http://127.0.0.1:1",
  set: "s",
  set_sha256: "a",
  spec: { judge: { temperature: 0 } },
  labelled: false,
};

const answer = (list_id: string, more: Partial<Answer> = {}): Answer => ({
  list_id,
  cell: "list_em@1",
  spec_hash: "sha256:1",
  request_id: "r",
  error: null,
  selected: 0,
  win_counts: [1, 0],
  comparisons: 1,
  generations: 1,
  parsed: 1,
  failed: 0,
  prompt_tokens: 5,
  completion_tokens: 7,
  position_flip_rate: null,
  ...more,
});

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

/** Opens, works, closes. */
const openAnswers = (at: string, identity: RunIdentity) => open(at, identity, AnswerSchema);

function using<T>(identity: RunIdentity, work: (store: ReturnType<typeof openAnswers>) => T): T {
  const store = openAnswers(folder.path, identity);
  try {
    return work(store);
  } finally {
    store.close();
  }
}

describe("answers", () => {
  it("survive reopening the folder", () => {
    using(IDENTITY, (store) => store.append([answer("a"), answer("b")]));
    using(IDENTITY, (store) => {
      expect(store.get("a", "list_em@1")).toEqual(answer("a"));
      expect(store.get("a", "list_em@2")).toBeUndefined();
    });
  });

  it("survive a line torn by a kill, which is cut off before more is written", () => {
    using(IDENTITY, (store) => store.append([answer("a")]));
    appendFileSync(join(folder.path, "answers.jsonl"), '{"list_id":"ä');
    using(IDENTITY, (store) => store.append([answer("b")]));
    const lines = readFileSync(join(folder.path, "answers.jsonl"), "utf8").trim().split("\n");
    expect(lines.map((line) => JSON.parse(line).list_id)).toEqual(["a", "b"]);
  });

  it("that failed are failures until an answer comes", () => {
    using(IDENTITY, (store) => {
      store.append([answer("a", { error: "deadline" })]);
      expect(store.get("a", "list_em@1")).toBeUndefined();
      expect([...store.failures("list_em@1")]).toEqual([["a", "deadline"]]);
      store.append([answer("a")]);
      expect(store.failures("list_em@1").size).toBe(0);
      expect(store.get("a", "list_em@1")?.error).toBeNull();
    });
  });

  it.each([
    ["target", { target: "http://127.0.0.1:2" }],
    ["set_sha256", { set_sha256: "b" }],
    ["spec", { spec: {} }],
    ["labelled", { labelled: true }],
  ])("of a run with another %s are refused by that name", (name, other) => {
    using(IDENTITY, (store) => store.append([answer("a")]));
    expect(() => openAnswers(folder.path, { ...IDENTITY, ...other })).toThrow(RunMismatch);
    expect(() => openAnswers(folder.path, { ...IDENTITY, ...other })).toThrow(`${name} was`);
    using(IDENTITY, (store) => expect(store.get("a", "list_em@1")).toBeDefined());
  });

  it("under another spec hash of the same cell are refused and not written", () => {
    using(IDENTITY, (store) => {
      store.append([answer("a")]);
      expect(() => store.append([answer("b", { spec_hash: "sha256:2" })])).toThrow(RunMismatch);
      expect(store.get("b", "list_em@1")).toBeUndefined();
    });
  });

  it("are written by one run at a time", () => {
    using(IDENTITY, () => {
      expect(() => openAnswers(folder.path, IDENTITY)).toThrow(`in use by process ${process.pid}`);
    });
  });
});
