-- Why: a run of a spec with signals can be scored again, under another expression, without its verifier. What a spec without signals has to tell stands in rollouts.
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
