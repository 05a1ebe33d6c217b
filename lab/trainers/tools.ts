// Owns the tools of the trainers' table: how each asks for a group's rewards, from its documented
// line. Knows no scenario.

import { setTimeout as pause } from "node:timers/promises";
import { CohereClientV2 } from "cohere-ai";
import OpenAI from "openai";
import * as clients from "../../test/api/contracts/trainer-clients.ts";
import { type Group, type Place, SIZE, type Values } from "./groups.ts";
import { patientFetch } from "./patient-fetch.ts";
import { drivePython, installedTrainers, type PythonTool, readyPython } from "./python.ts";

export interface Tool {
  name: string;
  /** "stand-in", or the version of the package that runs. */
  version: string;
  /** Its package is not installed here, so that it cannot run. */
  absent?: true;
  ask(place: Place, groups: readonly Group[]): Promise<Values>;
  /**
   * How the samples of a group reach Kritai: by one call, by calls of one process, or by calls of
   * any. Absent: by calls of which each may hold a part of a group.
   */
  comes?: "whole groups" | "one process" | "any process";
  /** Its requests go through the relay of NeMo-Gym. */
  relayed?: true;
  /**
   * The error of its own client, as its page says, when Kritai's restart breaks its connection: it
   * does not ask again after that. `when`: what our stand-in's error says.
   */
  refuses?: { when: RegExp; as: string };
  /** What its ValueError says of a part of a group, where the tool is told the group's size. */
  refuses_part?: RegExp;
  /** Resolves when its process could ask; trouble may begin then. */
  ready?(place: Place): Promise<void>;
  /** By its documented line; absent: as in training. */
  validate?(place: Place, groups: readonly Group[]): Promise<Values & { took_ms?: number }>;
}

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

