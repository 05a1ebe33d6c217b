-- Why: with judge.think an answer may have been cut on purpose; scoring again must tell it from one that could not be read.
ALTER TABLE "audit_verdicts" ADD COLUMN "max_tokens" integer;--> statement-breakpoint
ALTER TABLE "verdicts" ADD COLUMN "max_tokens" integer;