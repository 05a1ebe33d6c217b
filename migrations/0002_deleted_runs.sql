-- Why: a run that was deleted stays so, whatever of it the queue still holds; metadata is what its owner says of it.
CREATE TABLE "deleted_runs" (
	"run_id" text NOT NULL,
	"owner" text NOT NULL,
	"before" text NOT NULL,
	CONSTRAINT "deleted_runs_run_id_owner_pk" PRIMARY KEY("run_id","owner")
);
--> statement-breakpoint
CREATE TABLE "parted_requests" (
	"request_id" text PRIMARY KEY NOT NULL,
	"run_id" text NOT NULL,
	"owner" text NOT NULL
);
--> statement-breakpoint
ALTER TABLE "runs" ADD COLUMN "metadata" json;--> statement-breakpoint
CREATE INDEX "parted_requests_of_run" ON "parted_requests" USING btree ("run_id","owner");