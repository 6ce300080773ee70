-- Under which keys secrets are encrypted, in one look-up for each key: the key's id is within the bytes (version, length,
-- id). A dispatcher that starts without a key which is needed refuses, and `keys reencrypt` finds what is left to do.
create index endpoint_secret_key on endpoint
  (encode(substring(secret from 3 for get_byte(secret, 1)), 'escape')) where enabled;
create index endpoint_next_secret_key on endpoint
  (encode(substring(next_secret from 3 for get_byte(next_secret, 1)), 'escape')) where enabled and next_secret is not null;
