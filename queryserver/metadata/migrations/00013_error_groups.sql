-- +goose Up
-- What people say of error groups, and what they said before. A group without a row is
-- open. error_group is 16 hex digits; state_ms is when the state, not the owner, was set.
CREATE TABLE error_groups (
  project          TEXT   NOT NULL,
  error_group      TEXT   NOT NULL,
  revision         BIGINT NOT NULL,
  state            TEXT   NOT NULL,
  state_ms         BIGINT NOT NULL,
  release          TEXT   NOT NULL,
  ignored_until_ms BIGINT,
  owner            TEXT   NOT NULL,
  changed_ms       BIGINT NOT NULL,
  actor            TEXT   NOT NULL,
  PRIMARY KEY (project, error_group)
);
CREATE TABLE error_group_history (
  project          TEXT   NOT NULL,
  error_group      TEXT   NOT NULL,
  revision         BIGINT NOT NULL,
  state            TEXT   NOT NULL,
  state_ms         BIGINT NOT NULL,
  release          TEXT   NOT NULL,
  ignored_until_ms BIGINT,
  owner            TEXT   NOT NULL,
  changed_ms       BIGINT NOT NULL,
  actor            TEXT   NOT NULL,
  PRIMARY KEY (project, error_group, revision)
);
