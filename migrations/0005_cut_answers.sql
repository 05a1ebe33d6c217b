-- Why: how often the budget of a judge ends its answers, and how far the signals of a reward agree, are told by step.
ALTER TABLE "groups" ADD COLUMN "parts_correlation" double precision;--> statement-breakpoint
ALTER TABLE "groups" ADD COLUMN "cut" integer;