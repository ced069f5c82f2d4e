-- A key has one id: after a rotation the old key doesn't come back under a new name. Revoked ones count.
CREATE UNIQUE INDEX identity_key_spki_once ON identity_key (environment_no, spki);
