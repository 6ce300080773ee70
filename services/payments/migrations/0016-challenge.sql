-- What the cardholder's browser is shown, whatever kind of challenge it is. It is emptied when the payment is completed and
-- when its session ends. Sessions of other banks are longer than the simulator's.
set local lock_timeout = '3s';
alter table three_ds_session
  add column challenge jsonb,
  add constraint three_ds_session_challenge_check check (octet_length(challenge::text) <= 524288) not valid,
  drop constraint three_ds_session_acquirer_session_check,
  add constraint three_ds_session_acquirer_session_check check (char_length(acquirer_session) <= 2000) not valid;

grant update (challenge) on three_ds_session to payments_app;
