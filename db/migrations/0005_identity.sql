-- Who a user is and who may say so: the policy of an environment, its identity keys, the operations of installations,
-- request signing, and what operators and backends changed.

-- shadow: clients see VERIFIED and send tokens; a proof that fails is counted and still binds, unverified.
-- raw_identifiers: device identifiers may come in the clear; otherwise only their hashes are taken (U5).
ALTER TABLE environment
  ADD COLUMN shadow          boolean NOT NULL DEFAULT false,
  ADD COLUMN raw_identifiers boolean NOT NULL DEFAULT false,
  ADD CONSTRAINT environment_shadow CHECK (NOT shadow OR auth_mode = 2);

-- The public halves of the customers' signing keys. A key id is never given to another key, so a node may keep what it
-- read; whether a key was revoked is asked each time.
CREATE TABLE identity_key (
  environment_no bigint NOT NULL,
  key_id         text COLLATE "C" NOT NULL,
  spki           bytea NOT NULL,
  created_at     timestamptz NOT NULL DEFAULT now(),
  revoked_at     timestamptz,
  CONSTRAINT identity_key_pkey PRIMARY KEY (environment_no, key_id),
  CONSTRAINT identity_key_environment_fkey FOREIGN KEY (environment_no) REFERENCES environment (environment_no),
  CONSTRAINT identity_key_spki CHECK (octet_length(spki) = 91)
);

-- What an operation was answered, for replays. kind: 1 login, 2 logout. status: 1 applied, 2 unchanged, 3 conflict.
-- The binding is the one that was answered; external_id is what the operation asked for.
CREATE TABLE identity_operation (
  app_no            bigint NOT NULL,
  installation_no   bigint NOT NULL,
  operation_id      uuid NOT NULL,
  kind              smallint NOT NULL,
  external_id       text COLLATE "C",
  status            smallint NOT NULL,
  policy_revision   bigint NOT NULL,
  binding_id        uuid NOT NULL,
  binding_number    bigint NOT NULL,
  bound_external_id text COLLATE "C",
  verified          boolean NOT NULL,
  changed_at        timestamptz NOT NULL,
  created_at        timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT identity_operation_pkey PRIMARY KEY (app_no, installation_no, operation_id)
);
CREATE INDEX identity_operation_age ON identity_operation USING brin (created_at);
-- For the erasure of a user.
CREATE INDEX identity_operation_user ON identity_operation (app_no, external_id) WHERE external_id IS NOT NULL;

-- Refused proofs by cause, per app and day (UTC). bound: the policy was in shadow, so it was let through.
CREATE TABLE identity_rejection (
  app_no  bigint NOT NULL,
  day     date NOT NULL,
  cause   text COLLATE "C" NOT NULL,
  bound   boolean NOT NULL,
  count   bigint NOT NULL,
  last_at timestamptz NOT NULL,
  CONSTRAINT identity_rejection_pkey PRIMARY KEY (app_no, day, cause, bound)
);

-- A tombstone: proofs of this user that were issued before it was erased bind nobody any more. Only a hash is kept.
CREATE TABLE erased_user (
  environment_no bigint NOT NULL,
  user_hash      bytea NOT NULL,
  erased_at      timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT erased_user_pkey PRIMARY KEY (environment_no, user_hash)
);

-- tags belong to the binding and go with it.
ALTER TABLE installation ADD COLUMN tags jsonb NOT NULL DEFAULT '{}';
CREATE INDEX installation_user ON installation (app_no, external_id) WHERE external_id IS NOT NULL;

-- verified_only: only bindings that a token or a backend made. unmatched_users: as unmatched_sample, of external ids.
ALTER TABLE message
  ADD COLUMN verified_only   boolean NOT NULL DEFAULT false,
  ADD COLUMN unmatched_users text[] COLLATE "C" NOT NULL DEFAULT '{}';
CREATE INDEX message_unmatched_users ON message USING gin (unmatched_users) WHERE unmatched_users <> '{}';

-- Secrets of request signing. The current one was not replaced; the one before it is good for 48 hours after that.
CREATE TABLE app_signing_secret (
  app_no       bigint NOT NULL,
  secret_no    integer NOT NULL,
  sealed_under text COLLATE "C" NOT NULL,
  secret       bytea NOT NULL,
  created_at   timestamptz NOT NULL DEFAULT now(),
  replaced_at  timestamptz,
  CONSTRAINT app_signing_secret_pkey PRIMARY KEY (app_no, secret_no),
  CONSTRAINT app_signing_secret_app_fkey FOREIGN KEY (app_no) REFERENCES app (app_no)
);
CREATE UNIQUE INDEX app_signing_secret_current ON app_signing_secret (app_no) WHERE replaced_at IS NULL;

-- role: of who created the key; 1 owner, 2 administrator, 3 member, 4 external.
ALTER TABLE server_key ADD COLUMN role smallint NOT NULL DEFAULT 1;

-- What was changed or refused, by whom. actor_kind: 1 command line, 2 server key, 3 person. refusal: the code when it
-- was refused. changes: {field: [before, after]}, never a secret. environment_no is null for what concerns no
-- environment.
CREATE TABLE audit_entry (
  audit_no       bigint GENERATED ALWAYS AS IDENTITY,
  at             timestamptz NOT NULL DEFAULT now(),
  environment_no bigint,
  actor_kind     smallint NOT NULL,
  actor_id       text COLLATE "C",
  actor_role     smallint NOT NULL,
  action         text COLLATE "C" NOT NULL,
  target_kind    text COLLATE "C" NOT NULL,
  target_id      text COLLATE "C",
  refusal        text COLLATE "C",
  changes        jsonb NOT NULL DEFAULT '{}',
  request_id     text COLLATE "C",
  CONSTRAINT audit_entry_pkey PRIMARY KEY (audit_no)
);
CREATE INDEX audit_entry_environment ON audit_entry (environment_no, audit_no);
CREATE INDEX audit_entry_age ON audit_entry USING brin (at);

-- Entries are added and, when they are too old, deleted; nobody changes one.
CREATE FUNCTION refuse_audit_change() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'audit entries are never changed';
END $$;
CREATE TRIGGER audit_entry_fixed BEFORE UPDATE ON audit_entry
FOR EACH ROW EXECUTE FUNCTION refuse_audit_change();

INSERT INTO maintenance (task) VALUES ('identity'), ('audit');
