// Holds what every rerank route promises: a score for each document or a failure, named fields shown
// or refused, bodies as vendors' clients send them. One case a line in vectors/rankings.jsonl.
import { expect, test } from "vitest";
import { CONTRACTS } from "../../../src/api/tools/table.ts";
import type { ItemErrorCode } from "../../../src/core/faults/errors.ts";
import { fakeVerifier, fixedClock, type Script } from "../../harness/fakes.ts";
import { lines } from "../../harness/vector-lines.ts";
import { longest, setUp } from "./setup.ts";

type Fields = Record<string, unknown>;

interface RankRoute {
  contract: string;
  path: string;
  /** The names of the list and of how many are wanted. */
  list: string;
  top?: string;
  /** Documents may be objects. */
  objects?: true;
  asDocument?: (text: unknown, i: number) => unknown;
  results: (reply: never) => Fields[];
  score: string;
  /** The status of a failure that is 503 or 504 elsewhere, and of a body that is 400. */
  failed?: number;
  invalid?: number;
}

const results = ({ results: list }: { results: Fields[] }) => list;
const data = ({ data: list }: { data: Fields[] }) => list;

const ROUTES: RankRoute[] = [
  ...["/v1/rerank", "/v2/rerank"].map(
    (path): RankRoute => ({
      ...{ contract: "cohere_rerank", path, list: "documents", top: "top_n", objects: true },
      ...{ results, score: "relevance_score" },
    }),
  ),
  {
    ...{ contract: "bare_rerank", path: "/rerank", list: "documents", top: "top_n", objects: true },
    ...{ results, score: "relevance_score" },
  },
  {
    ...{ contract: "bare_rerank", path: "/rerank", list: "texts", results: (reply: Fields[]) => reply },
    ...{ score: "score", failed: 424, invalid: 422 },
  },
  {
    ...{ contract: "voyage_rerank", path: "/voyage/v1/rerank", list: "documents", top: "top_k" },
    ...{ results: data, score: "relevance_score" },
  },
  {
    ...{ contract: "infinity_rerank", path: "/infinity/rerank", list: "documents", top: "top_n" },
    ...{ results, score: "relevance_score", invalid: 422 },
  },
  {
    ...{ contract: "pinecone_rerank", path: "/pinecone/rerank", list: "documents", top: "top_n", objects: true },
    ...{ results: data, score: "score" },
  },
  {
    ...{ contract: "mixedbread_rerank", path: "/mixedbread/v1/reranking", list: "input", top: "top_k", objects: true },
    ...{ results: data, score: "score" },
  },
  {
    ...{ contract: "vertex_rank", path: "/v1/projects/p/locations/l/rankingConfigs/c:rank", list: "records" },
    ...{ top: "topN", asDocument: (content: unknown, i: number) => ({ id: `${i}`, content }), score: "score" },
    results: ({ records }: { records: Fields[] }) => records.map(({ id, ...one }) => ({ ...one, index: Number(id) })),
  },
];

interface Case {
  id: string;
  documents: unknown[];
  /** Failures of every comparison that shows a text which holds the word; "say": an unreadable answer. */
  fails?: Record<string, ItemErrorCode | "say">;
  top?: unknown;
  kritai?: object;
  more?: Fields;
  headers?: Record<string, string>;
  /** Only routes that take objects. */
  objects?: true;
  /** Only these paths. */
  paths?: string[];
  want: {
    status?: number;
    failed?: number;
    order?: number[];
    first?: number;
    last?: number[];
    zero?: number[];
    shown?: string[];
    says?: string;
    silent?: string;
  };
}

const CASES = lines<Case>("rankings.jsonl");
const query = "Which is longest?";

function scriptOf({ fails = {} }: Case): Script {
  return (shown, about) => {
    const hit = Object.entries(fails).find(([word]) => shown.some((text) => text.includes(word)));
    if (hit === undefined) return longest(shown, about);
    return hit[1] === "say" ? "I will not compare these." : { error: hit[1] };
  };
}

function bodyOf(
  { documents, top, kritai, more }: Case,
  { list, top: name, asDocument = (text: unknown) => text }: RankRoute,
) {
  const many = documents.map(asDocument);
  const wanted = top === undefined || name === undefined ? {} : { [name]: top };
  return { query, [list]: many, ...wanted, ...(kritai && { kritai }), ...more };
}

async function faultsOf(one: Case, route: RankRoute): Promise<string[]> {
  const { want } = one;
  const verifier = fakeVerifier(scriptOf(one));
  const { post } = setUp({ verifier, clock: fixedClock() });
  const reply = await post(route.path, bodyOf(one, route), one.headers);
  const text = await reply.text();
  const told = `${text} ${reply.headers.get("x-kritai-warnings") ?? ""}`;
  const faults: string[] = [];
  const must = (ok: boolean, why: string) => ok || faults.push(`${one.id} at ${route.path} (${route.list}): ${why}`);
  const status =
    want.failed !== undefined
      ? (route.failed ?? want.failed)
      : want.status === 400
        ? (route.invalid ?? 400)
        : (want.status ?? 200);
  must(reply.status === status, `status ${reply.status} instead of ${status}: ${text.slice(0, 200)}`);
  if (want.says !== undefined) must(told.includes(want.says), `does not say "${want.says}": ${told.slice(0, 300)}`);
  if (want.silent !== undefined) must(!told.includes(want.silent), `says "${want.silent}"`);
  if (want.shown !== undefined)
    must(
      JSON.stringify(verifier.jobs[0]?.candidates) === JSON.stringify(want.shown),
      `shows ${JSON.stringify(verifier.jobs[0]?.candidates)}`,
    );
  if (reply.status !== 200 || status !== 200) return faults;
  const found = route.results(JSON.parse(text) as never);
  const order = found.map(({ index }) => index as number);
  const scoreOf = (index: number) => found.find((result) => result.index === index)?.[route.score];
  if (want.order !== undefined) must(order.join() === want.order.join(), `order ${order}`);
  if (want.first !== undefined)
    must(order[0] === want.first && order.length === one.documents.length, `order ${order}`);
  if (want.last !== undefined) {
    const end = order.slice(-want.last.length).sort((a, b) => a - b);
    must(order.length === one.documents.length && end.join() === want.last.join(), `order ${order}`);
  }
  for (const index of want.zero ?? []) must(scoreOf(index) === 0, `score of ${index} is ${scoreOf(index)}`);
  const scores = found.map((result) => result[route.score] as number);
  must(
    scores.every((score, i) => i === 0 || score <= (scores[i - 1] as number)),
    `scores rise: ${scores}`,
  );
  return faults;
}

