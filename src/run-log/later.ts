// The run log of a Worker that has not asked it yet: Postgres's driver, the schema and the statements are
// modules that are read at the first call, and no part of a start.
import type { RunLog } from "../ports/run-log.ts";
import type { StoreConfig } from "./db/connection.ts";
import type { Store } from "./store.ts";

/** Not kept as a promise: one request's is none of another's, and the runtime keeps the module. */
const module = () => import("./store.ts");

/** Methods of a run log that are read row by row. */
const STREAMS: ReadonlySet<string> = new Set<keyof RunLog>(["exportRows", "loggedGroups"]);

/** Each method's arguments are its own; what it answers is awaited or iterated. */
type Method = (...given: readonly unknown[]) => PromiseLike<unknown> & AsyncIterable<unknown>;

/** The parts as `createStore` makes them, made at the first call of any. Throw what theirs throw. */
export function storeLater(config: StoreConfig): Store {
  let made: Store | null = null;
  const store = async () => {
    made ??= (await module()).createStore(config);
    return made;
  };
  function part<Name extends Exclude<keyof Store, "store">>(named: Name): Store[Name] {
    // A missing method throws: an absent log is never read as an empty one.
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
      // An object with a `then` would be awaited in place of being handed on.
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
