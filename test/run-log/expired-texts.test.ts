// Texts that expire: those of old requests go, all else stays.
import { expect, it } from "vitest";
import { expireTexts } from "../../scripts/stack/expired-texts.ts";
import { migrate } from "../../scripts/stack/migrations.ts";
import { createPglite } from "../../scripts/stack/pglite.ts";
import { startSqlEndpoint } from "../../scripts/stack/sql-endpoint.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { createRequestIds } from "../../src/platform/request-ids.ts";
import type { LogEntry } from "../../src/ports/log-entry.ts";
import { createNeonRunLog } from "../../src/run-log/neon.ts";
import { sizedEntry } from "../port-contracts/log-entries.ts";

it("takes the texts of old requests alone, in several statements where they are many, and no verdict", async () => {
  const backend = await createPglite(null);
  await migrate(backend);
  const endpoint = await startSqlEndpoint({ host: "127.0.0.1", port: 0, backend });
  const runLog = createNeonRunLog({
    databaseUrl: "postgres://unused",
    fetchEndpoint: endpoint.url,
    clock: systemClock,
  });
  const entryAt = (created_at: Date): LogEntry => {
    const entry = sizedEntry({ run_id: "texts", step: 1, groups: 2, size: 3 });
    const groups = entry.groups.map((group) => ({
      ...group,
      prompt: "p",
      rollouts: group.rollouts.map((row) => ({ ...row, text: "r" })),
      verdicts: group.verdicts.map((row) => ({ ...row, text: "why" })),
      audit_verdicts: group.verdicts.map(({ signal: _, ...row }, i) => (i === 0 ? row : { ...row, text: "why not" })),
    }));
    return { ...entry, groups, created_at, request_id: createRequestIds(() => created_at.getTime())() };
  };
  const [old, fresh] = [entryAt(new Date("2026-01-01")), entryAt(new Date("2026-03-01"))];
  for (const entry of [old, fresh]) await runLog.append(entry);
  // Rows left by an old request whose own row never came.
  const orphan = createRequestIds(() => Date.UTC(2026, 0, 1))();
  await backend.query({
    query: `INSERT INTO texts (request_id, group_index, rollout_index, spec_hash, text) SELECT '${orphan}', 0, 0, '', 'r'`,
    params: [],
  });
  const verdicts = old.groups.reduce((sum, group) => sum + group.verdicts.length, 0);
  const before = new Date("2026-02-01");
  const counts = { texts: 2 * (1 + 3) + 1, verdict_texts: verdicts, audit_verdicts: verdicts - old.groups.length };
  expect(verdicts).toBeGreaterThan(0);
  expect(await expireTexts(backend, before, { dry: true })).toEqual(counts);
  expect(await expireTexts(backend, before, { rows_most: 2 })).toEqual(counts);
  expect(await expireTexts(backend, before)).toEqual({ texts: 0, verdict_texts: 0, audit_verdicts: 0 });
  const said = async ({ request_id }: LogEntry) => {
    const told = await runLog.verdicts(`${request_id}.0`, null);
    return { own: told?.verdicts.map(({ text }) => text), audit: told?.audit.map(({ text }) => text) };
  };
  const rows = old.groups[0]?.verdicts ?? [];
  expect(await said(old)).toEqual({ own: rows.map(() => undefined), audit: rows.map(() => undefined) });
  const kept = rows.map((_, i) => (i === 0 ? undefined : "why not"));
  expect(await said(fresh)).toEqual({ own: rows.map(() => "why"), audit: kept });
  expect(await runLog.texts(`${old.request_id}.0`, null)).toEqual([]);
  expect(await runLog.texts(`${fresh.request_id}.0`, null)).toHaveLength(4);
  await endpoint.close();
  await backend.close();
});
