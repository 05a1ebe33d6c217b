-- Why: each alarm of a run is told once when it begins and once when it ends, whichever isolate looks.
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
--> statement-breakpoint
ALTER TABLE "runs" ADD COLUMN "alarms_at" timestamp (3) with time zone;--> statement-breakpoint
CREATE INDEX "run_alarms_newest" ON "run_alarms" USING btree ("updated_at" DESC NULLS FIRST);