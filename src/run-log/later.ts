// Loads the run log lazily: Postgres's driver, the schema and the statements are imported at the first call,
// which keeps cold starts short.
import type { RunLog } from "../ports/run-log.ts";
import type { StoreConfig } from "./db/connection.ts";
import type { Store } from "./store.ts";

/**
 * Imports the module for every caller instead of caching the promise, because a request must not await
 * another request's promise. The runtime caches the module.
 */
const module = () => import("./store.ts");

/** Methods that return rows as an async iterable. */
const STREAMS: ReadonlySet<string> = new Set<keyof RunLog>(["exportRows", "loggedGroups"]);

/** A method of any part of the store, whose result is either awaited or iterated. */
type Method = (...given: readonly unknown[]) => PromiseLike<unknown> & AsyncIterable<unknown>;

/**
 * Returns the same parts as `createStore`, but creates them at the first call of any method. Methods throw
 * the same errors.
 */
export function storeLater(config: StoreConfig): Store {
  let made: Store | null = null;
  const store = async () => {
    made ??= (await module()).createStore(config);
    return made;
  };
  function part<Name extends Exclude<keyof Store, "store">>(named: Name): Store[Name] {
    // A missing method throws, so that a missing log is never mistaken for an empty one.
    const method = async (name: string) =>
      ((await store())[named] as unknown as Record<string, Method>)[name] as Method;
    const answer =
      (name: string) =>
      async (...given: readonly unknown[]) =>
        (await method(name))(...given);
    const rows = (name: string) =>
      async function* (...given: readonly unknown[]) {
        yield* (await method(name))(...given);
      };
    const get = (_: object, name: string) => {
      // An object with a `then` method would be awaited instead of returned.
      if (name === "then") return undefined;
      return STREAMS.has(name) ? rows(name) : answer(name);
    };
    return new Proxy({}, { get } as ProxyHandler<object>) as Store[Name];
  }
  return {
    runLog: part("runLog"),
    specs: part("specs"),
    templates: part("templates"),
    alarmStates: part("alarmStates"),
    expiry: part("expiry"),
    store: async (envelopes) => (await store()).store(envelopes),
  };
}

type Consumer = typeof import("./write/queue-consumer.ts");

export const consumeLogs: Consumer["consumeLogs"] = async (...given) => (await module()).consumeLogs(...given);
export const keepLetters: Consumer["keepLetters"] = async (...given) => (await module()).keepLetters(...given);
