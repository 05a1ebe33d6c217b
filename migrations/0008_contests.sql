-- Why: a group of a spec that leaves pairs out tells its points, what was not asked and how sure its order is. Older rows and other specs have none.
ALTER TABLE "groups" ADD COLUMN "contest" json;