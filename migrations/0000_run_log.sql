-- Why: the run log (runs, specs, requests, groups, rollouts, verdicts, signals, texts, audits), the specs and templates stored by name, and the state of alarms.
CREATE TABLE "groups" (
	"request_id" text NOT NULL,
	"group_index" smallint NOT NULL,
	"run_id" text,
	"step" integer,
	"spec_hash" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"group_id" text NOT NULL,
	"prompt_hash" text NOT NULL,
	"language" text,
	"status" text NOT NULL,
	"win_counts" integer[] NOT NULL,
	"selected" smallint,
	"selected_tied" smallint[] NOT NULL,
	"parse_rate" double precision,
	"tau_b" double precision,
	"tau_b_undefined" text,
	"list_acc" boolean,
	"position_flip_rate" double precision,
	"cyclic" boolean,
	"contest" json,
	"reward_mean" double precision,
	"reward_std" double precision,
	"comparisons" integer NOT NULL,
	"generations" integer NOT NULL,
	"parsed" integer NOT NULL,
	"unparsed" integer NOT NULL,
	"failed" integer NOT NULL,
	"saved" integer NOT NULL,
	"prompt_tokens" bigint NOT NULL,
	"completion_tokens" bigint NOT NULL,
	"latency_p50_ms" double precision NOT NULL,
	"latency_p99_ms" double precision NOT NULL,
	"latency_max_ms" double precision NOT NULL,
	"models" text[] DEFAULT '{}' NOT NULL,
	CONSTRAINT "groups_request_id_group_index_pk" PRIMARY KEY("request_id","group_index")
);

CREATE TABLE "named_specs" (
	"name" text PRIMARY KEY NOT NULL,
	"spec" json NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL
);

CREATE TABLE "named_templates" (
	"name" text PRIMARY KEY NOT NULL,
	"template" json NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL
);

CREATE TABLE "requests" (
	"request_id" text PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"run_id" text,
	"step" integer,
	"key_name" text,
	"owner" text GENERATED ALWAYS AS (coalesce(key_name, '')) STORED NOT NULL,
	"spec_hash" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"items" integer NOT NULL,
	"groups" integer NOT NULL,
	"parse_rate" double precision,
	"tau_b_mean" double precision,
	"tau_b_undefined" integer NOT NULL,
	"list_acc" double precision,
	"reward_mean" double precision,
	"reward_std" double precision,
	"total_ms" double precision NOT NULL,
	"verifier_ms" double precision NOT NULL,
	"overhead_ms" double precision NOT NULL,
	"warnings" json NOT NULL,
	"log_texts" boolean
);

CREATE TABLE "rollouts" (
	"request_id" text NOT NULL,
	"group_index" smallint NOT NULL,
	"rollout_index" smallint NOT NULL,
	"spec_hash" text NOT NULL,
	"reward" double precision,
	"error" text,
	"base" double precision,
	"format" double precision NOT NULL,
	"overlong" double precision NOT NULL,
	"wins" integer NOT NULL,
	"losses" integer NOT NULL,
	"ties" integer NOT NULL,
	"undecided" integer NOT NULL,
	"forfeits" integer NOT NULL,
	"unparsed" integer NOT NULL,
	"votes" integer,
	"rank" smallint,
	"duplicate_of" smallint,
	"format_ok" boolean NOT NULL,
	"jams_judge" boolean DEFAULT false NOT NULL,
	"length_tokens" integer,
	"finish_reason" text,
	"pass_rate" double precision,
	"text_hash" text NOT NULL,
	"candidate_hash" text,
	"audit" double precision,
	CONSTRAINT "rollouts_request_id_group_index_rollout_index_pk" PRIMARY KEY("request_id","group_index","rollout_index")
);

CREATE TABLE "run_alarms" (
	"run_id" text NOT NULL,
	"owner" text NOT NULL,
	"alarm" text NOT NULL,
	"level" text,
	"told" text,
	"from_step" integer NOT NULL,
	"to_step" integer,
	"evidence" json NOT NULL,
	"tries" smallint NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "run_alarms_run_id_owner_alarm_pk" PRIMARY KEY("run_id","owner","alarm")
);

