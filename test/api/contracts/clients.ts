// The clients of every contract, by the contracts' pages: each scoring route with its example, how its client
// sends texts to be judged, and where the reply has each text's number.
import type { z } from "zod";
import { RERANK_EXAMPLES } from "../../../src/api/tools/rerankers.ts";
import type { Contract } from "../../../src/api/tools/shared/contract.ts";
import { type Operation, pageOf } from "../../../src/api/tools/shared/page.ts";
import { CONTRACTS } from "../../../src/api/tools/table.ts";
import { CONTRACTS as SAMPLES } from "./sample-setup.ts";
import type { setUp } from "./setup.ts";

export type Fields = Record<string, unknown>;
type Numbers = (reply: never, count: number) => (number | null)[];

/** How a client sends a prompt's texts, and reads their numbers. */
interface Form {
  /** The bodies of one group: one, or one a text. */
  bodies(prompt: string, texts: readonly string[]): object[];
  numbers: Numbers;
}

export interface Client extends Form {
  contract: Contract;
  /** The path, with its parameters filled in. */
  path: string;
  operation: Operation;
  /** The schema that the example fits. */
  request: z.ZodObject;
  example: Fields;
}

/** Entries that name their place in the request, in a list of the reply or in the reply itself. */
const byIndex =
  (list: string, value: string): Numbers =>
  (reply: Fields, count) => {
    const entries = (list === "" ? reply : reply[list]) as Fields[];
    const found = (i: number) => entries.find((entry) => entry.index === i)?.[value];
    return Array.from({ length: count }, (_, i) => ([found(i)].flat()[0] as number | undefined) ?? null);
  };

const whole = (body: (prompt: string, texts: readonly string[]) => object, numbers: Numbers): Form => ({
  bodies: (prompt, texts) => [body(prompt, texts)],
  numbers,
});
const ranking = (list: string, results: string, score: string): Form =>
  whole((query, texts) => ({ query, [list]: texts }), byIndex(results, score));

const question = (prompt: string, candidates: readonly string[]) =>
  JSON.stringify({ question: prompt, candidates, form: "scores" });
const boxed = (text: string, count: number): (number | null)[] => {
  const list = /\\boxed\{(\[.*\])\}/.exec(text)?.[1];
  return list === undefined ? Array(count).fill(null) : (JSON.parse(list) as number[]).map((score) => score / 10);
};
const contentOf = (reply: { choices: { message: { content: string } }[] }) => reply.choices[0]?.message.content ?? "";

const trajectory = (content: string, i: number) =>
  `<trajectory id="${i}">\n${JSON.stringify([{ role: "assistant", content }])}\n</trajectory>`;
const user = (content: string) => [{ role: "user", content }];

/** By contract, and by the body's list of texts where a contract has two forms. */
const FORMS: Readonly<Record<string, Form>> = {
  cohere_rerank: ranking("documents", "results", "relevance_score"),
  bare_rerank: ranking("documents", "results", "relevance_score"),
  "bare_rerank texts": ranking("texts", "", "score"),
  voyage_rerank: ranking("documents", "data", "relevance_score"),
  infinity_rerank: ranking("documents", "results", "relevance_score"),
  pinecone_rerank: ranking("documents", "data", "score"),
  mixedbread_rerank: ranking("input", "data", "score"),
  vertex_rank: whole(
    (query, texts) => ({ query, records: texts.map((content, i) => ({ id: `${i}`, content })) }),
    ({ records }: { records: Fields[] }, count) =>
      byIndex("", "score")(records.map((one) => ({ ...one, index: Number(one.id) })) as never, count),
  ),
  score: whole((queries, documents) => ({ queries, documents }), byIndex("data", "score")),
  classify: whole((query, input) => ({ query, input }), byIndex("data", "probs")),
  score_batch: whole(
    (prompt, completions) => ({ prompts: completions.map(() => prompt), completions }),
    ({ rewards }: { rewards: (number | null)[] }) => rewards,
  ),
  chat_completions: whole(
    (prompt, texts) => ({ messages: user(question(prompt, texts)) }),
    (reply, count) => boxed(contentOf(reply), count),
  ),
  responses: whole(
    (prompt, texts) => ({ input: question(prompt, texts) }),
    ({ output }: { output: { content: { text: string }[] }[] }, count) =>
      boxed(output[0]?.content[0]?.text ?? "", count),
  ),
  ruler: whole(
    (prompt, texts) => ({
      messages: user(`<context>\n${JSON.stringify(user(prompt))}\n</context>\n\n${texts.map(trajectory).join("\n\n")}`),
    }),
    (reply) => (JSON.parse(contentOf(reply)).scores as { score: number }[]).map(({ score }) => score),
  ),
  nemo_gym_compare: whole(
    (prompt, texts) => ({
      conversation_history: user(prompt),
      response_objs: texts.map((content) => ({ output: [{ type: "message", role: "assistant", content }] })),
    }),
    ({ rewards }: { rewards: number[] }) => rewards,
  ),
  ...Object.fromEntries(
    SAMPLES.map(({ name, body, rewardOf }): [string, Form] => [
      name,
      {
        bodies: (prompt, texts) => texts.map((text) => body(prompt, text)),
        numbers: (reply) => [rewardOf(reply) as number],
      },
    ]),
  ),
};

