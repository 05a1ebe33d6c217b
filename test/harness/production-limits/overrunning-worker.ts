// A Worker that does as much of one thing as its URL asks for, so that the tests of the limits can overrun
// them.
// @ts-expect-error: a module of workerd, whose types Node's project does not load
import { DurableObject } from "cloudflare:workers";

interface Stub {
  fetch(url: string): Promise<Response>;
  ping(): Promise<string>;
  pingOthers(count: number): Promise<void>;
}
interface Env {
  BATCH: { getByName(name: string): Stub; get(id: unknown): Stub; idFromName(name: string): unknown };
  LOG_QUEUE: { sendBatch(messages: { body: string }[]): Promise<void> };
}

const AT_ONCE = 100;

async function times(count: number, work: () => Promise<unknown>): Promise<void> {
  for (let begun = 0; begun < count; begun += AT_ONCE) {
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, count - begun) }, work));
  }
}

class Target extends DurableObject {
  declare env: Env;

  ping(): string {
    return "pong";
  }

  async fetch(): Promise<Response> {
    return new Response("pong");
  }

  async pingOthers(count: number): Promise<void> {
    await times(count, () => this.env.BATCH.getByName("other").ping());
  }
}

export {
  Target as Batch,
  Target as DeadLetters,
  Target as DeploymentTotals,
  Target as GroupRoom,
  Target as IdempotentRequests,
  Target as KeyCounters,
};

const held: unknown[] = [];

const WAYS: Record<string, (env: Env, count: number) => Promise<unknown>> = {
  call: ({ BATCH }, count) => times(count, () => BATCH.getByName("one").ping()),
  fetch: ({ BATCH }, count) => times(count, () => BATCH.get(BATCH.idFromName("one")).fetch("http://object/")),
  "call-from-object": ({ BATCH }, count) => BATCH.getByName("one").pingOthers(count),
  send: ({ LOG_QUEUE }, count) => times(count, () => LOG_QUEUE.sendBatch([{ body: "x" }])),
  hold: async (_, megabytes) => {
    for (let mb = 0; mb < megabytes; mb++) held.push(Array.from({ length: 131_072 }, (_, i) => mb + i + 0.5));
  },
};

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    try {
      await WAYS[pathname.slice(1)]?.(env, Number(searchParams.get("count")));
      return new Response("done");
    } catch (error) {
      return new Response((error as Error).message);
    }
  },
};
