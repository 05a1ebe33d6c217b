// The tools of the trainers' table that ask over HTTP from here: stand-ins with their tool's body, tries and
// times, and SDKs of other vendors.
import { setTimeout as pause } from "node:timers/promises";
import { CohereClientV2 } from "cohere-ai";
import OpenAI from "openai";
import * as clients from "../../test/api/contracts/trainer-clients.ts";
import { type Group, type Place, SIZE, type Values } from "./groups.ts";
import { patientFetch } from "./patient-fetch.ts";
import type { Tool } from "./tool.ts";

type AskOne = (text: string, group: Group) => Promise<number | null>;

/** A request for each sample, all in flight at once, but a late one. */
const oneByOne = ({ late_ms = 0 }: Place, groups: readonly Group[], ask: AskOne): Promise<Values> =>
  Promise.all(
    groups.map((group) =>
      Promise.all(
        group.texts.map(async (text, i) => {
          if (late_ms > 0 && i === group.texts.length - 1) await pause(late_ms);
          return ask(text, group);
        }),
      ),
    ),
  );

const optionsOf = ({ origin, scale }: Place, path: string) => ({ url: `${origin}${path}`, compression: 1 / scale });
const ms = ({ scale }: Place, real: number) => Math.max(1_000, Math.round(real * scale));

const chatml = (prompt: string) => `<|im_start|>user\n${prompt}<|im_end|>\n<|im_start|>assistant\n`;

let responses = 0;
const nemoRow = (text: string, { prompt }: Group) => ({
  responses_create_params: { input: prompt },
  expected_answer: "l",
  response: {
    ...{ id: `resp_${responses++}`, created_at: 0, model: "m", object: "response" },
    ...{ parallel_tool_calls: true, tool_choice: "auto", tools: [] },
    output: [
      {
        ...{ id: "m", type: "message", role: "assistant", status: "completed" },
        content: [{ type: "output_text", text, annotations: [] }],
      },
    ],
  },
});

export const openRlhf: Tool = {
  name: "OpenRLHF",
  version: "stand-in",
  comes: "any process",
  ask: (place, groups) =>
    oneByOne(place, groups, async (text, { prompt }) => {
      const path = `/openrlhf/get_reward?group_size=${SIZE}&run_id=openrlhf&deadline_ms=${ms(place, 144_000)}`;
      const query = `${chatml(prompt)}${text}<|im_end|>`;
      return (await clients.openRlhf(optionsOf(place, path), query, chatml(prompt), "l"))?.reward ?? null;
    }),
};

const slimePath = (place: Place, run: string) =>
  `/slime/reward?group_size=${SIZE}&run_id=${run}&deadline_ms=${ms(place, 96_000)}`;

export const slime: Tool = {
  name: "slime",
  version: "stand-in",
  comes: "any process",
  ask: (place, groups) =>
    oneByOne(place, groups, (text, { prompt }) =>
      clients.slime(optionsOf(place, slimePath(place, "slime")), prompt, text),
    ),
};

export const miles: Tool = {
  name: "miles (remote_rm)",
  version: "stand-in",
  comes: "any process",
  refuses: { when: /ECONNRESET|ECONNREFUSED|socket hang up|aborted/, as: "aiohttp.ClientConnectionError" },
  ask: (place, groups) =>
    oneByOne(place, groups, (text, { prompt }) =>
      clients.miles(optionsOf(place, `${slimePath(place, "miles")}&tries=1`), prompt, text),
    ),
};

export const nemoGym: Tool = {
  name: "NeMo-Gym",
  relayed: true,
  version: "stand-in, our relay",
  comes: "any process",
  ask: (place, groups) =>
    oneByOne(place, groups, (text, group) =>
      clients.nemoRl({ url: place.relay.training, compression: 1 / place.scale }, nemoRow(text, group)),
    ),
  validate: (place, groups) =>
    oneByOne(place, groups, (text, group) =>
      clients.nemoRl({ url: place.relay.validation, compression: 1 / place.scale }, nemoRow(text, group)),
    ),
};

