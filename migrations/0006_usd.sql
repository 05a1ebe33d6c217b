-- Why: what the questions of a step cost in US dollars is read with its other measures.
ALTER TABLE "requests" ADD COLUMN "usd" double precision;