// Owns where the search for costly requests puts its texts: string by string of every route's
// documented example, of every signal's settings and facts, and headers, paths and queries. What a
// schedule's plan costs is no text's doing: test/core/tournament/rehearsal-work counts its steps.
import { readFileSync } from "node:fs";
import { buildAssets } from "../../scripts/stack/assets.ts";
import { createApp } from "../../src/app.ts";
import { LIMITS } from "../../src/core/faults/limits.ts";
import { pause } from "../../src/platform/waiting.ts";
import { fakeRunLog, fakeSpecStore, fakeVerifier, fixedClock, preferring } from "../../test/harness/fakes.ts";

export interface Probe {
  name: string;
  /** What stands in the place when nothing is tried there. */
  own_text: string;
  /** Longest text that it takes. */
  chars_max: number;
  /** Characters that are sent beside the text. */
  other_chars: number;
  send(text: string): Promise<unknown>;
}

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
type Path = readonly (string | number)[];

const HEADER_CHARS = 8_192;
/** What answers later waits for something, and would be most of the search. */
const PROMPT_MS = 5_000;

/** Paths of all texts in a value. */
function textsIn(value: Json, path: Path = []): Path[] {
  if (typeof value === "string") return [path];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, below]) => textsIn(below, [...path, name]));
}

const textAt = (value: Json, path: Path) =>
  path.reduce<Json>((below, name) => (below as { [name: string]: Json })[name] as Json, value) as string;

/** Whether no list before it holds another like it. */
const isFirst = (path: Path) => !path.some((name) => Number(name) > 1);

/** The value with a text in one place. */
function withText(value: Json, [name, ...rest]: Path, text: string): Json {
  if (name === undefined) return text;
  if (Array.isArray(value)) return value.map((one, i) => (`${i}` === `${name}` ? withText(one, rest, text) : one));
  const of = value as { [name: string]: Json };
  return { ...of, [name]: withText(of[name] as Json, rest, text) };
}

const N = 16;
const signalled = (
  signal: { [name: string]: Json },
  group: { [name: string]: Json } = {},
  text = "x",
  n = N,
): Json => ({
  spec: { signals: { s: signal }, reward: "s" },
  groups: [{ prompt: "p", ...group, rollouts: Array.from({ length: n }, (_, r) => ({ text: `${text}${r}` })) }],
});
/** What the row fills is the same beside each of many rollouts, or stands beside each of them anew. */
const repeated = (signal: { [name: string]: Json }, times: number, after = ""): Json => {
  const input = `${"{{item.a}}".repeat(times)}${after}`;
  return signalled({ ...signal, input, reference: "{{sample.output_text}}" }, ITEM, "x", LIMITS.rollouts_per_group_max);
};
const TEMPLATES = { input: "{{sample.output_text}}", reference: "{{item.a}}" };
const ITEM = { item: { a: "b" } };

/** One request a kind of signal, where a text of either stands for what the caller or a policy says. */
const SIGNALLED: Readonly<Record<string, Json>> = {
  reference: signalled({ kind: "reference", tiers: ["rules"] }, { reference: ["1", "2"] }),
  "reference set": signalled({ kind: "reference", tiers: ["rules"], type: "set" }, { reference: "1, 2" }),
  consensus: signalled({ kind: "consensus" }),
  repetition: signalled({ kind: "repetition" }),
  length: signalled({ kind: "length", unit: "characters", max: 100 }),
  format: signalled({ kind: "format", require: [{ regex: "a+b" }, "closed_think", "has_candidate"] }),
  like: signalled({ kind: "string_check", operation: "like", ...TEMPLATES }, ITEM),
  ilike: signalled({ kind: "string_check", operation: "ilike", ...TEMPLATES }, ITEM),
  fuzzy_match: signalled({ kind: "text_similarity", evaluation_metric: "fuzzy_match", ...TEMPLATES }, ITEM),
  bleu: signalled({ kind: "text_similarity", evaluation_metric: "bleu", ...TEMPLATES }, ITEM),
  gleu: signalled({ kind: "text_similarity", evaluation_metric: "gleu", ...TEMPLATES }, ITEM),
  rouge_5: signalled({ kind: "text_similarity", evaluation_metric: "rouge_5", ...TEMPLATES }, ITEM),
  rouge_l: signalled({ kind: "text_similarity", evaluation_metric: "rouge_l", ...TEMPLATES }, ITEM),
  "like by the row": repeated({ kind: "string_check", operation: "like" }, 64),
  "bleu by the row": repeated({ kind: "text_similarity", evaluation_metric: "bleu" }, 8),
  "rouge_5 by the row": repeated({ kind: "text_similarity", evaluation_metric: "rouge_5" }, 16),
  "fuzzy_match by the row": repeated({ kind: "text_similarity", evaluation_metric: "fuzzy_match" }, 8),
  "bleu beside the row": repeated({ kind: "text_similarity", evaluation_metric: "bleu" }, 1, "{{sample.output_text}}"),
  score_model: signalled(
    { kind: "score_model", input: [{ role: "user", content: "{{item.a}} {{sample.output_json.a}}" }] },
    ITEM,
    '{"a":"b"}',
  ),
  comments: {
    spec: { candidate: { extract: "last_code_block", strip_comments: true } },
    groups: ["python", "javascript", "cpp"].map((language) => ({
      ...{ prompt: "p", language },
      rollouts: [{ text: "```\nx = 1 # a\n```" }, { text: "```\ny\n```" }],
    })),
  },
};

