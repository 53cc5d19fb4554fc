-- Which steps a store has gone through, and in which form, was not recorded.
ALTER TABLE {{.DB}}.schema_version
  ADD COLUMN IF NOT EXISTS name String,
  ADD COLUMN IF NOT EXISTS checksum String;
