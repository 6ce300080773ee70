-- 3-D Secure: a payment that waits for its cardholder, and how it gets on from there.

alter table payment
  drop constraint payment_state_check,
  add constraint payment_state_check check (state in (
    'ENROLLING', 'ENROLLED', 'AUTHORIZING', 'REVERSING', 'CANCELLING',
    'SUCCESS', 'FAILED', 'REJECTED', 'CANCELLED', 'CAPTURED')),
  -- From when the payment's age counts for recovery; null is the claim. With 3-D Secure it is the end of the session, and
  -- from the completion call on that call.
  add column recovery_from timestamptz;

-- One row for each payment with 3-D Secure, written with its claim. No card data: the acquirer keeps the card under its
-- own session, and completion names that session only.
create table three_ds_session (
  payment_id         uuid primary key references payment,
  session_id         uuid not null,                      -- drawn by the gateway; in the signed state of the return URL
  expires_at         timestamptz not null,               -- the challenge has to be passed before

  -- Where the browser is sent in the end, and the public page that leads to the challenge.
  success_url        text not null check (char_length(success_url) <= 2048),
  failure_url        text not null check (char_length(failure_url) <= 2048),
  page_url           text not null check (char_length(page_url) <= 2048),

  -- What the acquirer answered the enrolment with; no challenge where none was wanted.
  acquirer_session   text check (char_length(acquirer_session) <= 128),
  challenge_url      text check (char_length(challenge_url) <= 2048),
  challenge_fields   jsonb,
  check ((challenge_url is null) = (challenge_fields is null)),

  -- Of the authentication, kept as evidence for a dispute. The cavv is not.
  trans_status       char(1),
  eci                text check (char_length(eci) <= 2),
  ds_trans_id        text check (char_length(ds_trans_id) <= 64),

  created_at         timestamptz not null default now()
);

grant select, insert, update (acquirer_session, challenge_url, challenge_fields, trans_status, eci, ds_trans_id)
  on three_ds_session to payments_app;
