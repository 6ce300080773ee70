-- What kind of decline a FAILED payment has, where the bank's code tells. A process of the version before leaves it out.
set local lock_timeout = '3s';
alter table payment
  add column decline_class text,
  add constraint payment_decline_class_check
    check (decline_class in ('soft', 'hard', 'sca_required', 'stolen', 'limit', 'technical')) not valid;
