// The texts of lists that went wrong: read back from the log when they are there, shown in the report as
// texts.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { AnswerSchema, type AnswerStore } from "../../evaluate/asking/answers.ts";
import { type Cell, planCells } from "../../evaluate/asking/cells.ts";
import { askLists } from "../../evaluate/asking/client.ts";
import { WRONG_TOLD, wrongLists, wrongTable } from "../../evaluate/asking/wrong-lists.ts";
import { compareReports } from "../../evaluate/report.ts";
import { tableHtml } from "../../report/page.ts";
import { fixtureLists } from "./fixture-set.ts";

const [CELL] = planCells({ formulations: ["list_em"], k: [1], k_of: [], positions: false, base: {} }) as [Cell];
const LISTS = fixtureLists({ problems: 1, lists: 2 });
const bestOf = (list: (typeof LISTS)[number]) => list.candidates.findIndex(({ pass_rate }) => pass_rate === 1);
const HOSTILE = "<script>alert(1)</script>\u001b[31m|\n\\boxed{B}";

/** In a status's place: the run is stopped when the log is asked. */
const STOP = 0;

let server: Server | undefined;
afterEach(() => void server?.close());

/**
 * A Kritai whose first list is right and second wrong, and whose log answers with these statuses,
 * then 200.
 */
async function kritai(...statuses: number[]) {
  const asked: string[] = [];
  const controller = new AbortController();
  const groups = LISTS.map((list, i) => {
    const selected = i === 0 ? bestOf(list) : (bestOf(list) + 1) % list.candidates.length;
    const verifier = { comparisons: 1, generations: 1, parsed: 1, failed: 0, prompt_tokens: 1, completion_tokens: 1 };
    const rollouts = list.candidates.map(() => ({ error: null }));
    const rest = { win_counts: [], rollouts, metrics: { position_flip_rate: null }, verifier };
    return { group_id: list.list_id, status: "ok", selected, ...rest };
  });
  server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const ofLog = request.method === "GET";
    asked.push(
      ofLog ? `${request.url}` : JSON.stringify(JSON.parse(Buffer.concat(parts).toString()).spec.log_verdicts),
    );
    const [first, second] = [bestOf(LISTS[1] as (typeof LISTS)[number]), groups[1]?.selected as number];
    const verdicts = [
      ...[0, 1, 2, 3].map(() => ({ order: [first], letter: null, scores: [7, 2], status: "ok", text: "of the best" })),
      { order: [second, first], letter: "B", status: "ok", text: HOSTILE },
    ];
    const body = ofLog ? { group_id: "q.1", verdicts } : { request_id: "q", spec_hash: "sha256:1", groups };
    const status = ofLog ? (statuses.shift() ?? 200) : 200;
    if (status === STOP) return controller.abort(new Error("stopped"));
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server?.once("listening", resolve));
  const target = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const common = { target, api_key: null, run_id: "r", deadline_ms: 1_000, labelled: false };
  return {
    asked,
    ask: (texts: boolean) =>
      askLists(CELL, LISTS, { ...common, texts: texts ? new Map<string, number>() : null, signal: controller.signal }),
  };
}

describe("what the verifier wrote", () => {
  it("is read back for wrong lists only, as soon as the log has it", async () => {
    const { asked, ask } = await kritai(404);
    const answers = await ask(true);
    expect(asked).toEqual(["true", "/v1/groups/q.1/verdicts", "/v1/groups/q.1/verdicts"]);
    expect(answers[0]).not.toHaveProperty("said");
    const pair = [answers[1]?.selected, bestOf(LISTS[1] as (typeof LISTS)[number])];
    expect(answers[1]?.said?.[0]).toEqual({ shown: pair, verdict: "B", text: HOSTILE });
    expect(answers[1]?.said).toHaveLength(3);
    expect(answers[1]?.said?.[1]?.verdict).toBe("7, 2");
    expect(AnswerSchema.array().parse(answers)).toEqual(answers);
  });

  it("is omitted if the key may not read the log, and not requested with --no-texts", async () => {
    const { ask } = await kritai(403);
    expect((await ask(true)).map(({ said }) => said)).toEqual([undefined, []]);
    server?.close();
    const silent = await kritai();
    await silent.ask(false);
    expect(silent.asked).toEqual([undefined]);
  });
});

describe("a stop while texts are read", () => {
  it("loses no answer", async () => {
    const { ask } = await kritai(STOP);
    expect((await ask(true)).map(({ said }) => said)).toEqual([undefined, []]);
  });
});

describe("the report's wrong lists", () => {
  it("name the selected and the best candidate, with escaped texts, up to a limit per cell", async () => {
    const { ask } = await kritai();
    const answers = await ask(true);
    const store = { get: (id: string) => answers.find(({ list_id }) => list_id === id) } as unknown as AnswerStore;
    const wrong = wrongLists([CELL], LISTS, store);
    expect(wrong.map(({ list_id }) => list_id)).toEqual([LISTS[1]?.list_id]);
    const table = wrongTable(CELL.name, wrong);
    expect(table?.rows).toHaveLength(3);
    expect(table?.rows[0]?.slice(4)).toEqual(["B", "<script>alert(1)</script> [31m| \\boxed{B}"]);
    expect(`${tableHtml(table as NonNullable<typeof table>)}`).not.toContain("<script>");
    expect(wrongTable("another", wrong)).toBeNull();
    const second = LISTS[1] as (typeof LISTS)[number];
    const many = Array.from({ length: 2 * WRONG_TOLD }, () => second);
    expect(wrongLists([CELL], many, store)).toHaveLength(WRONG_TOLD);
  });

  it("are escaped in Markdown too: no cell delimiter, no image that a reader would load", () => {
    const said = "a \\| b ![x](http://example.com/x.png) `c`";
    const { markdown } = compareReports([], [], null, [{ caption: "c", columns: ["text"], rows: [[said]] }]);
    expect(markdown).toContain("| a \\\\\\| b ![x]\\(http://example.com/x.png) \\`c\\` |");
  });
});
