// Handlers that a Worker imports on the first request for any of them: all except those for scoring whole
// groups, health checks and pages.
export { batchList, deleteBatch, getBatch } from "./batches.ts";
export { deadLetters, expireDeadLetters, replayDeadLetters } from "./dead-letters.ts";
export { exportRun } from "./export.ts";
export { addRollouts, closeGroup } from "./group-members.ts";
export { groupTexts, groupVerdicts, requestDetail } from "./groups.ts";
export { runHealth } from "./health.ts";
export { rescore } from "./rescore.ts";
export { deleteRun, putRun } from "./run-changes.ts";
export { runDetail, runGroups, runList, runSteps } from "./runs.ts";
export { checkSpec } from "./spec-check.ts";
export { getSpec, putSpec, specList } from "./specs.ts";
export { getTemplate, listTemplates, putTemplate } from "./templates.ts";
export { verdicts } from "./verdicts.ts";
