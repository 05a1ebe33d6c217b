// Clients that behave as each trainer's own does (its headers, its connections, its tries and what it does
// with a reply), with its times divided by a factor.
import { Agent, type IncomingMessage, request } from "node:http";
import { gunzipSync, inflateSync } from "node:zlib";

export interface TrainerOptions {
  /** The trainer's URL, key and options included. */
  url: string;
  /** The divisor of its waits. */
  compression: number;
}

interface Reply {
  status: number;
  headers: IncomingMessage["headers"];
  text: string;
}

const AIOHTTP = { accept: "*/*", "accept-encoding": "gzip, deflate", "user-agent": "Python/3.12 aiohttp/3.13.2" };
const HTTPX = {
  accept: "*/*",
  "accept-encoding": "gzip, deflate",
  connection: "keep-alive",
  "user-agent": "python-httpx/0.28.1",
};
const REQUESTS = {
  accept: "*/*",
  "accept-encoding": "gzip, deflate",
  connection: "keep-alive",
  "user-agent": "python-requests/2.32.5",
};

/** Encodings that each of them accepts, and decodes without being asked. */
function decoded(body: Buffer, encoding: string | undefined): string {
  if (encoding === "gzip") return gunzipSync(body).toString();
  return (encoding === "deflate" ? inflateSync(body) : body).toString();
}

function post(
  url: string,
  body: unknown,
  headers: Record<string, string>,
  timeoutMs: number,
  agent: Agent | false,
): Promise<Reply> {
  const text = JSON.stringify(body);
  const sent = { ...headers, "content-type": "application/json", "content-length": `${Buffer.byteLength(text)}` };
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(timeoutMs);
    const outgoing = request(url, { method: "POST", headers: sent, agent, signal }, async (incoming) => {
      try {
        const parts: Buffer[] = [];
        for await (const part of incoming) parts.push(part as Buffer);
        resolve({
          status: incoming.statusCode as number,
          headers: incoming.headers,
          text: decoded(Buffer.concat(parts), incoming.headers["content-encoding"]),
        });
      } catch (error) {
        reject(error);
      }
    });
    outgoing.on("error", reject);
    outgoing.end(text);
  });
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** aiohttp's `resp.json()` behind `raise_for_status()`. */
function jsonOf({ status, headers, text }: Reply): unknown {
  if (status >= 400) throw new Error(`${status}`);
  if (!/^application\/(?:[\w.+-]+?\+)?json/.test(headers["content-type"] ?? "")) throw new Error("ContentTypeError");
  return JSON.parse(text);
}

/** `torch.tensor([value])` of a number, or of a list of one. */
function tensor(value: unknown): number {
  const one = Array.isArray(value) && value.length === 1 ? value[0] : value;
  if (typeof one !== "number" || !Number.isFinite(one)) throw new TypeError(`not a tensor: ${JSON.stringify(value)}`);
  return one;
}

export interface OpenRlhfSample {
  reward: number;
  score: number;
  logs: Record<string, number>;
}

/**
 * OpenRLHF v0.11: 5 tries of 180 s on separate connections, 1 s apart, whatever went wrong. null: the sample
 * is lost.
 */
export async function openRlhf(
  { url, compression }: TrainerOptions,
  query: string,
  prompt: string,
  label: string,
): Promise<OpenRlhfSample | null> {
  const body = { query: [query], prompts: [prompt], labels: [label] };
  for (let tries = 0; tries < 5; tries++) {
    if (tries > 0) await pause(1_000 / compression);
    try {
      const reply = jsonOf(await post(url, body, AIOHTTP, 180_000 / compression, false)) as Record<string, unknown>;
      const logs = Object.entries(reply.extra_logs as object).map(([name, value]) => [name, tensor(value)]);
      return {
        reward: tensor(reply.rewards),
        score: tensor(reply.scores ?? reply.rewards),
        logs: Object.fromEntries(logs),
      };
    } catch {
      // Whatever went wrong: OpenRLHF tries again.
    }
  }
  return null;
}

const pools = new Map<string, Agent>();

/** Each trainer has a separate pool, and so has here each URL. */
function poolOf(url: string): Agent {
  const found = pools.get(url) ?? new Agent({ keepAlive: true, maxSockets: 64 });
  pools.set(url, found);
  return found;
}

/**
 * slime 0.3: 10 tries of 120 s from a pool of 64, pauses of min(2^k, 30) s and up to 1 s more; with
 * a reward key the reply is an object.
 */
export async function slime(
  { url, compression }: TrainerOptions,
  prompt: unknown,
  response: string,
  rewardKey?: string,
): Promise<number> {
  for (let tries = 0; ; tries++) {
    try {
      const reply = jsonOf(
        await post(url, { prompt, response, label: null }, AIOHTTP, 120_000 / compression, poolOf(url)),
      );
      return tensor(rewardKey === undefined ? reply : (reply as Record<string, unknown>)[rewardKey]);
    } catch (error) {
      if (tries === 9) throw error;
      await pause((Math.min(2 ** tries, 30) * 1_000) / compression);
    }
  }
}

