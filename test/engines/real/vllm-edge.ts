// The edge's app over a real engine, and what the tests ask of it. Must not hold any test.
import { createEnginePool } from "../../../gpu-backend/gateway/engines/create.ts";
import { startGateway } from "../../../gpu-backend/gateway/http/server.ts";
import { LIMITS } from "../../../src/core/faults/limits.ts";
import { createVerifier } from "../../../src/verifier/create.ts";
import { setUp } from "../../api/routes/harness.ts";
import { clock } from "./setup.ts";

type Backends = Parameters<typeof createVerifier>[0];
type Backend = Backends[number] & Record<string, unknown>;

/** An app whose verifier is these backends, in order. */
export const edge = (...backends: [Backend, ...Backend[]]) =>
  setUp({ verifier: createVerifier(backends, { hedging: false }, clock), clock });

export const post = (url: string, body: unknown, signal?: AbortSignal) => {
  const headers = { "content-type": "application/json" };
  return fetch(url, { method: "POST", headers, body: JSON.stringify(body), ...(signal && { signal }) });
};

/** This number of programs that differ. */
export const rollouts = (n: number) =>
  Array.from({ length: n }, (_, i) => ({ text: `\`\`\`python\nprint(${i} + int(input()))\n\`\`\`` }));

/**
 * The longest there is: a request of a test hangs or ends well, however slow the machine. The first
 * with log probabilities alone takes minutes on a busy one.
 */
export const deadline_ms = LIMITS.deadline_ms_max;

/** The parts of a reply to `/v1/rewards` that the tests look at. */
export interface Reply {
  rewards: (number | null)[][];
  warnings: string[];
  groups: { verifier: Record<string, number>; rollouts: { error: string | null }[] }[];
}

interface Gateway {
  url: string;
  /** The report of `/ready` on its engines. */
  ready(): Promise<{ ok: boolean; detail: string }>;
  /** Log lines of its pool so far. */
  lines: Record<string, unknown>[];
}

/** A gateway before several engines, or with servers of scalar models; closed after the test. */
export async function withEngines<T>(
  { urls, model, scalar }: { urls: readonly string[]; model: string; scalar?: readonly string[] },
  test: (gateway: Gateway) => Promise<T>,
): Promise<T> {
  const lines: Record<string, unknown>[] = [];
  const report = (line: Record<string, unknown>) => void lines.push(line);
  const pool = createEnginePool({ urls, model, apiKey: null, maxInFlight: 32, report });
  const relay = scalar && { scalar: { urls: scalar, apiKey: null } };
  const gateway = await startGateway({ host: "127.0.0.1", port: 0, pool, ...relay });
  const ready = async () => {
    const { engine } = (await (await fetch(`${gateway.url}/ready`)).json()) as {
      engine: Awaited<ReturnType<Gateway["ready"]>>;
    };
    return engine;
  };
  try {
    return await test({ url: gateway.url, ready, lines });
  } finally {
    await gateway.close(0);
  }
}
