-- Why: the alarm judge_cycles counts triples of candidates; whether a group has any circle is chance in large ones.
ALTER TABLE "groups" ADD COLUMN "triples" integer;--> statement-breakpoint
ALTER TABLE "groups" ADD COLUMN "circles" integer;--> statement-breakpoint
ALTER TABLE "groups" DROP COLUMN "cyclic";
