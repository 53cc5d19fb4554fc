-- +goose Up
-- Work that one of several query servers does at a time. Times are the database's.
CREATE TABLE leases (
  name     TEXT   NOT NULL PRIMARY KEY,
  holder   TEXT   NOT NULL,
  term     BIGINT NOT NULL,
  until_ms BIGINT NOT NULL
);
