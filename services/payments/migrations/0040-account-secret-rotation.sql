-- Credentials are sealed again when the key that sealed them is replaced (keys reencrypt). Nothing else of a version
-- changes, and what is sealed is bound to its account, version and protocol.
grant update (sealed_secrets) on acquirer_account_version to payments_app;
