-- Why: what an audit's judge said tells why its order is another than the rewards'; apart, so that no reward can come of it.
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
