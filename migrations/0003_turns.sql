-- Why: what a judge saw of an agent's run is told of the log too, and its turns can be told apart without their texts.
CREATE TABLE "turns" (
	"request_id" text NOT NULL,
	"group_index" smallint NOT NULL,
	"rollout_index" smallint NOT NULL,
	"spec_hash" text NOT NULL,
	"hashes" text NOT NULL,
	CONSTRAINT "turns_request_id_group_index_rollout_index_pk" PRIMARY KEY("request_id","group_index","rollout_index")
);
--> statement-breakpoint
ALTER TABLE "groups" ADD COLUMN "shared_turns" integer;--> statement-breakpoint
ALTER TABLE "rollouts" ADD COLUMN "turns" integer;--> statement-breakpoint
ALTER TABLE "rollouts" ADD COLUMN "shown" double precision;--> statement-breakpoint
ALTER TABLE "rollouts" ADD COLUMN "left_out" json;--> statement-breakpoint
ALTER TABLE "audit_verdicts" ADD COLUMN "turns" integer[];--> statement-breakpoint
ALTER TABLE "verdicts" ADD COLUMN "turns" integer[];