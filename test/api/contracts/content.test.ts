// Walks the table of contracts and kinds of content through HTTP: each form of each kind in each
// place is shown, left out by rule, warned of, or refused before anything is asked.
import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import {
  ALL_KINDS,
  type CarrierName,
  type ContentHandling,
  carrierNamed,
  handlingOf,
} from "../../../src/api/content/carriers.ts";
import { type ContentPlace, TOOLS_NOT_SHOWN } from "../../../src/api/content/shown-body.ts";
import { CONTRACTS } from "../../../src/api/tools/table.ts";
import { SpecSchema } from "../../../src/core/reward/signals-spec.ts";
import { fakeSpecStore } from "../../harness/fakes.ts";
import { FORMS, type Form, MARK, NOTHING, WAYS } from "./content-forms.ts";
import * as examples from "./examples.ts";
import { CONTRACTS as SAMPLE_CONTRACTS } from "./sample-setup.ts";
import { setUp } from "./setup.ts";

const FILE = new URL("../../../docs/integrations/content.md", import.meta.url);
type Fields = Record<string, unknown>;
interface Base {
  path: string;
  /** Requests that are sent at once: a group's, or one. */
  bodies: Fields[];
}

const TWO = ["one", "the other"];
const samples = (path: string): Base => {
  const contract = SAMPLE_CONTRACTS.find((one) => one.path === path);
  return {
    path: `${path}?group_size=2&spec=whole&deadline_ms=4000`,
    bodies: TWO.map((text) => contract?.body("Which?", text) as Fields),
  };
};
const at = (path: string, ...bodies: object[]): Base[] =>
  bodies.map((body) => ({ path: `${path}?spec=whole`, bodies: [body as Fields] }));
const flat = { prompts: ["p", "p"], completions: TWO };
const asks = [{ role: "user", content: "p" }];
/** The judge's question stays as it is: content comes into the message behind it. */
const followed = (body: { messages: object[] }) => ({
  ...body,
  messages: [...body.messages, { role: "assistant", content: "x" }],
});
const INFOS = ["question", "prompt"].map((name) => [{ [name]: "p" }, { [name]: "p" }]);
const gym = samples("/nemo-gym/verify");
const sampled = (base: Base, more: (body: Fields) => Fields): Base => ({ ...base, bodies: base.bodies.map(more) });

/** By contract: bodies that have, between them, each of its places. */
const BASES: Record<string, Base[]> = {
  cohere_rerank: [
    ...at("/v1/rerank", { query: "q", documents: TWO }),
    ...at("/v2/rerank", { query: "q", documents: TWO }),
  ],
  bare_rerank: at("/rerank", { query: "q", documents: TWO }, { query: "q", texts: TWO }),
  voyage_rerank: at("/voyage/v1/rerank", { query: "q", documents: TWO }),
  infinity_rerank: at("/infinity/rerank", { query: "q", documents: TWO }),
  pinecone_rerank: at("/pinecone/rerank", { query: "q", documents: TWO }),
  mixedbread_rerank: at("/mixedbread/v1/reranking", { query: "q", input: TWO }),
  vertex_rank: at("/v1/projects/p/locations/l/rankingConfigs/c:rank", {
    query: "q",
    records: TWO.map((content, i) => ({ id: `${i}`, title: `t${i}`, content })),
  }),
  score: at(
    "/v1/score",
    ...[
      ["queries", "documents"],
      ["queries", "items"],
      ["data_1", "data_2"],
      ["text_1", "text_2"],
    ].map(([left = "", right = ""]) => ({ [left]: "q", [right]: TWO })),
  ),
  classify: at("/classify", { query: "q", input: TWO }),
  score_batch: [
    ...at("/v1/score_batch", flat, { messages: [asks, asks], solution_strs: TWO }),
    ...at("/v1/score_batch", ...INFOS.map((extra_infos) => ({ solution_strs: TWO, extra_infos }))),
    ...["context", "kwargs", "columns"].flatMap((holder) =>
      at(
        "/v1/score_batch",
        { [holder]: flat },
        { [holder]: { messages: [asks, asks], solution_strs: TWO } },
        ...INFOS.map((extra_infos) => ({ [holder]: { extra_infos, solution_strs: TWO } })),
      ),
    ),
  ],
  chat_completions: at("/v1/chat/completions", followed(examples.chat)),
  responses: at("/v1/responses", {
    model: "default",
    input: [
      { role: "user", content: examples.responses.input },
      { role: "assistant", content: "x" },
    ],
  }),
  ruler: at("/ruler/v1/chat/completions", followed(examples.ruler)),
  openrlhf: [sampled(samples("/openrlhf/get_reward"), (body) => ({ ...body, labels: [{ answer: "l" }] }))],
  slime: [sampled(samples("/slime/reward"), (body) => ({ ...body, label: { answer: "l" } }))],
  verl: [
    samples("/verl/compute_score"),
    sampled(samples("/verl/compute_score"), (body) => ({ ...body, extra_info: { prompt: "p" } })),
  ],
  eval_protocol: [samples("/evaluate")],
  nemo_gym: [sampled(gym, (body) => ({ ...body, verifier_metadata: {} }))],
  nemo_gym_compare: at("/nemo-gym/compare", examples.nemoGymCompare),
};

