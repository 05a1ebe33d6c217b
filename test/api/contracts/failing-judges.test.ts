// A judge that fails, through every contract of the table: no number where nothing could be read,
// one more question before that, and a rollout that jams the judge or fits no context loses alone.
import { describe, expect, test } from "vitest";
import { CONTRACTS as TABLE } from "../../../src/api/tools/table.ts";
import { SpecSchema } from "../../../src/core/reward/signals-spec.ts";
import { fakeSpecStore } from "../../harness/fakes.ts";
import { CONTRACTS as SAMPLES } from "./sample-setup.ts";
import { failingOn, fenced, longest, setUp } from "./setup.ts";

type Api = ReturnType<typeof setUp>;

interface Told {
  status: number;
  code: string | undefined;
  warnings: string;
  /** One a text, in their order; null without a number. */
  numbers: (number | null)[];
}

interface Row {
  name: string;
  /** Has the texts judged, and returns the client's reply. */
  ask(api: Api, texts: readonly string[], spec: string): Promise<Told>;
  /** Its refusal where no answer could be read. */
  refusal: { status: number; code?: string };
  /** Its value for a text that breaks a format rule: scores from 0 to 1 have nothing lower. */
  lowest: number;
}

type Reply = Record<string, unknown>;
type Numbers = (reply: Reply, count: number) => (number | null)[];

const told = async (response: Response, count: number, numbers: Numbers): Promise<Told> => {
  const body = (await response.json()) as Reply;
  const warnings = `${response.headers.get("x-kritai-warnings") ?? ""} ${JSON.stringify(body.warnings ?? [])}`;
  const failed = response.status !== 200;
  return {
    status: response.status,
    code: body.code as string | undefined,
    warnings,
    numbers: failed ? Array<null>(count).fill(null) : numbers(body, count),
  };
};

const inOneRequest =
  (path: string, body: (texts: readonly string[]) => object, numbers: Numbers): Row["ask"] =>
  async ({ post }, texts, spec) =>
    told(await post(`${path}?spec=${spec}`, body(texts)), texts.length, numbers);

/** Entries of a ranking by their place in the request. */
const byIndex =
  (list: string, value: string): Numbers =>
  (reply, count) => {
    const entries = (list === "" ? reply : reply[list]) as Reply[];
    return Array.from(
      { length: count },
      (_, i) => (entries.find(({ index }) => index === i)?.[value] as number) ?? null,
    );
  };

const RANKS = { refusal: { status: 422, code: "verifier_bad_reply" }, lowest: 0 } as const;
const query = "Sum it.";

const WHOLE: Record<string, Row> = {
  cohere_rerank: {
    name: "cohere_rerank",
    ask: inOneRequest(
      "/v2/rerank",
      (documents) => ({ model: "default", query, documents }),
      byIndex("results", "relevance_score"),
    ),
    ...RANKS,
  },
  bare_rerank: {
    name: "bare_rerank",
    ask: inOneRequest("/rerank", (texts) => ({ query, texts }), byIndex("", "score")),
    ...RANKS,
    refusal: { status: 424, code: "verifier_bad_reply" },
  },
  voyage_rerank: {
    name: "voyage_rerank",
    ask: inOneRequest("/voyage/v1/rerank", (documents) => ({ query, documents }), byIndex("data", "relevance_score")),
    ...RANKS,
  },
  infinity_rerank: {
    name: "infinity_rerank",
    ask: inOneRequest("/infinity/rerank", (documents) => ({ query, documents }), byIndex("results", "relevance_score")),
    ...RANKS,
  },
  pinecone_rerank: {
    name: "pinecone_rerank",
    ask: inOneRequest("/pinecone/rerank", (documents) => ({ query, documents }), byIndex("data", "score")),
    ...RANKS,
  },
  mixedbread_rerank: {
    name: "mixedbread_rerank",
    ask: inOneRequest("/mixedbread/v1/reranking", (input) => ({ query, input }), byIndex("data", "score")),
    ...RANKS,
  },
  vertex_rank: {
    name: "vertex_rank",
    ask: inOneRequest(
      "/v1/projects/p/locations/l/rankingConfigs/c:rank",
      (texts) => ({ query, records: texts.map((content, i) => ({ id: `${i}`, content })) }),
      (reply, count) => {
        const records = reply.records as { id: string; score: number }[];
        return Array.from({ length: count }, (_, i) => records.find(({ id }) => id === `${i}`)?.score ?? null);
      },
    ),
    ...RANKS,
  },
  score: {
    name: "score",
    ask: inOneRequest(
      "/score",
      (documents) => ({ model: "default", queries: query, documents }),
      byIndex("data", "score"),
    ),
    ...RANKS,
  },
  score_batch: {
    name: "score_batch",
    ask: inOneRequest(
      "/v1/score_batch",
      (completions) => ({ prompts: completions.map(() => query), completions: [...completions] }),
      (reply) => reply.rewards as (number | null)[],
    ),
    refusal: { status: 200 },
    lowest: -1,
  },
};

