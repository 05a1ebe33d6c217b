// The guarantees of a run over a benchmark's rows: what is sent, what failed is asked again, the files, and
// several verifiers beside one another.
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../test/e2e/temporary-folder.ts";
import { type Options, readOptions } from "../../evaluate/flags.ts";
import { compareVerifiers, isVerifierRun } from "../../evaluate/verifiers/compare.ts";
import { evaluateVerifier } from "../../evaluate/verifiers/evaluate.ts";

interface Group {
  group_id: string;
  prompt: string;
  rollouts: { text: string }[];
}

const folder = temporaryFolder();
const rows = Array.from({ length: 12 }, (_, i) => ({
  id: `r${i}`,
  prompt: `p${i}`,
  completion: i % 2 === 0 ? "good" : "bad",
  label: i % 2 === 0 || i === 3,
  generator: i < 6 ? "m1" : "m2",
  difficulty: i % 3 === 0 ? "hard" : "easy",
}));
const lines = rows.map((row) => JSON.stringify(row)).join("\n");

/** The server's answer to a text; null: it fails for the time being. */
let scoreOf: (text: string, id: string) => number | null = () => 1;
let sent: { spec: unknown; groups: Group[] }[] = [];
const server = createServer(async (request, response) => {
  if (request.method === "GET") return void response.writeHead(404).end();
  const body = JSON.parse((await request.toArray()).join("")) as { spec: unknown; groups: Group[] };
  sent.push(body);
  const groups = body.groups.map(({ group_id, rollouts }) => ({
    group_id,
    rollouts: rollouts.map(({ text }) => {
      const reward = scoreOf(text, group_id);
      return { reward, error: reward === null ? "deadline" : null, ...(reward === null && { retryable: true }) };
    }),
    metrics: { position_flip_rate: null },
    verifier: { generations: 1, prompt_tokens: 5, completion_tokens: 2 },
  }));
  response
    .setHeader("content-type", "application/json")
    .end(JSON.stringify({ request_id: "q", spec_hash: "sha256:1", groups }));
});
beforeAll(async () => {
  writeFileSync(`${folder.path}/rows.jsonl`, `${lines}\nno json\n`);
  writeFileSync(`${folder.path}/rows.jsonl.gz`, gzipSync(lines));
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
  folder.remove();
});

const around = () => {
  const notes: string[] = [];
  return {
    notes,
    command: "c",
    api_key: null,
    signal: new AbortController().signal,
    onNote: (text: string) => void notes.push(text),
    onProgress: () => {},
  };
};

function run(out: string, ...flags: string[]) {
  const target = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const file = `${folder.path}/rows.jsonl`;
  const given = [
    "--layout",
    "labelled",
    "--rows",
    file,
    "--target",
    target,
    "--out",
    `${folder.path}/${out}`,
    ...flags,
  ];
  const options = readOptions([...given, "--bootstrap", "50"]) as Extract<Options, { mode: "verifier" }>;
  const surroundings = around();
  sent = [];
  return evaluateVerifier(options.verifier, surroundings).then((summary) => ({ summary, ...surroundings }));
}

describe("a run over rows", () => {
  it("sends whole texts in batches, reports unreadable rows, and writes every item", async () => {
    scoreOf = (text) => (text === "good" ? 0.9 : 0.2);
    const { summary, notes } = await run("one", "--name", "one", "--batch", "5");
    expect(sent.map(({ groups }) => groups.length).sort()).toEqual([2, 5, 5]);
    expect(sent[0]?.spec).toEqual({ candidate: { extract: "whole" }, signals: { good: { kind: "grade" } } });
    expect(notes.join("\n")).toContain("rows.jsonl:13 (not JSON)");
    expect(summary).toMatchObject({ complete: true, answered: 12, left_out: { "malformed row": 1 } });
    expect(summary.main.value.mean).toBeCloseTo(11 / 12);
    const items = readFileSync(`${folder.path}/one/items.jsonl`, "utf8").trim().split("\n");
    expect(items.length).toBe(12);
    const report = readFileSync(`${folder.path}/one/report.md`, "utf8");
    for (const part of ["difficulty and generator", "as a probability", "Abstention", "| r3 |"])
      expect(report).toContain(part);
  });

  it("excludes failed items from every figure and retries only them", async () => {
    scoreOf = (text, id) => (id === "r0" ? null : text === "good" ? 1 : 0);
    const first = await run("two", "--name", "two");
    expect(first.summary).toMatchObject({ complete: false, answered: 11, failed: { deadline: 1 } });
    scoreOf = (text) => (text === "good" ? 1 : 0);
    const second = await run("two", "--name", "two");
    expect(sent.flatMap(({ groups }) => groups.map(({ group_id }) => group_id))).toEqual(["r0"]);
    expect(second.summary).toMatchObject({ complete: true, failed: {} });
  });

  it("reads gzipped rows, and a smaller sample is part of a larger one", async () => {
    const ids = async (limit: string) => {
      await run(`limit-${limit}`, "--rows", `${folder.path}/rows.jsonl.gz`, "--limit", limit);
      return sent.flatMap(({ groups }) => groups.map(({ group_id }) => group_id));
    };
    const [small, large] = [await ids("4"), await ids("9")];
    expect(small.length).toBe(4);
    expect(large).toEqual(expect.arrayContaining(small));
  });
});

describe("several verifiers", () => {
  it("are compared item by item, and items where all contradict the label are listed", async () => {
    scoreOf = () => 0.1;
    await run("three", "--name", "three");
    const folders = ["one", "three"].map((name) => `${folder.path}/${name}`);
    expect(isVerifierRun(folders[0] as string)).toBe(true);
    expect(await compareVerifiers(folders, `${folder.path}/both`)).toContain(
      "on 1 of them all verifiers contradict the label.",
    );
    expect(readFileSync(`${folder.path}/both/audit.jsonl`, "utf8")).toContain('"id":"r3"');
    const { differences } = JSON.parse(readFileSync(`${folder.path}/both/compare.json`, "utf8"));
    expect(differences[0].credit).toMatchObject({ mean: -0.5, n: 12 });
    await expect(compareVerifiers([folders[0] as string, `${folder.path}/limit-4`], folder.path)).rejects.toThrow(
      "different rows",
    );
  });
});

describe("flags of rows", () => {
  const flags =
    (...more: string[]) =>
    () =>
      readOptions(["--layout", "rm-bench", "--rows", "f", ...more]);

  it("refuse flags that only lists accept, and name the layouts", () => {
    expect(flags("--control", "simulator", "--k", "2")).toThrow("--k cannot be combined with --layout");
    expect(flags("--control", "oracle")).toThrow("with --layout, --control must be simulator");
    expect(flags()).toThrow("one of --verifier, --target and --control is required");
    expect(() => readOptions(["--layout", "mt-bench", "--rows", "f"])).toThrow("judge-bench");
    expect(() => readOptions(["--set", "s", "--control", "cpu", "--rows", "f"])).toThrow("--rows requires --layout");
  });
});