CREATE TABLE "runs" (
	"run_id" text NOT NULL,
	"owner" text DEFAULT '' NOT NULL,
	"first_step" integer,
	"last_step" integer,
	"first_at" timestamp (3) with time zone NOT NULL,
	"last_at" timestamp (3) with time zone NOT NULL,
	"requests" bigint NOT NULL,
	"groups" bigint NOT NULL,
	"rollouts" bigint NOT NULL,
	"reward_sum" double precision NOT NULL,
	"reward_count" bigint NOT NULL,
	"parsed_sum" double precision NOT NULL,
	"parsed_count" bigint NOT NULL,
	"prompt_tokens" bigint DEFAULT 0 NOT NULL,
	"completion_tokens" bigint DEFAULT 0 NOT NULL,
	"alarms_at" timestamp (3) with time zone,
	CONSTRAINT "runs_run_id_owner_pk" PRIMARY KEY("run_id","owner")
);

CREATE TABLE "signals" (
	"request_id" text NOT NULL,
	"group_index" smallint NOT NULL,
	"rollout_index" smallint NOT NULL,
	"signal" text NOT NULL,
	"spec_hash" text NOT NULL,
	"value" double precision,
	"code" text,
	"detail" json,
	CONSTRAINT "signals_request_id_group_index_rollout_index_signal_pk" PRIMARY KEY("request_id","group_index","rollout_index","signal")
);

CREATE TABLE "specs" (
	"spec_hash" text PRIMARY KEY NOT NULL,
	"spec" json NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
);

CREATE TABLE "texts" (
	"request_id" text NOT NULL,
	"group_index" smallint NOT NULL,
	"rollout_index" smallint NOT NULL,
	"part" smallint DEFAULT 0 NOT NULL,
	"spec_hash" text NOT NULL,
	"text" text NOT NULL,
	CONSTRAINT "texts_request_id_group_index_rollout_index_part_pk" PRIMARY KEY("request_id","group_index","rollout_index","part")
);

CREATE TABLE "audit_verdicts" (
	"request_id" text NOT NULL,
	"group_index" smallint NOT NULL,
	"comparison" integer NOT NULL,
	"sample" integer NOT NULL,
	"spec_hash" text NOT NULL,
	"shown_order" smallint[] NOT NULL,
	"letter" text,
	"scores" double precision[],
	"status" text,
	"error" text,
	"finish_reason" text,
	"prompt_tokens" integer NOT NULL,
	"completion_tokens" integer NOT NULL,
	"latency_ms" double precision NOT NULL,
	"model" text,
	"backend" text,
	"verdict" json,
	"text" text,
	CONSTRAINT "audit_verdicts_request_id_group_index_comparison_sample_pk" PRIMARY KEY("request_id","group_index","comparison","sample")
);

CREATE TABLE "verdict_texts" (
	"request_id" text NOT NULL,
	"group_index" smallint NOT NULL,
	"comparison" integer NOT NULL,
	"sample" integer NOT NULL,
	"spec_hash" text NOT NULL,
	"text" text NOT NULL,
	CONSTRAINT "verdict_texts_request_id_group_index_comparison_sample_pk" PRIMARY KEY("request_id","group_index","comparison","sample")
);

CREATE TABLE "verdicts" (
	"request_id" text NOT NULL,
	"group_index" smallint NOT NULL,
	"comparison" integer NOT NULL,
	"sample" integer NOT NULL,
	"spec_hash" text NOT NULL,
	"shown_order" smallint[] NOT NULL,
	"letter" text,
	"scores" double precision[],
	"status" text,
	"error" text,
	"finish_reason" text,
	"prompt_tokens" integer NOT NULL,
	"completion_tokens" integer NOT NULL,
	"latency_ms" double precision NOT NULL,
	"model" text,
	"backend" text,
	"signal" text DEFAULT 'base' NOT NULL,
	"verdict" json,
	CONSTRAINT "verdicts_request_id_group_index_comparison_sample_pk" PRIMARY KEY("request_id","group_index","comparison","sample")
);

CREATE INDEX "requests_of_run" ON "requests" USING btree ("run_id","owner","request_id");
CREATE INDEX "requests_of_step" ON "requests" USING btree ("run_id","owner","step" NULLS FIRST,"request_id");
CREATE INDEX "run_alarms_newest" ON "run_alarms" USING btree ("updated_at" DESC NULLS FIRST);
CREATE INDEX "runs_newest" ON "runs" USING btree ("first_at" DESC NULLS FIRST,"run_id" DESC NULLS FIRST,"owner" DESC NULLS FIRST);
CREATE INDEX "runs_of_owner" ON "runs" USING btree ("owner","first_at" DESC NULLS FIRST,"run_id" DESC NULLS FIRST);