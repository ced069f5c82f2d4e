-- Which installation of an app a device's guid belongs to, by the hash that the device sends. A reinstalled app brings
-- the guid of the one before it, which then loses its push token, so that a device is reached once. token_state 4:
-- superseded.
CREATE TABLE device_guid (
  app_no          bigint NOT NULL,
  guid_hash       text COLLATE "C" NOT NULL,
  installation_no bigint NOT NULL,
  -- The one before it, in case it couldn't be told at once that it has lost.
  previous_no     bigint,
  CONSTRAINT device_guid_pkey PRIMARY KEY (app_no, guid_hash)
) WITH (fillfactor = 90);

INSERT INTO device_guid (app_no, guid_hash, installation_no)
SELECT DISTINCT ON (i.app_no, i.identifiers -> 'guid' ->> 'hash')
  i.app_no, i.identifiers -> 'guid' ->> 'hash', i.installation_no
FROM installation i
WHERE i.identifiers -> 'guid' ->> 'hash' IS NOT NULL
ORDER BY i.app_no, i.identifiers -> 'guid' ->> 'hash', i.installation_no DESC;

ALTER TABLE app
  ADD CONSTRAINT app_signing_bucket CHECK (signing_bucket_seconds BETWEEN 60 AND 3600);