const gathered = SAMPLES.map(
  ({ path, body, rewardOf }): Row => ({
    name: path,
    async ask({ post }, texts, spec) {
      const url = `${path}?group_size=${texts.length}&on_failure=error&spec=${spec}`;
      const replies = await Promise.all(texts.map((text) => post(url, body(query, text))));
      const all = await Promise.all(replies.map((reply) => told(reply, 1, (one) => [rewardOf(one) as number])));
      const [first] = all;
      return {
        ...(first as Told),
        numbers: all.flatMap(({ numbers }) => numbers),
        warnings: all.map((one) => one.warnings).join(" "),
      };
    },
    refusal: { status: 422, code: "unparsed" },
    lowest: path === "/evaluate" ? 0 : -1,
  }),
);

const rows = [...Object.values(WHOLE), ...gathered];

const PLAIN = SpecSchema.parse({});
const STRICT = SpecSchema.parse({ format: { rules: ["has_candidate", "judgeable"] } });
const specs = () => fakeSpecStore({ plain: PLAIN, strict: STRICT });

const TEXTS = ["1234", "123", "12", "1"].map(fenced);
const JAM = fenced("print('no verdict on me')");
const jams = (shown: readonly string[]) => shown.some((text) => text.includes("no verdict on me"));

/** Contracts whose requests are not groups of rollouts: each has separate tests for this. */
const OTHERS: Readonly<Record<string, string>> = {
  classify: "one text a request and reference answers: texts.test.ts",
  chat_completions: "its answer is a sentence: chat.test.ts",
  responses: "the same judge: responses.test.ts",
  ruler: "fails whole where one trajectory has no score: vendors.test.ts",
  nemo_gym_compare: "fails whole where one response has no reward: vendors.test.ts",
};

test("every contract of the table has its row here, or is told why not", () => {
  const covered = [...Object.keys(WHOLE), ...Object.keys(OTHERS)];
  const paths = SAMPLES.map(({ path }) => path);
  const missing = TABLE.filter(
    ({ name, routes }) => !covered.includes(name) && !routes.some(({ path }) => paths.includes(path)),
  );
  expect(missing.map(({ name }) => name)).toEqual([]);
});

describe.each(rows)("$name", ({ ask, refusal, lowest }) => {
  test("an answer that cannot be read is asked for once more, and then gives no number", async () => {
    const api = setUp({ script: () => "I like both.", specs: specs() });
    const { status, code, numbers } = await ask(api, TEXTS.slice(0, 2), "plain");
    expect(numbers).toEqual([null, null]);
    expect({ status, code }).toMatchObject(refusal);
    const asked = api.verifier.jobs.flatMap((job) => job.questions);
    expect(asked.reduce((sum, { samples }) => sum + samples, 0)).toBe(2);
  });

  test("a rollout that jams the judge loses by `judgeable`, is told of, and costs its neighbours nothing", async () => {
    const script: typeof longest = (shown, about) => (jams(shown) ? "I like both." : longest(shown, about));
    const { numbers, warnings } = await ask(setUp({ script, specs: specs() }), [...TEXTS, JAM], "strict");
    const [jammed, ...others] = [numbers.at(-1) as number, ...numbers.slice(0, -1)] as number[];
    expect(others.every((number) => typeof number === "number" && number > (jammed as number))).toBe(true);
    expect(others).toEqual([...others].sort((a, b) => b - a));
    expect(warnings).toContain("jams_judge");
  });

  test("one that fits no context loses alone, and is told of", async () => {
    const script = failingOn((text) => text.includes("no verdict on me"), "context_exceeded");
    const { numbers, warnings } = await ask(setUp({ script, specs: specs() }), [...TEXTS.slice(0, 2), JAM], "plain");
    expect(numbers[2]).toBe(lowest);
    expect(numbers[0]).toBeGreaterThan(numbers[1] as number);
    expect(warnings).toContain("does_not_fit");
  });
});
