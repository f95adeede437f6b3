-- Works with servers from 0012 on.
-- In which the account counts its prices (ISO 4217); null if it has not said so. It changes no number.
ALTER TABLE users ADD COLUMN currency text;
