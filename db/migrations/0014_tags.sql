-- The keys of tags that an app's installations have set, so that a segment can be made of them without declaring them
-- first (K7). last_seen_on is the last day (UTC) on which one was set: a day's first write of a key is the only one.
CREATE TABLE tag_key (
  app_no        bigint NOT NULL,
  key           text COLLATE "C" NOT NULL,
  first_seen_at timestamptz NOT NULL DEFAULT now(),
  last_seen_on  date NOT NULL DEFAULT (now() AT TIME ZONE 'UTC')::date,
  CONSTRAINT tag_key_pkey PRIMARY KEY (app_no, key)
);

-- A mark goes with its installation, whoever deletes that and whenever: a mark that is being set holds the row.
-- installation.test_device has no meaning any more; it stays for the version before, which reads it.
ALTER TABLE test_device
  ADD CONSTRAINT test_device_installation_fkey FOREIGN KEY (app_no, installation_no)
    REFERENCES installation (app_no, installation_no) ON DELETE CASCADE;

-- Finds an installation by the end of its push token, which is all of it that is ever shown.
CREATE INDEX token_owner_end ON token_owner (app_no, right(token, 8));
