-- Why: a verdict tells whose question it answers, and what a letter or scores cannot say. Older rows are of specs without signals, or their signal is not known.
ALTER TABLE "verdicts" ADD COLUMN "signal" text DEFAULT 'base' NOT NULL;--> statement-breakpoint
ALTER TABLE "verdicts" ADD COLUMN "verdict" json;