/** miles: slime's request, asked once in a separate session, for aiohttp's own 300 s. */
export async function miles({ url, compression }: TrainerOptions, prompt: unknown, response: string): Promise<number> {
  return tensor(jsonOf(await post(url, { prompt, response, label: null }, AIOHTTP, 300_000 / compression, false)));
}

/**
 * verifiers 0.4: one try of `request_timeout`, by default 60 s; the reward is popped, and what was
 * sent must be in the reply, or it is a KeyError.
 */
export async function verifiers(
  { url, compression }: TrainerOptions,
  key: string,
  row: Record<string, unknown>,
  { request_timeout_ms = 60_000, more = {} }: { request_timeout_ms?: number; more?: Record<string, string> } = {},
): Promise<number> {
  const headers = { ...HTTPX, authorization: `Bearer ${key}`, ...more };
  const reply = jsonOf(
    await post(`${url}/verify`, row, headers, request_timeout_ms / compression, poolOf(url)),
  ) as Record<string, unknown>;
  for (const name of ["responses_create_params", "response"])
    if (!(name in reply)) throw new Error(`KeyError: ${name}`);
  return tensor(reply.reward);
}

/**
 * NeMo-RL: 5xx, 408 and 429 are dispatched again, five times in all; other 4xx twice. Components
 * must add up to the reward.
 */
export async function nemoRl({ url, compression }: TrainerOptions, row: Record<string, unknown>): Promise<number> {
  for (let tries = 1; ; tries++) {
    const reply = await post(
      `${url}/ng-rollout/r${tries}/verify`,
      row,
      { ...AIOHTTP, cookie: "session=x" },
      600_000 / compression,
      poolOf(url),
    );
    if (reply.status < 400) {
      const { reward, reward_components } = jsonOf(reply) as {
        reward: number;
        reward_components: Record<string, number>;
      };
      const sum = Object.values(reward_components).reduce((a, b) => a + b, 0);
      if (Math.abs(sum - reward) > 1e-5 * Math.abs(reward)) throw new Error("ValueError: components");
      return tensor(reward);
    }
    const infrastructure = reply.status >= 500 || reply.status === 408 || reply.status === 429;
    if (tries === (infrastructure ? 5 : 2)) throw new Error(`${reply.status}`);
  }
}

/**
 * eval-protocol's remote reward function (0.3): one try, 30 s in the preview. Each metric's reason must be a
 * text; is_score_valid is never looked at.
 */
export async function evalProtocol(
  { url, compression }: TrainerOptions,
  key: string,
  messages: object[],
  wait_ms = 30_000,
): Promise<number> {
  const body = { messages, ground_truth: null };
  const reply = jsonOf(await post(url, body, { ...REQUESTS, "x-api-key": key }, wait_ms / compression, false));
  const { score, metrics } = reply as { score: number; metrics: Record<string, { reason: unknown }> };
  for (const { reason } of Object.values(metrics))
    if (typeof reason !== "string") throw new Error("ValidationError: MetricResult.reason");
  return score;
}

/**
 * A caller's own loop around a client that asks once: whatever fails, and an answer that is none.
 */
export async function patiently<T>(
  options: TrainerOptions,
  ask: (options: TrainerOptions) => Promise<T | null>,
): Promise<T | null> {
  for (let tries = 0; tries < 10; tries++) {
    if (tries > 0) await pause(Math.min(8_000, 500 * 2 ** tries) / options.compression);
    const got = await ask(options).catch(() => null);
    if (got !== null) return got;
  }
  return null;
}

/**
 * FAI-RL: the whole batch in one call, repeated with growing pauses; a list of finite numbers as
 * long as the batch, or an error.
 */
export async function faiRl(
  { url, compression }: TrainerOptions,
  key: string,
  rows: readonly { prompt: string; text: string }[],
): Promise<number[]> {
  const body = {
    prompts: rows.map(({ prompt }) => prompt),
    completions: rows.map(({ text }) => text),
    context: { answer: rows.map(() => "l") },
  };
  for (let tries = 0; ; tries++) {
    try {
      const headers = { ...REQUESTS, authorization: `Bearer ${key}` };
      const { rewards } = jsonOf(await post(url, body, headers, 300_000 / compression, poolOf(url))) as {
        rewards: unknown;
      };
      if (!Array.isArray(rewards) || rewards.length !== rows.length)
        throw new Error("not a list of the batch's length");
      return rewards.map(tensor);
    } catch (error) {
      if (tries === 5) throw error;
      await pause((1_000 * 2 ** tries) / compression);
    }
  }
}

/**
 * verl's rate-free manager over an aiohttp function: every sample of a batch must have the keys of
 * the first.
 */
export async function verl(
  { url, compression }: TrainerOptions,
  solutions: readonly string[],
  question: string,
): Promise<number[]> {
  const rows = await Promise.all(
    solutions.map(async (solution_str) => {
      const body = { data_source: "d", solution_str, ground_truth: "g", extra_info: { question, num_turns: 2 } };
      return jsonOf(await post(url, body, AIOHTTP, 300_000 / compression, poolOf(url))) as Record<string, number>;
    }),
  );
  for (const name of Object.keys(rows[0] as object)) for (const row of rows) tensor(row[name]);
  return rows.map(({ score }) => tensor(score));
}
