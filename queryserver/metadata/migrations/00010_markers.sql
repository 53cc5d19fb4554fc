-- +goose Up
-- What happened at a moment, shown on time axes. Projects need no row of their own
-- here: those of the configuration have markers too.
CREATE TABLE markers (
  id         TEXT   NOT NULL PRIMARY KEY,
  project    TEXT   NOT NULL,
  at_ms      BIGINT NOT NULL,
  title      TEXT   NOT NULL,
  release    TEXT   NOT NULL,
  service    TEXT   NOT NULL,
  env        TEXT   NOT NULL,
  url        TEXT   NOT NULL,
  actor      TEXT   NOT NULL,
  created_ms BIGINT NOT NULL
);
CREATE INDEX markers_by_time ON markers (project, at_ms);
