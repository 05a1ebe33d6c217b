// Stores values and alarms in memory, for tests and for hosts without Durable Objects.
import type { Timers } from "../../ports/ports.ts";
import type { Values } from "./values.ts";

/**
 * Creates values that are stored in a Map. The alarm is a timer.
 * @param wake called by the alarm
 * @param forgotten called after `clear`
 */
export function memoryValues(timers: Timers, wake: () => void, forgotten: () => void = () => undefined): Values {
  const entries = new Map<string, unknown>();
  let cancel = () => {};
  return {
    get: <T>(name: string) => structuredClone(entries.get(name)) as T | undefined,
    set: (name, value) => void entries.set(name, structuredClone(value)),
    delete: (name) => void entries.delete(name),
    list: <T>(prefix: string) =>
      [...entries]
        .filter(([name]) => name.startsWith(prefix))
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, value]) => [name, structuredClone(value) as T] as const) as [string, T][],
    wakeAt(at) {
      cancel();
      cancel = timers.after(Math.max(0, at - timers.now()), wake);
    },
    async clear() {
      cancel();
      entries.clear();
      forgotten();
    },
  };
}