export const verifiers: Tool = {
  name: "verifiers",
  relayed: true,
  version: "stand-in, our relay",
  comes: "any process",
  ask: (place, groups) =>
    oneByOne(place, groups, (text, group) => {
      const at = { url: place.relay.training, compression: 1 / place.scale };
      const request_timeout_ms = 1_000 * (place.patience_s ?? 300);
      return clients.verifiers(at, "", { ...nemoRow(text, group), run: "v" }, { request_timeout_ms });
    }),
  validate: (place, groups) =>
    oneByOne(place, groups, (text, group) =>
      clients.verifiers(optionsOf(place, "/nemo-gym"), "", nemoRow(text, group), {
        more: { "kritai-group-size": "1", "kritai-on-failure": "0" },
      }),
    ),
};

export const evalProtocol: Tool = {
  name: "eval-protocol",
  version: "stand-in",
  comes: "any process",
  // The preview waits 30 s and asks once; with the URL's own longer deadline the caller waits
  // longer.
  ask: (place, groups) =>
    oneByOne(place, groups, (text, { prompt }) => {
      const path = `/evaluate?group_size=${SIZE}&deadline_ms=${ms(place, 240_000)}`;
      const messages = [
        { role: "user", content: prompt },
        { role: "assistant", content: text },
      ];
      return clients.patiently(optionsOf(place, path), (options) =>
        clients.evalProtocol(options, "", messages, 300_000),
      );
    }),
  validate: (place, groups) =>
    oneByOne(place, groups, async (text, { prompt }) => {
      const messages = [
        { role: "user", content: prompt },
        { role: "assistant", content: text },
      ];
      return clients.evalProtocol(optionsOf(place, "/evaluate?group_size=1&on_failure=-1"), "", messages);
    }),
};

export const faiRl: Tool = {
  name: "FAI-RL",
  version: "stand-in",
  comes: "whole groups",
  ask: async (place, groups) => {
    const rows = groups.flatMap(({ prompt, texts }) => texts.map((text) => ({ prompt, text })));
    const path = `/v1/score_batch?run_id=fai-rl&deadline_ms=${ms(place, 120_000)}`;
    const flat = await clients.faiRl(optionsOf(place, path), "", rows);
    return groups.map(({ texts }) => texts.map(() => flat.shift() ?? null));
  },
};

/** The contract's deadline of 240 s is within what the SDK waits by itself. */
const patienceOf = ({ patience_s, scale }: Place) =>
  patience_s === undefined
    ? {}
    : { timeoutInSeconds: patience_s * scale, headers: { "Kritai-Deadline-Ms": `${800 * patience_s * scale}` } };

export const cohere: Tool = {
  name: "cohere (rerank)",
  version: "cohere-ai 8.1.0, patient fetch",
  comes: "whole groups",
  ask: (place, groups) =>
    Promise.all(
      groups.map(async ({ prompt, texts }) => {
        const sdk = new CohereClientV2({ token: "x", environment: place.origin, fetch: patientFetch });
        const { results } = await sdk.rerank({ model: "rm", query: prompt, documents: texts }, patienceOf(place));
        const scores: (number | null)[] = texts.map(() => null);
        for (const { index, relevanceScore } of results) scores[index] = relevanceScore;
        return scores;
      }),
    ),
};

export const openaiJudge: Tool = {
  name: "openai (judge)",
  version: "openai 7.57.0, patient fetch",
  comes: "whole groups",
  ask: (place, groups) =>
    Promise.all(
      groups.map(async ({ prompt, texts }) => {
        const sdk = new OpenAI({ apiKey: "x", baseURL: `${place.origin}/v1`, fetch: patientFetch });
        const question = { question: prompt, candidates: texts, form: "scores" };
        const messages = [{ role: "user" as const, content: JSON.stringify(question) }];
        const reply = await sdk.chat.completions.create({ model: "default", messages });
        const [, scores = "[]"] = /\\boxed\{(\[.*\])\}/.exec(reply.choices[0]?.message.content ?? "") ?? [];
        return JSON.parse(scores) as number[];
      }),
    ),
};
