// Stores an object's values in its Durable Object's SQLite database.
import type { Values } from "./values.ts";

/** Wraps the synchronous key-value API, which commits all writes without an `await` in between together. */
export function durableValues(state: DurableObjectState): Values {
  const { storage } = state;
  const { kv } = storage;
  return {
    get: (name) => kv.get(name),
    set: (name, value) => kv.put(name, value),
    delete: (name) => void kv.delete(name),
    list: (prefix) => kv.list({ prefix }),
    wakeAt: (at) => void storage.setAlarm(at),
    clear: () => state.blockConcurrencyWhile(() => storage.deleteAll()),
  };
}
