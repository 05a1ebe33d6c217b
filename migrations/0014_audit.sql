-- Why: what another judge said of a rollout, for groups that were audited: proxy_gap compares it with the reward.
ALTER TABLE "rollouts" ADD COLUMN "audit" double precision;