/** All probes over one app, whose verifier answers at once. */
export async function costProbes(): Promise<Probe[]> {
  const app = createApp({
    ...{ verifier: fakeVerifier(preferring((text) => text.length)), runLog: fakeRunLog() },
    ...{ specs: fakeSpecStore(), clock: fixedClock(), keys: [], report: () => undefined },
  });
  const request = async (path: string, init: RequestInit = {}) =>
    (await app.request(`http://localhost${path}`, init)).text();
  const post = (path: string, body: Json, headers: Record<string, string> = {}) =>
    request(path, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
  const bodies = (name: string, path: string, example: Json): Probe[] =>
    textsIn(example)
      .filter(isFirst)
      .map((place) => ({
        name: `${name} ${place.join(".")}`,
        own_text: textAt(example, place),
        chars_max: LIMITS.body_bytes >> 8,
        other_chars: JSON.stringify(example).length,
        send: (text) => post(path, withText(example, place, text)),
      }));
  await buildAssets();
  const { paths } = JSON.parse(readFileSync(new URL("../../public/openapi.json", import.meta.url), "utf8")) as {
    paths: Record<string, Record<string, { requestBody?: { content: Record<string, Media> } }>>;
  };
  const examples = Object.entries(paths).flatMap(([path, methods]) => {
    const { example, examples: named = {} } = methods.post?.requestBody?.content["application/json"] ?? {};
    const all = example === undefined ? Object.values(named).map(({ value }) => value) : [example];
    return all.map((one) => ({ path, to: path.replace(/\{\w+\}/g, "x"), example: one }));
  });
  // A sample of a group waits for the others: of these the same handlers are in the native route.
  const soon = await Promise.all(
    examples.map(({ to, example }) =>
      Promise.race([post(to, example).then(() => true), pause(PROMPT_MS).then(() => false)]),
    ),
  );
  const documented = examples.flatMap(({ path, to, example }, i) => (soon[i] ? bodies(path, to, example) : []));
  const signals = Object.entries(SIGNALLED).flatMap(([kind, body]) => bodies(`signal ${kind}`, "/v1/rewards", body));
  return [...documented, ...signals, ...outsideBodies(request, post)];
}

/** As the document shows a body: by one example, or by several. */
interface Media {
  example?: Json;
  examples?: Record<string, { value: Json }>;
}

type Request = (path: string, init?: RequestInit) => Promise<string>;
type Post = (path: string, body: Json, headers?: Record<string, string>) => Promise<string>;

/** What every route reads before a body: headers, the path, the query. */
function outsideBodies(request: Request, post: Post): Probe[] {
  const header = (name: string): Probe => ({
    ...{ name: `header ${name}`, own_text: "", chars_max: HEADER_CHARS, other_chars: 100 },
    send: (text) => {
      const printable = text.replace(/[^\t\x20-\x7e]/g, "?").trim();
      return post(
        "/v1/specs/check",
        {},
        { [name]: name === "content-type" ? `application/json;${printable}` : printable },
      );
    },
  });
  const HEADERS = [
    "content-type",
    "accept",
    "authorization",
    "idempotency-key",
    "prefer",
    "traceparent",
    "if-none-match",
  ];
  const encoded = (text: string) => encodeURI(text.toWellFormed()).replace(/[?#]/g, "/");
  const address = (name: string, of: (text: string) => string): Probe => ({
    ...{ name, own_text: "", chars_max: HEADER_CHARS, other_chars: 100 },
    send: (text) => request(of(encoded(text).slice(0, 2 * HEADER_CHARS))),
  });
  return [
    ...HEADERS.map(header),
    address("path", (text) => `/${text}`),
    address("path of a run", (text) => `/v1/runs/${text}`),
    address("path with a key", (text) => `/k/${text}`),
    address("query", (text) => `/v1/runs?cursor=${text}`),
  ];
}
