// Owns a Worker's exports under the limits of production: every way in opens an invocation in the ledger, every way out is counted there. Knows no route.
import { AsyncLocalStorage } from "node:async_hooks";
import { Ledger, PATH } from "./ledger.ts";

type Env = Record<string, unknown>;
interface Execution {
  waitUntil(work: Promise<unknown>): void;
  [name: string]: unknown;
}
type Queue = {
  send(body: unknown, options?: unknown): Promise<unknown>;
  sendBatch(messages: Iterable<{ body: unknown }>, options?: unknown): Promise<unknown>;
};

/** As much of a Worker as is wrapped. */
interface Product {
  fetch(request: Request, env: Env, execution: Execution): Response | Promise<Response>;
  queue?(batch: unknown, env: Env, execution: Execution): Promise<void>;
}
// biome-ignore lint/complexity/noBannedTypes: a class of any shape, whose methods are wrapped by name
type ObjectClass = new (state: unknown, env: Env) => Record<string, Function>;

const ledger = new Ledger(new AsyncLocalStorage());
const bareFetch = globalThis.fetch;
globalThis.fetch = ((...args: Parameters<typeof fetch>) => ledger.fetch(bareFetch, ...args)) as typeof fetch;

const limitedEnvs = new WeakMap<Env, Env>();

/** The same environment, its queues checked. One object for each environment: the Worker knows its isolate's by identity. */
function limitedEnv(env: Env): Env {
  const known = limitedEnvs.get(env);
  if (known !== undefined) return known;
  const isQueue = (value: unknown): value is Queue => typeof (value as Queue | null)?.sendBatch === "function";
  const limited = Object.fromEntries(
    Object.entries(env).map(([name, value]) => [
      name,
      name.endsWith("QUEUE") && isQueue(value) ? checked(value) : value,
    ]),
  );
  limitedEnvs.set(env, limited);
  return limited;
}

function checked(queue: Queue): Queue {
  return {
    async send(body, options) {
      ledger.send([{ body }]);
      return queue.send(body, options);
    },
    async sendBatch(messages, options) {
      const batch = [...messages];
      ledger.send(batch);
      return queue.sendBatch(batch, options);
    },
  };
}

/** The Worker's default export, limited; tells the ledger's report at PATH. */
export function limitedWorker(product: Product): Product {
  return {
    ...product,
    async fetch(request, env, execution) {
      if (new URL(request.url).pathname === PATH) return Response.json(ledger.report());
      const context = Object.create(execution) as Execution;
      context.waitUntil = (work) => {
        ledger.afterDisconnect(request.signal, work);
        execution.waitUntil(work);
      };
      return ledger.run(() => product.fetch(request, limitedEnv(env), context));
    },
    async queue(batch, env, execution) {
      await ledger.run(() => product.queue?.(batch, limitedEnv(env), execution));
    },
  };
}

/** A Durable Object's class, limited: each of its methods is an invocation, and all events of one object share six slots. */
export function limitedObject(Product: ObjectClass): ObjectClass {
  class Limited extends Product {
    constructor(state: unknown, env: Env) {
      super(state, limitedEnv(env));
    }
  }
  for (let of = Product.prototype; of !== null && of !== Object.prototype; of = Object.getPrototypeOf(of)) {
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(of))) {
      if (name === "constructor" || typeof value !== "function" || Object.hasOwn(Limited.prototype, name)) continue;
      Object.defineProperty(Limited.prototype, name, {
        value(this: object, ...args: unknown[]) {
          return ledger.run(() => value.apply(this, args), this);
        },
        configurable: true,
        writable: true,
      });
    }
  }
  return Limited;
}
