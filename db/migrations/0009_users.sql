-- Users as a target, and their erasure.

-- How many different ids a message was asked to reach: a user may have several installations. Null for everyone, and
-- for messages from before this column.
ALTER TABLE message ADD COLUMN requested integer;

-- One per member when the message is fenced: the binding it had when the message was created, not when it was planned.
ALTER TABLE message_target ADD COLUMN binding_nos bigint[];

-- Other users' operations that were answered with this user's binding, for the erasure of a user.
CREATE INDEX identity_operation_answered ON identity_operation (app_no, bound_external_id)
  WHERE bound_external_id IS NOT NULL AND bound_external_id IS DISTINCT FROM external_id;
