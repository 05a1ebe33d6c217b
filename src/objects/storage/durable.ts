// An object's values in its Durable Object's SQLite.
import type { Values } from "./values.ts";

/** Values through the object's own synchronous store; what one turn writes is one commit. */
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
