-- An event may be about a checkout that has no payment: `payment_id` then is the checkout's id. The version before writes
-- none of these, and relays them as all others.
alter table outbox drop constraint if exists outbox_payment_id_fkey;

-- What the buyer chose on the page, in minor units of the payment: the first installment, and each of the others. Null
-- where there is one payment in full, and in attempts of the version before.
alter table checkout_payment
  add column first_installment_minor bigint check (first_installment_minor > 0),
  add column further_installment_minor bigint check (further_installment_minor > 0);
