// The soak's load: for every contract, requests whose right answers are known from /v1/rewards, and a client
// that is cut off and comes back.
import { createRandom } from "../../../src/core/math/random.ts";
import { CLIENTS, type Client, isGathered } from "./clients.ts";
import { CONTRACTS } from "./sample-setup.ts";
import { fenced } from "./setup.ts";

/**
 * A prompt and its answers; the answers are programs, so that every contract judges the same
 * candidates.
 */
export interface SoakGroup {
  prompt: string;
  answers: string[];
}

/** One request, and what its reply must come to once it has been read. */
export interface SoakRequest {
  path: string;
  body: string;
  read(reply: unknown): unknown;
  expected: unknown;
}

/** Rewards of a group as /v1/rewards gives them. */
export type Rewards = readonly number[];

/** Groups of `size`; with `twins` every eighth holds two equal answers. */
export function groupsOf(name: string, count: number, size: number, twins = true): SoakGroup[] {
  const value = (g: number, r: number) => (twins && g % 8 === 0 && r === 1 ? 0 : r);
  return Array.from({ length: count }, (_, g) => ({
    prompt: `${name} ${g}: print a number.`,
    answers: Array.from({ length: size }, (_, r) => fenced(`print(${value(g, r)})  # ${name} ${g}`)),
  }));
}

/**
 * The groups as /v1/rewards must be asked: OpenRLHF's prompts keep what the chat template writes as
 * words.
 */
export function nativeGroups(path: string, groups: readonly SoakGroup[]): SoakGroup[] {
  return groups.map(({ prompt, answers }) => ({
    prompt: path.startsWith("/openrlhf") ? `user\n${prompt}` : prompt,
    answers,
  }));
}

/**
 * One request a sample. The members of a group stand together, so that a bounded number of requests
 * in flight never waits for itself.
 */
export function sampleRequests(path: string, groups: readonly SoakGroup[], rewards: readonly Rewards[]): SoakRequest[] {
  const contract = CONTRACTS.find((known) => known.path === path);
  if (contract === undefined) throw new Error(`no contract ${path}`);
  return groups.flatMap(({ prompt, answers }, g) =>
    answers.map((answer, r) => {
      const reward = rewards[g]?.[r] as number;
      return {
        path: `${path}?group_size=${answers.length}&deadline_ms=20000`,
        body: JSON.stringify(contract.body(prompt, answer)),
        read: contract.rewardOf,
        expected: path === "/evaluate" ? (reward + 1) / 2 : reward,
      };
    }),
  );
}

/** A route of each contract that carries a whole group. */
export const WHOLE = CLIENTS.filter((client, i) => {
  return !isGathered(client) && i === CLIENTS.findIndex(({ numbers }) => numbers === client.numbers);
});

/** One request a group; a judge of chats tells the better of two in its scores. */
export function wholeRequests(
  client: Client,
  groups: readonly SoakGroup[],
  rewards: readonly Rewards[],
): SoakRequest[] {
  return groups.map(({ prompt, answers }, g) => ({
    path: client.path,
    body: JSON.stringify(client.bodies(prompt, answers)[0]),
    read: (reply) => client.numbers(reply as never, answers.length),
    expected: rewards[g],
  }));
}

export interface SoakOutcome {
  /** Requests whose first try was cut off. */
  cut: number;
  tries: number;
  wrong: { request: SoakRequest; told: unknown }[];
}

const CUT_SHARE = 0.05;
const CUT_WITHIN_MS = 40;
const TRIES_MAX = 6;

/**
 * Sends every request until it is answered, `in_flight` at a time. A share of first tries is cut
 * off by the client after a moment, and sent again byte by byte the same; so is whatever fails.
 */
export async function soak(
  origin: string,
  requests: readonly SoakRequest[],
  inFlight: number,
  seed: number,
): Promise<SoakOutcome> {
  const random = createRandom(seed);
  const outcome: SoakOutcome = { cut: 0, tries: 0, wrong: [] };
  const plans = requests.map((request) => ({
    request,
    cut_ms: random() < CUT_SHARE ? random() * CUT_WITHIN_MS : null,
  }));
  const queue = plans.values();
  const lane = async () => {
    for (const { request, cut_ms } of queue) {
      const told = await persist(origin, request, cut_ms, outcome);
      if (JSON.stringify(told) !== JSON.stringify(request.expected)) outcome.wrong.push({ request, told });
    }
  };
  await Promise.all(Array.from({ length: inFlight }, lane));
  return outcome;
}

async function persist(origin: string, { path, body, read }: SoakRequest, cutMs: number | null, outcome: SoakOutcome) {
  let last: unknown;
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    outcome.tries++;
    const cut = new AbortController();
    const timer = tries === 0 && cutMs !== null ? setTimeout(() => cut.abort(), cutMs) : undefined;
    try {
      const headers = { "content-type": "application/json" };
      const response = await fetch(`${origin}${path}`, { method: "POST", headers, body, signal: cut.signal });
      const text = await response.text();
      if (response.status === 200) return read(JSON.parse(text));
      last = text;
    } catch (error) {
      if (cut.signal.aborted) outcome.cut++;
      last = String(error);
    } finally {
      clearTimeout(timer);
    }
  }
  return last;
}
