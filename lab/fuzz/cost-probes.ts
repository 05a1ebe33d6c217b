// Where the search for costly requests puts its texts: string by string of every route's documented example,
// of every signal's settings and facts, and headers, paths and queries.

import { readFileSync } from "node:fs";
import { buildAssets } from "../../scripts/stack/assets.ts";
import { completeDeps } from "../../src/api/door/complete-deps.ts";
import { createApp } from "../../src/app.ts";
import { LIMITS } from "../../src/core/faults/limits.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { pause } from "../../src/platform/waiting.ts";
import { fakeRunLog, fakeSpecStore, fakeVerifier, fixedClock, preferring } from "../../test/harness/fakes.ts";

export interface Probe {
  name: string;
  /** The text in the place when nothing is tried there. */
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
/** Answers that come later wait for something, and would be most of the search. */
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
  if (Array.isArray(value))
    return value.map((element, i) => (`${i}` === `${name}` ? withText(element, rest, text) : element));
  const fields = value as { [name: string]: Json };
  return { ...fields, [name]: withText(fields[name] as Json, rest, text) };
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

/** One request a kind of signal, where a text of either stands for what the caller or a policy says. */
const SIGNALLED: Readonly<Record<string, Json>> = {
  reference: signalled({ kind: "reference", tiers: ["rules"] }, { reference: ["1", "2"] }),
  "reference set": signalled({ kind: "reference", tiers: ["rules"], type: "set" }, { reference: "1, 2" }),
  consensus: signalled({ kind: "consensus" }),
  repetition: signalled({ kind: "repetition" }),
  length: signalled({ kind: "length", unit: "characters", max: 100 }),
  format: signalled({ kind: "format", require: [{ regex: "a+b" }, "closed_think", "has_candidate"] }),
  fuzzy_match: signalled({ kind: "text_similarity", evaluation_metric: "fuzzy_match" }, { reference: "b" }),
  rouge_1: signalled({ kind: "text_similarity", evaluation_metric: "rouge_1" }, { reference: ["b", "c"] }),
  "a file": {
    spec: { candidate: { extract: "whole" } },
    groups: [
      { prompt: "p", rollouts: ["a", "b"].map((text) => ({ text, files: [{ path: "f", text: "x\n", base: "y\n" }] })) },
    ],
  },
  "a run": {
    spec: { candidate: { extract: "whole" } },
    groups: [
      {
        prompt: "p",
        rollouts: ["a", "b"].map((content) => ({
          messages: [
            {
              ...{ role: "assistant", content, reasoning_content: "x", reasoning: "y" },
              tool_calls: [{ id: "c", function: { name: "f", arguments: "z" }, note: "n" }],
            },
            { role: "tool", tool_call_id: "c", content: "r", status: "s" },
          ],
        })),
      },
    ],
  },
};

/** All probes over one app, whose verifier answers at once. */
export async function costProbes(): Promise<Probe[]> {
  const app = createApp(
    completeDeps({
      timers: systemClock,
      ...{ verifier: fakeVerifier(preferring((text) => text.length)), runLog: fakeRunLog() },
      ...{ specs: fakeSpecStore(), clock: fixedClock(), keys: [], report: () => undefined },
    }),
  );
  const request = async (path: string, init: RequestInit = {}) =>
    (await app.request(`http://localhost${path}`, init)).text();
  const post = (path: string, body: Json, headers: Record<string, string> = {}) =>
    request(path, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
  const bodies = (name: string, path: string, example: Json): Probe[] => {
    const places = textsIn(example).filter(isFirst);
    const shared = { chars_max: LIMITS.body_bytes >> 8, other_chars: JSON.stringify(example).length };
    const single = places.map((place) => ({
      ...{ ...shared, name: `${name} ${place.join(".")}`, own_text: textAt(example, place) },
      send: (text: string) => post(path, withText(example, place, text)),
    }));
    const pairs = pairsOf(places).flatMap(([place, other]) =>
      SECOND.map((second, i) => ({
        ...{
          ...shared,
          name: `${name} ${place.join(".")} with ${other.at(-1)}, ${i}`,
          own_text: textAt(example, place),
        },
        send: (text: string) => post(path, withText(withText(example, place, text), other, second(text))),
      })),
    );
    return [...single, ...pairs];
  };
  const diffs = ["whole", "diff"].flatMap((extract) =>
    SECOND.map(
      (second, i): Probe => ({
        ...{ name: `files by ${extract}, ${i}`, own_text: "x", chars_max: LIMITS.body_bytes >> 8, other_chars: 4_000 },
        send: (text) => post("/v1/rewards", filesBody(extract, text, second)),
      }),
    ),
  );
  await buildAssets();
  const { paths } = JSON.parse(readFileSync(new URL("../../public/openapi.json", import.meta.url), "utf8")) as {
    paths: Record<string, Record<string, { requestBody?: { content: Record<string, Media> } }>>;
  };
  const examples = Object.entries(paths).flatMap(([path, methods]) => {
    const { example, examples: named = {} } = methods.post?.requestBody?.content["application/json"] ?? {};
    const all = example === undefined ? Object.values(named).map(({ value }) => value) : [example];
    return all.map((body) => ({ path, to: path.replace(/\{\w+\}/g, "x"), example: body }));
  });
  // A sample of a group waits for the others: of these the same handlers are in the native route.
  const soon = await Promise.all(
    examples.map(({ to, example }) =>
      Promise.race([post(to, example).then(() => true), pause(systemClock, PROMPT_MS).then(() => false)]),
    ),
  );
  const documented = examples.flatMap(({ path, to, example }, i) => (soon[i] ? bodies(path, to, example) : []));
  const signals = Object.entries(SIGNALLED).flatMap(([kind, body]) => bodies(`signal ${kind}`, "/v1/rewards", body));
  return [...documented, ...signals, ...diffs, ...outsideBodies(request, post)];
}

/** As the document shows a body: by one example, or by several. */
interface Media {
  example?: Json;
  examples?: Record<string, { value: Json }>;
}

type Request = (path: string, init?: RequestInit) => Promise<string>;
type Post = (path: string, body: Json, headers?: Record<string, string>) => Promise<string>;

/** Texts for a second place: the same, with every line changed, with the lines reversed. */
const SECOND: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => text.replaceAll("\n", "y\n"),
  (text) => text.split("\n").reverse().join("\n"),
];

/** Pairs of texts of one object, as a file's before and after: what compares them costs by both. */
function pairsOf(places: readonly Path[]): [Path, Path][] {
  const parent = (place: Path) => JSON.stringify(place.slice(0, -1));
  return places.flatMap((place, i) =>
    places.slice(i + 1).flatMap((other): [Path, Path][] => (parent(place) === parent(other) ? [[place, other]] : [])),
  );
}

const FILES = 64;
/** A run's files and what they were, each with its share of a text. */
function filesBody(extract: string, text: string, second: (text: string) => string): Json {
  const size = Math.ceil(text.length / FILES);
  const files = Array.from({ length: FILES }, (_, i) => {
    const held = text.slice(i * size, (i + 1) * size);
    return { path: `f${i}`, text: held, base: second(held) };
  });
  const rollouts = ["a", "b"].map((words) => ({ text: words, files }));
  return { spec: { candidate: { extract }, judge: { preset: "text-select" } }, groups: [{ prompt: "p", rollouts }] };
}

/** The parts that every route reads before a body: headers, the path, the query. */
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
  const address = (name: string, toPath: (text: string) => string): Probe => ({
    ...{ name, own_text: "", chars_max: HEADER_CHARS, other_chars: 100 },
    send: (text) => request(toPath(encoded(text).slice(0, 2 * HEADER_CHARS))),
  });
  return [
    ...HEADERS.map(header),
    address("path", (text) => `/${text}`),
    address("path of a run", (text) => `/v1/runs/${text}`),
    address("path with a key", (text) => `/k/${text}`),
    address("query", (text) => `/v1/runs?cursor=${text}`),
  ];
}
