-- Works with servers from 0012 on.
-- The caller's own name for a claim (§2.3). The id of one that has it is made of it, so that it is unique in the account.
ALTER TABLE claims ADD COLUMN reference text;
