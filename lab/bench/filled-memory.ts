// Owns the benchmark of what filled templates add to the edge's memory, in bare workerd: requests of
// 12 KiB that fill 15 MiB while their judge keeps them waiting, with the bounds and with them lifted.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { WorkerModules } from "../../scripts/stack/worker-modules.ts";
import { type Figure, figure } from "./figures.ts";
import { startWorkerd } from "./workerd.ts";

const MIB = 1024 * 1024;
const ROLLOUTS = 256;
const GROUPS = 4;
const AT_ONCE = 8;
const SETTLED_MS = 100;
const SETTLED_TIMES = 10;

interface Filling {
  messages: number;
  /** Places of each message that name the row's one field, of so many chars. */
  places: number;
  chars: number;
}

/** Some 40 KiB that would fill 230 MiB; some 12 KiB that fill 15 MiB, a question of its own each rollout. */
export const FILLINGS = {
  refused: { messages: 3, places: 1_200, chars: 250 },
  held: { messages: 1, places: 60, chars: 1_000 },
} satisfies Record<string, Filling>;

export function filledRequest({ messages, places, chars }: Filling): string {
  const content = `{{sample.output_json.v}} ${"{{item.a}}".repeat(places)}`;
  const input = Array.from({ length: messages }, () => ({ role: "user", content }));
  const rollouts = Array.from({ length: ROLLOUTS / GROUPS }, (_, r) => ({ text: JSON.stringify({ v: `${r}` }) }));
  return JSON.stringify({
    spec: { signals: { s: { kind: "score_model", range: [0, 10], input } }, candidate: { extract: "whole" } },
    deadline_ms: 60_000,
    groups: Array.from({ length: GROUPS }, (_, g) => ({ prompt: `${g}`, item: { a: "x".repeat(chars) }, rollouts })),
  });
}

/** A judge that answers nothing until it is closed. */
export async function startSilentJudge() {
  let asked = 0;
  const server = createServer((request) => {
    asked++;
    request.resume();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    asked: () => asked,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** The Worker without the bounds on what templates fill. */
export function withoutBounds(script: WorkerModules): WorkerModules {
  const BOUNDS = /\b(in_flight_body_bytes_max|filled_request_chars):\d+/g;
  const bound = Object.entries(script).filter(([, text]) => text.search(BOUNDS) >= 0);
  if (bound.length === 0) throw new Error("the bundle names no such limits");
  return { ...script, ...Object.fromEntries(bound.map(([name, text]) => [name, text.replace(BOUNDS, "$1:1e12")])) };
}

export interface Filled {
  /** How many requests were refused, by the limit that was named. */
  refused: { busy: number; filled: number };
  /** Bytes that the process holds more, and held at most. */
  grown: number;
  peak: number;
}

/** So many such requests at once; measured when all are refused or being judged. */
export async function fillEdge(script: WorkerModules, filling: Filling, requests: number): Promise<Filled> {
  const judge = await startSilentJudge();
  const vars = { VERIFIER_URL: judge.url, VERIFIER_MODEL: "bench", VERIFIER_PROTOCOL: "openai" };
  const workerd = await startWorkerd({ script, vars });
  const ended = new AbortController();
  try {
    const body = filledRequest(filling);
    await (await fetch(`${workerd.url}/v1/health`)).text();
    const before = workerd.rss().now;
    const refused = { busy: 0, filled: 0 };
    const sent = Array.from({ length: requests }, async () => {
      const headers = { "content-type": "application/json" };
      const reply = await fetch(`${workerd.url}/v1/rewards`, { method: "POST", headers, body, signal: ended.signal });
      const text = await reply.text();
      if (reply.status === 503 && text.includes("in_flight_body_bytes_max")) refused.busy++;
      else if (reply.status === 400 && text.includes("filled_request_chars")) refused.filled++;
      else throw new Error(`a request that fills templates was answered ${reply.status}`);
    });
    const over = Promise.all(sent).catch((error) => {
      if (!ended.signal.aborted) throw error;
    });
    let last = -1;
    for (let same = 0; same < SETTLED_TIMES; ) {
      await Promise.race([sleep(SETTLED_MS), over]);
      const cpu = workerd.cpuMs();
      same = cpu === last ? same + 1 : 0;
      last = cpu;
    }
    const { now, peak } = workerd.rss();
    ended.abort();
    await over;
    return { refused, grown: now - before, peak: peak - before };
  } finally {
    await workerd.close();
    judge.close();
  }
}

export async function benchFilledMemory(script: WorkerModules): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const [name, filling, requests] of [
    ["one that would fill 230 MiB", FILLINGS.refused, 1],
    [`${AT_ONCE} that fill 15 MiB each`, FILLINGS.held, AT_ONCE],
  ] as const) {
    for (const [bounds, bundle] of [
      ["bounded", script],
      ["without the bounds", withoutBounds(script)],
    ] as const) {
      const { refused, grown, peak } = await fillEdge(bundle, filling, requests);
      figures.push(
        figure(`${name}, ${bounds}: memory while judged`, "MiB", null, [grown / MIB]),
        figure(`${name}, ${bounds}: most memory`, "MiB", null, [peak / MIB]),
        figure(`${name}, ${bounds}: refused`, "requests", null, [refused.busy + refused.filled]),
      );
    }
  }
  return figures;
}
