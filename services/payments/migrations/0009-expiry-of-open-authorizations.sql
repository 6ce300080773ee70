-- Authorizations whose outcome was not known yet when times of expiry came: without one they would never expire.
update payment set authorization_expires_at = created_at + interval '7 days'
where authorization_expires_at is null and transaction_type = 'PRE_AUTHORIZATION'
  and state in ('ENROLLING', 'ENROLLED', 'AUTHORIZING', 'REVERSING', 'CANCELLING', 'SUCCESS');
