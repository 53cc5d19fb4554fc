-- +goose Up
-- Times are Unix milliseconds; a BIGINT means the same in SQLite and Postgres.

-- One row. identity tells this database from another one with the same version.
CREATE TABLE metadata_state (
  id       INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
  identity TEXT    NOT NULL,
  version  BIGINT  NOT NULL
);

-- A limit of 0 is none.
CREATE TABLE projects (
  id               TEXT   NOT NULL PRIMARY KEY,
  name             TEXT   NOT NULL,
  created_ms       BIGINT NOT NULL,
  archived_ms      BIGINT,
  ttl_days         BIGINT NOT NULL,
  items_per_second BIGINT NOT NULL,
  bytes_per_second BIGINT NOT NULL,
  items_per_day    BIGINT NOT NULL,
  bytes_per_day    BIGINT NOT NULL
);

-- hash is the SHA-256 of the whole key in lower-case hex.
CREATE TABLE ingest_keys (
  id           TEXT   NOT NULL PRIMARY KEY,
  project      TEXT   NOT NULL REFERENCES projects (id),
  hash         TEXT   NOT NULL UNIQUE,
  prefix       TEXT   NOT NULL,
  name         TEXT   NOT NULL,
  created_ms   BIGINT NOT NULL,
  expires_ms   BIGINT,
  revoked_ms   BIGINT,
  last_used_ms BIGINT
);
CREATE INDEX ingest_keys_by_project ON ingest_keys (project);

-- The audit trail: one row for each version.
CREATE TABLE changes (
  version    BIGINT NOT NULL PRIMARY KEY,
  at_ms      BIGINT NOT NULL,
  actor      TEXT   NOT NULL,
  action     TEXT   NOT NULL,
  project    TEXT   NOT NULL,
  ingest_key TEXT   NOT NULL,
  detail     TEXT   NOT NULL
);
CREATE INDEX changes_by_project ON changes (project, version);