const openRlhf: Tool = {
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

const slime: Tool = {
  name: "slime",
  version: "stand-in",
  comes: "any process",
  ask: (place, groups) =>
    oneByOne(place, groups, (text, { prompt }) =>
      clients.slime(optionsOf(place, slimePath(place, "slime")), prompt, text),
    ),
};

const miles: Tool = {
  name: "miles (remote_rm)",
  version: "stand-in",
  comes: "any process",
  refuses: { when: /ECONNRESET|ECONNREFUSED|socket hang up|aborted/, as: "aiohttp.ClientConnectionError" },
  ask: (place, groups) =>
    oneByOne(place, groups, (text, { prompt }) =>
      clients.miles(optionsOf(place, `${slimePath(place, "miles")}&tries=1`), prompt, text),
    ),
};

const nemoGym: Tool = {
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

const verifiers: Tool = {
  name: "verifiers",
  relayed: true,
  version: "stand-in, our relay",
  comes: "any process",
  ask: (place, groups) =>
    oneByOne(place, groups, (text, group) => {
      const at = { url: place.relay.training, compression: 1 / place.scale };
      return clients.verifiers(at, "", { ...nemoRow(text, group), run: "v" }, { request_timeout_ms: 300_000 });
    }),
  validate: (place, groups) =>
    oneByOne(place, groups, (text, group) =>
      clients.verifiers(optionsOf(place, "/nemo-gym"), "", nemoRow(text, group), {
        more: { "kritai-group-size": "1", "kritai-on-failure": "0" },
      }),
    ),
};

/** How a Python tool's samples come, and whether its rows say when they are validation's. */
type PythonWays = Pick<Tool, "comes"> & { split?: true };

/** A shim of the Python client, called as its tool calls it. */
const shim = (name: string, tool: string, ways: PythonWays = {}): Tool => ({
  version: "stand-in, our shim",
  ...inPython(name, { name: tool }, ways),
});

/** One whose training has its processes meet; without torch its row stays as it was. */
const meeting = (name: string, tool: string): Tool => ({
  version: "stand-in, our shim",
  ...(INSTALLED.trl === undefined && { absent: true as const }),
  ...inPython(name, { name: tool, meets: true }, {}),
});

function inPython(name: string, tool: PythonTool, { comes, split }: PythonWays): Omit<Tool, "version"> {
  return {
    name,
    ...(comes !== undefined && { comes }),
    ready: (place) => readyPython(place, tool),
    ask: (place, groups) => drivePython(place, tool, groups, "train"),
    ...(split === true && { validate: (place, groups) => drivePython(place, tool, groups, "test") }),
  };
}

const INSTALLED = installedTrainers();

/** The package's own code, where it is installed; else its row stays as it was. */
const packaged = (name: string, of: string, tool: string, ways: PythonWays = {}): Tool => ({
  version: INSTALLED[of] === undefined ? "not installed here" : `${of} ${INSTALLED[of]}`,
  ...(INSTALLED[of] === undefined && { absent: true as const }),
  ...inPython(name, { name: tool, packaged: true }, ways),
});

const evalProtocol: Tool = {
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

const faiRl: Tool = {
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

const cohere: Tool = {
  name: "cohere (rerank)",
  version: "cohere-ai 8.1.0, patient fetch",
  comes: "whole groups",
  ask: (place, groups) =>
    Promise.all(
      groups.map(async ({ prompt, texts }) => {
        const sdk = new CohereClientV2({ token: "x", environment: place.origin, fetch: patientFetch });
        const { results } = await sdk.rerank({ model: "rm", query: prompt, documents: texts });
        const scores: (number | null)[] = texts.map(() => null);
        for (const { index, relevanceScore } of results) scores[index] = relevanceScore;
        return scores;
      }),
    ),
};

const openaiJudge: Tool = {
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

const BY_ONE = { comes: "one process", split: true } as const;
const BY_ANY = { comes: "any process", split: true } as const;
const WHOLE = { comes: "whole groups" } as const;

export const TOOLS: readonly Tool[] = [
  openRlhf,
  packaged("OpenRLHF (package)", "openrlhf", "openrlhf", { comes: "any process" }),
  slime,
  miles,
  shim("miles (shim)", "slime", WHOLE),
  nemoGym,
  verifiers,
  // By its documented line, without our relay: it asks once.
  {
    ...packaged("verifiers (package)", "verifiers", "verifiers", BY_ANY),
    refuses: { when: /^httpx\.(ConnectError|RemoteProtocolError|ReadError)/, as: "httpx.TransportError" },
  },
  shim("verl (shim)", "verl_reward", BY_ONE),
  shim("verl (gathered)", "verl_gathered", BY_ANY),
  packaged("verl (package, shim)", "verl", "verl_reward", BY_ONE),
  packaged("verl (package, gathered)", "verl", "verl_gathered", BY_ANY),
  shim("SkyRL", "skyrl", BY_ONE),
  packaged("SkyRL (package)", "skyrl-gym", "skyrl", BY_ONE),
  shim("AReaL", "areal", BY_ANY),
  packaged("AReaL (package)", "areal", "areal", BY_ANY),
  { ...meeting("ms-swift", "ms_swift"), refuses_part: /holds a part of a group/ },
  meeting("TRL", "trl"),
  packaged("TRL (package)", "trl", "trl"),
  { ...meeting("axolotl", "trl"), version: "stand-in, TRL's function" },
  packaged("tinker (package)", "tinker-cookbook", "tinker", WHOLE),
  packaged("Atropos (package)", "atroposlib", "atropos", WHOLE),
  packaged("ART RULER (package)", "openpipe-art", "art", WHOLE),
  evalProtocol,
  packaged("eval-protocol (package)", "eval-protocol", "eval_protocol", BY_ANY),
  faiRl,
  cohere,
  openaiJudge,
];

/**
 * What the tool's number is on a group whose rewards are these: tenths, or a share of the range.
 */
export function toldAs({ name }: Tool, reward: number): number {
  // Scores leave the penalty of what is malformed out.
  if (name === "cohere (rerank)" || name === "ART RULER (package)") return Math.max(0, reward);
  if (name === "openai (judge)") return Math.max(0, Math.round(10 * reward));
  // The default spec's rewards lie between -1 and 1.
  return name.startsWith("eval-protocol") ? (reward + 1) / 2 : reward;
}
