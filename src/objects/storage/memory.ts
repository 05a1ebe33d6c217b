// Stores values and alarms in memory, for tests and for hosts without Durable Objects.
import type { Values } from "./values.ts";

/**
 * Creates values that are stored in a Map. The alarm is a timer, which does not keep the process alive.
 * @param wake called by the alarm
 * @param forgotten called after `clear`
 */
export function memoryValues(wake: () => void, forgotten: () => void = () => undefined): Values {
  const entries = new Map<string, unknown>();
  let timer: ReturnType<typeof setTimeout> | null = null;
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
      if (timer !== null) clearTimeout(timer);
      timer = setTimeout(wake, Math.max(0, at - Date.now()));
      // A timer is an object in Node and a number elsewhere.
      (timer as { unref?: () => void }).unref?.();
    },
    async clear() {
      if (timer !== null) clearTimeout(timer);
      entries.clear();
      forgotten();
    },
  };
}