const namesOf = (place: string) => place.replaceAll("[]", ".[]").split(".");

/** The body with the value at the place changed, the first or all; null where it has none. */
function changed(
  value: unknown,
  [name, ...rest]: readonly string[],
  all: boolean,
  change: (held: unknown) => unknown,
): unknown {
  if (name === undefined) return change(value) ?? null;
  if (typeof value !== "object" || value === null) return null;
  const copy = (Array.isArray(value) ? [...value] : { ...value }) as Fields;
  let found = false;
  for (const key of name === "[]" || name === "*" ? Object.keys(value) : [name]) {
    const next = copy[key] === undefined || (found && !all) ? null : changed(copy[key], rest, all, change);
    if (next === null) continue;
    copy[key] = next;
    found = true;
  }
  return found ? copy : null;
}

const specs = () =>
  fakeSpecStore({ whole: SpecSchema.parse({ candidate: { extract: "whole" }, format: { rules: [], penalty: 0 } }) });

/** The place's request with a form in its first sample (the prompt's in all); null: no such place. */
function bodiesWith({ at: place, carrier, side: of }: ContentPlace, { as, value }: Form, base: Base): Fields[] | null {
  const way = WAYS[carrier][as];
  if (way === undefined) return null;
  const shared = of !== "answer";
  const bodies = base.bodies.map((body, i) =>
    i > 0 && !shared ? body : changed(body, namesOf(place), shared, (held) => way(held, value)),
  );
  return bodies.includes(null) ? null : (bodies as Fields[]);
}

async function sent(base: Base, bodies: Fields[], api = setUp({ specs: specs() })) {
  const before = api.verifier.jobs.length;
  const replies = await Promise.all(bodies.map((body) => api.post(base.path, body)));
  return { replies, asked: JSON.stringify(api.verifier.jobs.slice(before)) };
}

interface Cell {
  contract: string;
  place: ContentPlace;
  base: Base;
  bodies: Fields[];
  form: Form;
  fate: ContentHandling;
  /** The changed fields of the bodies. */
  what: string;
}

const cellsOf = (fates: readonly ContentHandling[]): Cell[] =>
  CONTRACTS.flatMap(({ name: contract, content }) =>
    content.flatMap((place) =>
      ALL_KINDS.flatMap((kind) =>
        FORMS[kind].flatMap((form): Cell[] => {
          const fate = handlingOf(place.carrier, kind);
          const base = (BASES[contract] ?? []).find((one) => bodiesWith(place, form, one) !== null);
          if (base === undefined || !fates.includes(fate)) return [];
          const bodies = bodiesWith(place, form, base) as Fields[];
          const what = `${contract} ${place.at} ${kind} ${JSON.stringify(form.value).slice(0, 60)}`;
          return [{ contract, place, base, bodies, form, fate, what }];
        }),
      ),
    ),
  );

test("every place of every contract is in some body, and can hold something", () => {
  const lacking = CONTRACTS.flatMap(({ name, content }) =>
    content
      .filter((place) => {
        const forms = [...Object.values(FORMS).flat(), ...NOTHING];
        return !(BASES[name] ?? []).some((base) => forms.some((form) => bodiesWith(place, form, base) !== null));
      })
      .map(({ at: place }) => `${name} ${place}`),
  );
  expect(lacking).toEqual([]);
  for (const { name, content } of CONTRACTS) expect([name, content.length > 0]).toEqual([name, true]);
});

