-- Why: with several verifier backends a verdict says which model gave it and from where, and a group which models judged it. Older rows say neither.
ALTER TABLE "groups" ADD COLUMN "models" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "verdicts" ADD COLUMN "model" text;--> statement-breakpoint
ALTER TABLE "verdicts" ADD COLUMN "backend" text;