// Objects that live in this process only: their values and alarms, for tests and hosts without Durable
// Objects.
import type { Values } from "./values.ts";

/**
 * Values as a Map, and an alarm as a timer that lets the process end. `wake` is what the alarm
 * calls.
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
      // A timer is an object in Node, a number elsewhere.
      (timer as { unref?: () => void }).unref?.();
    },
    async clear() {
      if (timer !== null) clearTimeout(timer);
      entries.clear();
      forgotten();
    },
  };
}
