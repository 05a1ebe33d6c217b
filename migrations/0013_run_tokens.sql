-- Why: the list of runs tells what each cost in the verifier's tokens, and reads nothing but this table.
-- Runs that are there get the tokens of their groups; what a Worker from before the columns writes after this adds none.
ALTER TABLE "runs" ADD COLUMN "prompt_tokens" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "runs" ADD COLUMN "completion_tokens" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
UPDATE "runs" SET "prompt_tokens" = known.prompt_tokens, "completion_tokens" = known.completion_tokens FROM (
  SELECT r.run_id, r.owner, sum(g.prompt_tokens) AS prompt_tokens, sum(g.completion_tokens) AS completion_tokens
  FROM "requests" r JOIN "groups" g USING (request_id) WHERE r.run_id IS NOT NULL GROUP BY r.run_id, r.owner
) AS known WHERE known.run_id = "runs".run_id AND known.owner = "runs".owner;
