-- When the last reversal was sent that may still take effect at the bank; null where none may. While it may, people cannot
-- book the payment, whatever the bank refused before. The default is for the rows that are there, and for those that a
-- version without this column inserts.
alter table payment_reversal
  add column last_sent_at timestamptz default now(),
  -- How often a reversal was sent: of two processes that found the same only one sends it.
  add column sends integer not null default 0;
