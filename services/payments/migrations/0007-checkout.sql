-- Hosted checkouts: what a buyer is to pay on our page, and which payments were made for it.

create table checkout (
  checkout_id          uuid primary key,                 -- drawn by the gateway, random: whoever knows it can pay
  merchant_id          uuid not null,

  -- Changes only through the transition table in checkout.ts, under the row's lock, and only by guarded updates.
  state                text not null check (state in ('OPEN', 'COMPLETED', 'EXPIRED', 'CANCELLED')),

  transaction_type     text not null check (transaction_type in ('PRE_AUTHORIZATION', 'PAYMENT')),
  order_id             text not null check (char_length(order_id) between 1 and 64),
  customer_id          text check (char_length(customer_id) between 1 and 64),
  amount_minor         bigint not null check (amount_minor > 0),
  currency             char(3) not null,
  currency_exponent    smallint not null check (currency_exponent between 0 and 4),
  installment_options  smallint[] not null check (cardinality(installment_options) between 1 and 12),
  three_ds             boolean not null,                 -- whether the buyer's bank may ask for 3-D Secure
  success_url          text not null check (success_url like 'https://%' and char_length(success_url) <= 2048),
  failure_url          text not null check (failure_url like 'https://%' and char_length(failure_url) <= 2048),

  -- The latest attempt, whose outcome decides the state; its row is committed with this one's change.
  payment_id           uuid references payment,
  attempts             smallint not null default 0 check (attempts >= 0),

  created_at           timestamptz not null default now(),
  expires_at           timestamptz not null,
  closed_at            timestamptz,
  check ((payment_id is null) = (attempts = 0)),
  check ((state = 'OPEN') = (closed_at is null))
);

-- Every payment made for a checkout. An attempt has one number and a number one payment: whatever else might fail, two
-- payments cannot both be the second attempt.
create table checkout_payment (
  payment_id   uuid primary key references payment,
  checkout_id  uuid not null references checkout,
  attempt      smallint not null check (attempt >= 1),
  unique (checkout_id, attempt)
);

-- Those that may have to be closed.
create index checkout_expiring on checkout (expires_at) where state = 'OPEN';
create index checkout_paying on checkout (payment_id) where state = 'OPEN' and payment_id is not null;

grant select, insert on checkout to payments_app;
grant update (state, payment_id, attempts, closed_at) on checkout to payments_app;
grant select, insert on checkout_payment to payments_app;
