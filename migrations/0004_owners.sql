-- Why: rows belong to the key that wrote them, so that a run is (owner, run id). Requests know their key's name already; runs get it from them, and a run that
-- several keys wrote to becomes one run each, its totals counted anew. Groups, rollouts, verdicts and texts are read through their requests, whose indexes begin with run and owner.
ALTER TABLE "requests" ADD COLUMN "owner" text GENERATED ALWAYS AS (coalesce(key_name, '')) STORED NOT NULL;--> statement-breakpoint
ALTER TABLE "runs" ADD COLUMN "owner" text DEFAULT '' NOT NULL;--> statement-breakpoint
UPDATE "runs" SET "owner" = known.owner FROM (
  SELECT run_id, min(owner) AS owner FROM "requests" WHERE run_id IS NOT NULL GROUP BY run_id HAVING min(owner) = max(owner)
) AS known WHERE known.run_id = "runs".run_id AND known.owner <> '';--> statement-breakpoint
CREATE TEMPORARY TABLE "split_runs" ON COMMIT DROP AS
SELECT r.run_id, r.owner, min(r.step) AS first_step, max(r.step) AS last_step, min(r.created_at) AS first_at, max(r.created_at) AS last_at,
  count(*) AS requests, sum(r.groups) AS groups, sum(CASE WHEN r.kind = 'verdicts' THEN r.items ELSE o.rollouts END) AS rollouts,
  sum(CASE WHEN r.kind = 'verdicts' THEN coalesce(r.reward_mean, 0) * r.items ELSE o.reward_sum END) AS reward_sum,
  sum(CASE WHEN r.kind = 'rewards' THEN o.reward_count WHEN r.reward_mean IS NULL THEN 0 ELSE r.items END) AS reward_count,
  sum(CASE WHEN r.kind = 'verdicts' THEN coalesce(r.parse_rate, 0) * r.items ELSE g.parsed_sum END) AS parsed_sum,
  sum(CASE WHEN r.kind = 'rewards' THEN g.parsed_count WHEN r.parse_rate IS NULL THEN 0 ELSE r.items END) AS parsed_count
FROM "requests" AS r
CROSS JOIN LATERAL (
  SELECT count(*) AS rollouts, coalesce(sum(reward) FILTER (WHERE status = 'ok'), 0) AS reward_sum, count(reward) FILTER (WHERE status = 'ok') AS reward_count
  FROM "rollouts" JOIN "groups" USING (request_id, group_index) WHERE request_id = r.request_id
) AS o
CROSS JOIN LATERAL (
  SELECT coalesce(sum(parsed), 0) AS parsed_sum, coalesce(sum(parsed + unparsed), 0) AS parsed_count FROM "groups" WHERE request_id = r.request_id
) AS g
WHERE r.run_id IN (SELECT run_id FROM "requests" WHERE run_id IS NOT NULL GROUP BY run_id HAVING min(owner) < max(owner))
GROUP BY r.run_id, r.owner;--> statement-breakpoint
DELETE FROM "runs" WHERE run_id IN (SELECT run_id FROM "split_runs");--> statement-breakpoint
ALTER TABLE "runs" DROP CONSTRAINT "runs_pkey";--> statement-breakpoint
ALTER TABLE "runs" ADD CONSTRAINT "runs_run_id_owner_pk" PRIMARY KEY("run_id","owner");--> statement-breakpoint
INSERT INTO "runs" (run_id, owner, first_step, last_step, first_at, last_at, requests, groups, rollouts, reward_sum, reward_count, parsed_sum, parsed_count)
SELECT run_id, owner, first_step, last_step, first_at, last_at, requests, groups, rollouts, reward_sum, reward_count, parsed_sum, parsed_count FROM "split_runs";--> statement-breakpoint
DROP INDEX "groups_of_run";--> statement-breakpoint
DROP INDEX "groups_of_step";--> statement-breakpoint
DROP INDEX "requests_of_run";--> statement-breakpoint
DROP INDEX "runs_newest";--> statement-breakpoint
CREATE INDEX "requests_of_step" ON "requests" USING btree ("run_id","owner","step" NULLS FIRST,"request_id");--> statement-breakpoint
CREATE INDEX "runs_of_owner" ON "runs" USING btree ("owner","first_at" DESC NULLS FIRST,"run_id" DESC NULLS FIRST);--> statement-breakpoint
CREATE INDEX "requests_of_run" ON "requests" USING btree ("run_id","owner","request_id");--> statement-breakpoint
CREATE INDEX "runs_newest" ON "runs" USING btree ("first_at" DESC NULLS FIRST,"run_id" DESC NULLS FIRST,"owner" DESC NULLS FIRST);
