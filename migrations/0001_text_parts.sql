-- Why: a logged text may be longer than one message of the run-log queue holds, so texts are rows of parts, each of which can arrive alone.
ALTER TABLE "texts" ADD COLUMN "part" smallint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "texts" DROP CONSTRAINT "texts_request_id_group_index_rollout_index_pk";--> statement-breakpoint
ALTER TABLE "texts" ADD CONSTRAINT "texts_request_id_group_index_rollout_index_part_pk" PRIMARY KEY("request_id","group_index","rollout_index","part");
