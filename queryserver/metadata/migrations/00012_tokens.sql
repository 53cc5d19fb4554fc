-- +goose Up
-- hash is the SHA-256 of the whole token in lower-case hex; a project of '' is all.
CREATE TABLE api_tokens (
  id         TEXT   NOT NULL PRIMARY KEY,
  project    TEXT   NOT NULL,
  scope      TEXT   NOT NULL,
  hash       TEXT   NOT NULL UNIQUE,
  prefix     TEXT   NOT NULL,
  name       TEXT   NOT NULL,
  created_ms BIGINT NOT NULL,
  expires_ms BIGINT,
  revoked_ms BIGINT
);
