drop index payment_expiring;

-- Only what may expire now: what was captured, released or is reserved leaves the index, so reading it costs what is due.
create index payment_authorization_expiry on payment (authorization_expires_at)
  where state = 'SUCCESS' and transaction_type = 'PRE_AUTHORIZATION' and operation_id is null
    and reserved_minor = 0 and released_minor < amount_minor;

-- Tombstones of refused requests are kept as long as a late copy could come, and then purged.
create index refund_reservation_refused on refund_reservation (created_at) where state = 'REFUSED';
