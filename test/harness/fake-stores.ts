import type { OwnPreset } from "../../src/core/judges/presets/own.ts";
import type { Spec } from "../../src/core/reward/spec.ts";
import type { SpecStore, TemplateStore } from "../../src/ports/ports.ts";

/** Named templates in memory. */
export function fakeTemplateStore(): TemplateStore {
  const stored = new Map<string, OwnPreset>();
  return {
    get: async (name) => stored.get(name) ?? null,
    save: async (template) => {
      stored.set(template.name, template);
    },
    names: async (limit) => [...stored.keys()].sort().slice(0, limit),
  };
}

/** Named specs in memory. */
export function fakeSpecStore(specs: Record<string, Spec> = {}): SpecStore {
  const stored = new Map(Object.entries(specs));
  return {
    get: async (name) => stored.get(name) ?? null,
    async page(after, limit) {
      const behind = [...stored]
        .filter(([name]) => after === null || name > after)
        .sort(([a], [b]) => (a < b ? -1 : 1));
      const rows = behind.slice(0, limit).map(([name, spec]) => ({ name, spec, updated_at: new Date(0) }));
      return { rows, more: behind.length > limit };
    },
    save: async (name, spec) => {
      stored.set(name, spec);
    },
    names: async (limit) => [...stored.keys()].sort().slice(0, limit),
  };
}
