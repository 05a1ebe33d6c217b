-- Why: a look at the alarms of a run reads the measures of its steps, and computes those alone that have changed.
CREATE TABLE "health_rows" (
	"run_id" text NOT NULL,
	"owner" text NOT NULL,
	"axis" text NOT NULL,
	"k" bigint NOT NULL,
	"version" text NOT NULL,
	"requests" integer NOT NULL,
	"ids" bigint NOT NULL,
	"oldest" text NOT NULL,
	"measured" json NOT NULL,
	"contents" integer[] NOT NULL,
	"again" boolean DEFAULT true NOT NULL,
	CONSTRAINT "health_rows_run_id_owner_axis_k_pk" PRIMARY KEY("run_id","owner","axis","k")
);
