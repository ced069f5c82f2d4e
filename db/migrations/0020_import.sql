-- Files of installations that were imported, or are being: how far, and what came of their rows. Written in the
-- transaction that adds a batch's rows, so that an interrupted import goes on after exactly what it has added.
CREATE TABLE import_run (
  app_no      bigint NOT NULL,
  -- SHA-256 of the file.
  file_hash   bytea NOT NULL,
  -- How it is read, in words: a run goes on only as it was begun.
  settings    text NOT NULL,
  -- Bytes and lines of the file that are done.
  position    bigint NOT NULL DEFAULT 0,
  line        bigint NOT NULL DEFAULT 0,
  read        bigint NOT NULL DEFAULT 0,
  imported    bigint NOT NULL DEFAULT 0,
  existing    bigint NOT NULL DEFAULT 0,
  skipped     bigint NOT NULL DEFAULT 0,
  refused     bigint NOT NULL DEFAULT 0,
  erased      bigint NOT NULL DEFAULT 0,
  -- How often each kind of fault was found.
  faults      jsonb NOT NULL DEFAULT '{}',
  started_at  timestamptz NOT NULL DEFAULT now(),
  updated_at  timestamptz NOT NULL DEFAULT now(),
  finished_at timestamptz,
  CONSTRAINT import_run_pkey PRIMARY KEY (app_no, file_hash)
);

-- Imported installations whose device hasn't registered yet. Once it has, it owns their push token, and they go: the
-- device tells itself who it is.
CREATE TABLE imported_installation (
  app_no          bigint NOT NULL,
  installation_no bigint NOT NULL,
  CONSTRAINT imported_installation_pkey PRIMARY KEY (app_no, installation_no)
);
