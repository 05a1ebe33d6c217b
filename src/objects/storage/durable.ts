// Stores an object's values in its Durable Object's SQLite database.
import type { Values } from "./values.ts";

/** Creates values over the synchronous key-value API; all writes of one turn are one commit. */
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
