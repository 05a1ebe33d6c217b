// A deployment's storage of templates that holds those of lab/templates.
import { TEMPLATES } from "../../lab/templates/index.ts";
import type { TemplateStore } from "../../src/ports/ports.ts";
import { fakeTemplateStore } from "./fake-stores.ts";

export function labTemplates(): TemplateStore {
  const store = fakeTemplateStore();
  for (const [name, template] of Object.entries(TEMPLATES)) void store.save({ ...template, name });
  return store;
}
