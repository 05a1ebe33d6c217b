-- Why: what a verifier wrote tells why a reward was what it was; asked for by the spec, and apart, so that it can expire alone.
CREATE TABLE "verdict_texts" (
	"request_id" text NOT NULL,
	"group_index" smallint NOT NULL,
	"comparison" integer NOT NULL,
	"sample" integer NOT NULL,
	"spec_hash" text NOT NULL,
	"text" text NOT NULL,
	CONSTRAINT "verdict_texts_request_id_group_index_comparison_sample_pk" PRIMARY KEY("request_id","group_index","comparison","sample")
);
