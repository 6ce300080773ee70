-- What the cardholder's browser is shown, whatever kind of challenge it is. It is emptied when the payment is completed and
-- when its session ends.
set local lock_timeout = '3s';
alter table three_ds_session
  add column challenge jsonb,
  add constraint three_ds_session_challenge_check check (octet_length(challenge::text) <= 524288) not valid;

grant update (challenge) on three_ds_session to payments_app;
