// All parts of the run log in Postgres as one module, which later.ts imports lazily.
import { createAlarmStates } from "./alarm-states.ts";
import type { StoreConfig } from "./db/connection.ts";
import { createEnvelopeStore, createLogExpiry, createNeonRunLog } from "./neon.ts";
import { createNeonSpecStore } from "./specs.ts";
import { createNeonTemplateStore } from "./templates.ts";

export { consumeLogs, keepLetters } from "./write/queue-consumer.ts";

export const createStore = (config: StoreConfig) => ({
  runLog: createNeonRunLog(config),
  specs: createNeonSpecStore(config),
  templates: createNeonTemplateStore(config),
  store: createEnvelopeStore(config),
  alarmStates: createAlarmStates(config),
  expiry: createLogExpiry(config),
});

export type Store = ReturnType<typeof createStore>;
