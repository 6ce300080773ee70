-- Two modes. What belongs to test mode has a merchant's id of version 8 (RFC 9562), and an account of test mode has an id
-- of version 8, too: which mode a row is of is never looked up, and no version of the service can set it otherwise.
set local lock_timeout = '3s';

-- A payment is sent to an account of its own mode, and one of test mode never to the account of ACQUIRER_URL, which is
-- null. Checked for every row that is written from now on; 0081 checks those of before.
-- contract: the version before has no ids of version 8, and what it would send elsewhere it is to refuse
alter table payment add constraint payment_account_is_of_its_mode check (
  (uuid_extract_version(merchant_id) is not distinct from 8) = (uuid_extract_version(account_id) is not distinct from 8)
) not valid;

-- The account of test mode that takes its payments. The version before reads is_default alone, which stays that of live ones.
-- contract: the version before makes no accounts of version 8
alter table acquirer_account
  add column is_test_default boolean not null default false,
  add constraint acquirer_account_test_is_the_simulator check (
    uuid_extract_version(account_id) is distinct from 8 or protocol = 'sim'),
  add constraint acquirer_account_default_is_of_its_mode check (
    case when uuid_extract_version(account_id) is not distinct from 8 then not is_default else not is_test_default end);
create unique index acquirer_account_test_default on acquirer_account (is_test_default) where is_test_default;
grant update (is_test_default) on acquirer_account to payments_app;

-- Payments of test mode, for operators. They are few among the others, which are not in these.
create index if not exists payment_of_test_mode on payment (created_at, payment_id)
  where uuid_extract_version(merchant_id) is not distinct from 8;

-- In test mode a buyer's browser is the developer's, who may run the shop on the same machine.
alter table checkout
  drop constraint checkout_success_url_check,
  add constraint checkout_success_url_check check (char_length(success_url) <= 2048 and (
    success_url ~* '^https://' or (
      uuid_extract_version(merchant_id) is not distinct from 8
      and success_url ~ '^http://(localhost|127\.0\.0\.1)([:/?#]|$)'))) not valid,
  drop constraint checkout_failure_url_check,
  add constraint checkout_failure_url_check check (char_length(failure_url) <= 2048 and (
    failure_url ~* '^https://' or (
      uuid_extract_version(merchant_id) is not distinct from 8
      and failure_url ~ '^http://(localhost|127\.0\.0\.1)([:/?#]|$)'))) not valid;