/** Examples of forms besides a page's own. */
const MORE: Readonly<Record<string, readonly Fields[]>> = { "/rerank": [RERANK_EXAMPLES.rerank] };
const PARAMETERS: Readonly<Record<string, string>> = { config: "c:rank", deployment: "default" };

const schemaFor = (example: Fields, request: unknown): z.ZodObject => {
  const { options } = request as { options?: z.ZodObject[] };
  return options?.find((option) => option.safeParse(example).success) ?? (request as z.ZodObject);
};

function clientsOf(contract: Contract): Client[] {
  const { operations } = pageOf(contract);
  const scoring = contract.routes.filter((route) => route.method === "POST" && !("dialect" in route));
  return scoring.flatMap(({ path }) => {
    const operation = operations[`POST ${path}`] as Operation;
    return [operation.example as Fields, ...(MORE[path] ?? [])].map((example) => {
      const request = schemaFor(example, operation.request);
      const form = FORMS["texts" in example ? `${contract.name} texts` : contract.name];
      if (form === undefined) throw new Error(`FORMS of test/api/contracts/clients.ts lacks ${contract.name}`);
      const filled = path.replace(/:(\w+)/g, (_, name: string) => PARAMETERS[name] ?? "x");
      return { ...form, contract, path: filled, operation, request, example };
    });
  });
}

/** Every scoring route of every contract. */
export const CLIENTS: readonly Client[] = CONTRACTS.flatMap(clientsOf);

/** For the names of tests: a route, and the list that tells its forms apart. */
export const named = <C extends Client>(clients: readonly C[]): [string, C][] =>
  clients.map((client) => [`${client.path}${"texts" in client.example ? " (texts)" : ""}`, client]);

export const isGathered = ({ operation }: Client): boolean => operation.gathered === true;

/** The rewards as a client's numbers: eval-protocol's are on 0..1. */
export const scaled = ({ path }: Client, rewards: readonly number[]): number[] =>
  rewards.map((reward) => (path === "/evaluate" ? (reward + 1) / 2 : reward));

export interface Told {
  replies: Response[];
  status: number;
  code: string | undefined;
  warnings: string;
  /** One a text, in their order; null without a number. */
  numbers: (number | null)[];
}

export const withQuery = (path: string, query: string) =>
  query === "" ? path : `${path}${path.includes("?") ? "&" : "?"}${query}`;

/** Has the texts judged as one group, and reads the replies. */
export async function ask(
  client: Client,
  { post }: Pick<ReturnType<typeof setUp>, "post">,
  texts: readonly string[],
  query = "",
  headers: Record<string, string> = {},
): Promise<Told> {
  const bodies = client.bodies("Sum it.", texts);
  const url = withQuery(
    client.path,
    isGathered(client) ? withQuery(`?group_size=${bodies.length}`, query).slice(1) : query,
  );
  const replies = await Promise.all(bodies.map((body) => post(url, body, headers)));
  const each = texts.length / bodies.length;
  const read = await Promise.all(
    replies.map(async (reply) => {
      const body = (await reply.clone().json()) as Fields;
      const failed = reply.status !== 200;
      const numbers = failed ? Array<null>(each).fill(null) : client.numbers(body as never, each);
      const warnings = `${reply.headers.get("x-kritai-warnings") ?? ""} ${JSON.stringify(body.warnings ?? [])}`;
      return { code: body.code as string | undefined, warnings, numbers };
    }),
  );
  return {
    replies,
    status: replies[0]?.status as number,
    code: read[0]?.code,
    warnings: read.map(({ warnings }) => warnings).join(" "),
    numbers: read.flatMap(({ numbers }) => numbers),
  };
}
