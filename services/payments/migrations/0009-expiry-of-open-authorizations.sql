-- Authorizations that were made before times of expiry came. It locks their rows and no table: the service goes on working.
update payment set authorization_expires_at = created_at + interval '7 days'
where authorization_expires_at is null and transaction_type = 'PRE_AUTHORIZATION'
  and state in ('ENROLLING', 'ENROLLED', 'AUTHORIZING', 'REVERSING', 'CANCELLING', 'SUCCESS');
