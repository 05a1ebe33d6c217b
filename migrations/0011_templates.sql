CREATE TABLE "named_templates" (
	"name" text PRIMARY KEY NOT NULL,
	"template" json NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL
);
