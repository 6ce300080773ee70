-- Refunds of test mode, for operators: those of merchants' ids of version 8. They are few among the others, which are not
-- in this index.
create index if not exists refund_of_test_mode on refund (created_at, refund_id)
  where uuid_extract_version(merchant_id) is not distinct from 8;
