// A Worker's exports under the limits of production: every way in opens an invocation in the ledger, every
// way out is counted there.
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

type Stub = Record<string | symbol, unknown>;
type Namespace = { getByName(name: string, options?: unknown): Stub; get(id: unknown, options?: unknown): Stub };

/** The parts of a Worker that are wrapped. */
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

/**
 * The same environment, its queues checked and calls to its objects counted. One object for each
 * environment: the Worker knows its isolate's by identity.
 */
function limitedEnv(env: Env): Env {
  const known = limitedEnvs.get(env);
  if (known !== undefined) return known;
  const limited = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, limitedBinding(name, value)]));
  limitedEnvs.set(env, limited);
  return limited;
}

/**
 * Queues are recognised by their names first: the local stack's are stubs, which seem to have every method.
 */
function limitedBinding(name: string, value: unknown): unknown {
  if (name.endsWith("QUEUE") && typeof (value as Queue | null)?.sendBatch === "function")
    return checked(value as Queue);
  if (typeof (value as Namespace | null)?.getByName === "function") return counted(value as Namespace);
  return value;
}

function counted(namespace: Namespace): Namespace {
  return new Proxy(namespace, {
    get(target, name) {
      const value = Reflect.get(target, name) as unknown;
      if (typeof value !== "function") return value;
      const call = (...args: unknown[]) => Reflect.apply(value, target, args);
      return name === "get" || name === "getByName" ? (...args: unknown[]) => countedStub(call(...args) as Stub) : call;
    },
  });
}

/**
 * Each call of a stub, `fetch` or by name, is one subrequest. What the object calls back rides on
 * that call.
 */
function countedStub(stub: Stub): Stub {
  return new Proxy(stub, {
    get(target, name) {
      const value = Reflect.get(target, name);
      if (typeof name === "symbol" || typeof value !== "function") return value;
      return (...args: unknown[]) => {
        try {
          ledger.subrequest();
        } catch (error) {
          return Promise.reject(error);
        }
        return (target[name] as (...args: unknown[]) => unknown)(...args);
      };
    },
  });
}

function checked(queue: Queue): Queue {
  return {
    send: (body, options) => ledger.send([{ body }], () => queue.send(body, options)),
    async sendBatch(messages, options) {
      const batch = [...messages];
      return ledger.send(batch, () => queue.sendBatch(batch, options));
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

/**
 * A Durable Object's class, limited: each of its methods is an invocation, and all events of one
 * object share six slots.
 */
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
