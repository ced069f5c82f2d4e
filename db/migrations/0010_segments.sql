-- Whom a message is for by what is known of an installation: what filters read, and filters that are kept (segments).

-- What sessions tell (K6). Without an index, so that reporting one stays cheap.
ALTER TABLE installation
  ADD COLUMN IF NOT EXISTS first_session_at   timestamptz,
  ADD COLUMN IF NOT EXISTS last_session_at    timestamptz,
  ADD COLUMN IF NOT EXISTS session_count      bigint NOT NULL DEFAULT 0,
  ADD COLUMN IF NOT EXISTS foreground_seconds bigint NOT NULL DEFAULT 0;

-- A text that sorts by its bytes as the versions do by Semantic Versioning 2.0.0, numbers of any length included; null
-- for what is no version. Wider than the standard: any number of components, missing ones are 0, leading zeros don't
-- count. KitsCore has the same in `Semver`, and a test compares the two.
--
-- Each component: a character for the number of its digits, and the digits. Then "/" for a release, or "!" and the
-- identifiers of the pre-release: "1", length and digits for a number, "2", the text and a space for another.
CREATE FUNCTION version_key(version text) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  parts text[] := regexp_match(
    version COLLATE "C",
    '^([0-9]+(?:\.[0-9]+)*)(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+[0-9A-Za-z.-]*)?$');
  part text;
  zeros text := '';
  key text := '';
BEGIN
  IF parts IS NULL THEN
    RETURN NULL;
  END IF;
  FOREACH part IN ARRAY string_to_array(parts[1], '.') LOOP
    part := ltrim(part, '0');
    IF part = '' THEN
      -- Counts only when something follows: 1.2.0 is 1.2.
      zeros := zeros || '10';
    ELSE
      key := key || zeros || chr(48 + length(part)) || part;
      zeros := '';
    END IF;
  END LOOP;
  IF parts[2] IS NULL THEN
    RETURN key || '/';
  END IF;
  key := key || '!';
  FOREACH part IN ARRAY string_to_array(parts[2], '.') LOOP
    IF part COLLATE "C" ~ '^[0-9]+$' THEN
      part := coalesce(nullif(ltrim(part, '0'), ''), '0');
      key := key || '1' || chr(48 + length(part)) || part;
    ELSE
      key := key || '2' || part || ' ';
    END IF;
  END LOOP;
  RETURN key;
END $$;

ALTER TABLE installation
  ADD COLUMN app_version_key text COLLATE "C" GENERATED ALWAYS AS (version_key(app_version)) STORED,
  ADD COLUMN os_version_key  text COLLATE "C" GENERATED ALWAYS AS (version_key(os_version)) STORED;

-- Answers "has this tag with this value"; everything else is read from the rows. No pending list: it makes look-ups
-- slow and some writes slower still.
CREATE INDEX installation_tags ON installation USING gin (tags jsonb_path_ops) WITH (fastupdate = off);

-- Counting an audience also takes a few members out of each of these groups. Without knowing how many there are, the
-- planner thinks that everyone is one, and counts without its other processes.
CREATE STATISTICS installation_spread ON (installation_no % 256) FROM installation;

-- A filter with a name. revision rises with every change; who changes it says which one was read.
CREATE TABLE segment (
  app_no            bigint NOT NULL,
  segment_id        uuid NOT NULL,
  name              text NOT NULL,
  filter            jsonb NOT NULL,
  include_anonymous boolean NOT NULL DEFAULT true,   -- false: only installations that are bound to a user
  revision          bigint NOT NULL DEFAULT 1,
  created_by        uuid NOT NULL,                   -- key_id of the server key
  created_at        timestamptz NOT NULL DEFAULT now(),
  updated_at        timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT segment_pkey PRIMARY KEY (app_no, segment_id),
  CONSTRAINT segment_app_fkey FOREIGN KEY (app_no) REFERENCES app (app_no)
);

-- Idempotent creation of segments: credential 2 is a server key that creates a segment, whose id stands in message_id.
COMMENT ON COLUMN idempotency_key.credential IS
  '1 a server key that creates a message, 2 one that creates a segment (its id is in message_id)';

-- Which segments a message names. A segment is in use until its messages are planned. The reference to it is what keeps
-- a segment from being deleted while a message that names it is created.
CREATE TABLE message_segment (
  app_no     bigint NOT NULL,
  message_id uuid NOT NULL,
  segment_id uuid NOT NULL,
  excluded   boolean NOT NULL DEFAULT false,
  CONSTRAINT message_segment_pkey PRIMARY KEY (app_no, message_id, segment_id),
  CONSTRAINT message_segment_message_fkey FOREIGN KEY (app_no, message_id)
    REFERENCES message (app_no, message_id) ON DELETE CASCADE,
  CONSTRAINT message_segment_segment_fkey FOREIGN KEY (app_no, segment_id) REFERENCES segment (app_no, segment_id)
);
CREATE INDEX message_segment_use ON message_segment (app_no, segment_id);