test("every contract that ranks has its row here", () => {
  const ranks = CONTRACTS.filter(({ name }) => /_rerank$|_rank$/.test(name)).map(({ name }) => name);
  expect(ranks.filter((name) => !ROUTES.some(({ contract }) => contract === name))).toEqual([]);
});

test("each case holds at each route", async () => {
  const faults: string[] = [];
  for (const one of CASES) {
    for (const route of ROUTES) {
      if (one.objects === true && route.objects !== true) continue;
      if (one.top !== undefined && route.top === undefined) continue;
      if (one.paths !== undefined && !one.paths.includes(`${route.path} ${route.list}`)) continue;
      faults.push(...(await faultsOf(one, route)));
    }
  }
  expect(faults).toEqual([]);
});

test("scores by place: what no judge takes is lowest, what the verifier failed at fails the request", async () => {
  const pairs = { queries: query, documents: ["a", "four", "jam now", "seventeen words"] };
  const script = (code: ItemErrorCode | "say") => scriptOf({ id: "", documents: [], fails: { jam: code }, want: {} });
  for (const [path, body, scores] of [
    ["/score", pairs, "data"],
    ["/v1/score", { text_1: query, text_2: pairs.documents }, "data"],
    ["/classify", { query, input: pairs.documents }, "data"],
  ] as const) {
    const jammed = await setUp({ script: script("say") }).post(path, body);
    const list = ((await jammed.json()) as Record<string, Fields[]>)[scores] ?? [];
    const numbers = list.map(({ score, probs }) => score ?? (probs as number[])[0]);
    expect([path, numbers]).toEqual([path, [0, 0.5, 0, 1]]);
    expect(jammed.headers.get("x-kritai-warnings")).toContain("last_unjudged 2: unparsed");
    const lost = await setUp({ script: script("deadline") }).post(path, body);
    expect([path, lost.status]).toEqual([path, 504]);
    const left = await setUp().post(path, { ...body, kritai: { on_incomplete: "leave_out" } });
    expect([path, left.status]).toEqual([path, 400]);
  }
});

test("a query in blocks is told, equal requests, other keys and other queries are not, nor after a minute", async () => {
  let now = 0;
  const clock = { ...fixedClock(), now: () => now };
  const { post } = setUp({ clock });
  const warned = async (path: string, body: object) => {
    const reply = await post(path, body);
    expect(reply.status).toBe(200);
    return (reply.headers.get("x-kritai-warnings") ?? "").includes("not_comparable");
  };
  for (const { path, list, asDocument = (text: unknown) => text } of ROUTES) {
    const block = (asked: string, texts: string[]) => ({ query: asked, [list]: texts.map(asDocument) });
    const asked = `${path} ${list}`;
    expect(await warned(path, block(asked, ["a", "bb", "ccc"]))).toBe(false);
    expect(await warned(path, block(asked, ["ccc", "a", "bb"]))).toBe(false);
    expect(await warned(path, block(asked, ["d", "ee"]))).toBe(true);
    expect(await warned(path, block(`${asked}?`, ["d", "ee"]))).toBe(false);
    now += 61_000;
    expect(await warned(path, block(asked, ["f", "gg"]))).toBe(false);
  }
  expect(await warned("/score", { queries: "blocks", documents: ["a", "bb"] })).toBe(false);
  expect(await warned("/score", { queries: "blocks", documents: ["c", "dd"] })).toBe(true);
});

test("vLLM's parts are texts in pair scores too, two sides at once are refused, null sides are absent", async () => {
  const { post } = setUp();
  const part = (text: string) => ({ type: "text", text });
  const scoresOf = async (body: object) => {
    const reply = await post("/v1/score", body);
    const { data: list = [] } = (await reply.json()) as { data?: { score: number }[] };
    return [reply.status, ...list.map(({ score }) => score)];
  };
  const parts = { content: [part("a"), part("bbb")] };
  expect(await scoresOf({ data_1: "q", data_2: parts })).toEqual([200, 0, 1]);
  expect(await scoresOf({ data_1: "q", data_2: [{ content: [part("a"), part("aa")] }, "b"] })).toEqual([200, 1, 0]);
  expect(await scoresOf({ queries: { content: [part("q")] }, documents: ["a", "bb"] })).toEqual([200, 0, 1]);
  expect(await scoresOf({ queries: "q", documents: ["a", "bb"], text_2: null })).toEqual([200, 0, 1]);
  expect(await scoresOf({ queries: "q", documents: ["a", "bb"], items: ["c", "d"] })).toEqual([400]);
});
