// `node test/clients/stored-rows.ts RUN_ID DATA_DIR`: a run's rollouts as the database holds them, a JSON
// line each, past every part of the API.
import { createPglite } from "../../scripts/stack/pglite.ts";
import { createPostgres } from "../../scripts/stack/postgres.ts";

const [runId, dataDir] = process.argv.slice(2);
if (runId === undefined || dataDir === undefined) {
  console.error("usage: [DATABASE_URL=postgres://…] node test/clients/stored-rows.ts RUN_ID DATA_DIR");
  process.exit(2);
}

// The same choice as the stack's: DATABASE_URL, else the embedded database, which must have been
// closed by its stack.
const url = process.env.DATABASE_URL;
const database = url ? createPostgres(url) : await createPglite(dataDir);
const query = `
  SELECT json_build_object(
    'step', groups.step, 'prompt_hash', groups.prompt_hash, 'text_hash', rollouts.text_hash,
    'length_tokens', rollouts.length_tokens, 'reward', rollouts.reward, 'error', rollouts.error)
  FROM rollouts JOIN groups USING (request_id, group_index)
  WHERE groups.run_id = $1
  ORDER BY groups.step, request_id, group_index, rollout_index`;
const { rows } = await database.query({ query, params: [runId] });
for (const [line] of rows) console.log(line);
await database.close();