describe.each(CONTRACTS.map(({ name }) => name))("%s", (name) => {
  test("is answered without any of it", async () => {
    for (const base of BASES[name] ?? []) {
      const { replies } = await sent(base, base.bodies);
      expect(await Promise.all(replies.map(statusOf))).toEqual(replies.map(() => 200));
    }
  });

  test("refuses what the judge is not shown, with its place, before anything is asked", async () => {
    const cells = cellsOf(["refused"]).filter(({ contract }) => contract === name);
    expect(cells.length).toBeGreaterThan(0);
    const api = setUp({ specs: specs() });
    for (const { base, bodies, place, what } of cells) {
      const { replies, asked } = await sent(base, bodies, bodies.length === 1 ? api : undefined);
      for (const reply of replies) {
        const { code, errors } = (await reply.json()) as { code?: string; errors?: { path: string }[] };
        const first = namesOf(place.at)[0] as string;
        expect([what, reply.status, code]).toEqual([
          what,
          name === "infinity_rerank" || (name === "bare_rerank" && place.at === "texts") ? 422 : 400,
          "unsupported_content",
        ]);
        expect([what, errors?.[0]?.path]).toEqual([what, expect.stringContaining(first)]);
      }
      expect([what, asked]).toEqual([what, "[]"]);
    }
  });

  test("shows what the table says is shown, and leaves out no more than it says", async () => {
    const cells = cellsOf(["shown", "thought", "warned"]).filter(({ contract }) => contract === name);
    const api = setUp({ specs: specs() });
    for (const { base, bodies, fate, what, place } of cells) {
      const { replies, asked } = await sent(base, bodies, bodies.length === 1 ? api : undefined);
      expect([what, ...(await Promise.all(replies.map(statusOf)))]).toEqual([what, ...replies.map(() => 200)]);
      const warned = replies.some((reply) => reply.headers.get("x-kritai-warnings")?.includes(TOOLS_NOT_SHOWN));
      expect([what, warned]).toEqual([what, fate === "warned"]);
      if (fate === "shown" && isRead(name, place)) expect([what, asked.includes(MARK)]).toEqual([what, true]);
    }
  });

  test("takes nothing for something", async () => {
    for (const place of CONTRACTS.find((one) => one.name === name)?.content ?? []) {
      for (const form of NOTHING) {
        for (const base of BASES[name] ?? []) {
          const bodies = bodiesWith(place, form, base);
          if (bodies === null || WAYS[place.carrier].turn === undefined) continue;
          const { replies } = await sent(base, bodies);
          const about = `${place.at} ${JSON.stringify(form.value)}`;
          expect([about, ...(await Promise.all(replies.map(statusOf)))]).toEqual([about, ...replies.map(() => 200)]);
        }
      }
    }
  });
});

/** A judge of chats is asked for what their last message holds; the others are not forwarded. */
const isRead = (name: string, place: ContentPlace) =>
  !["chat_completions", "responses", "ruler"].includes(name) && place.carrier !== "row";

const statusOf = async (reply: Response) => (reply.status === 200 ? 200 : reply.text());

/** The table as the page has it. */
function pageTable(): string {
  const carriers = [...new Set(CONTRACTS.flatMap(({ content }) => content.map(({ carrier }) => carrier)))];
  const those = (carrier: CarrierName, fate: ContentHandling) =>
    ALL_KINDS.filter((kind) => handlingOf(carrier, kind) === fate).map((kind) => `\`${kind}\``);
  const rows = carriers.map((carrier) => {
    const cells = (["shown", "thought", "warned"] as const).map((fate) => those(carrier, fate).join(", "));
    return `| ${carrierNamed(carrier).says} | ${cells.join(" | ")} |`;
  });
  return ["| place | shown | left out | warned |", "|---|---|---|---|", ...rows].join("\n");
}

test("the page has the table", () => {
  const [begins, ends] = ["<!-- content: begins -->\n", "\n<!-- content: ends -->"];
  const page = readFileSync(FILE, "utf8");
  const [before, rest = ""] = page.split(begins);
  const [table, after] = rest.split(ends);
  if (process.env.RECORD === "1") writeFileSync(FILE, `${before}${begins}${pageTable()}${ends}${after}`);
  else expect(table).toBe(pageTable());
});
