-- What a bank may do that is not kind: call a refund too late, or pay another amount than was asked for.

alter table refund
  -- Rises where the bank has called a request too late without judging it: that reference is spent, and the refund is sent
  -- under the next one.
  add column sub_reference smallint not null default 1 check (sub_reference >= 1),
  -- What the bank says it has paid under our reference, if not what was asked for; both null otherwise.
  add column approved_minor bigint check (approved_minor > 0),
  add column approved_currency char(3),
  -- How many had to approve when it was decided; null before that, and in rows older than this column.
  add column approvals_required smallint check (approvals_required between 1 and 2);

-- The outcome that one operator has proposed for a refund, and another one has to confirm.
create table refund_resolution (
  refund_id    uuid primary key references refund,
  outcome      text not null check (outcome in ('SUCCESS', 'FAILED')),
  evidence     text not null check (char_length(evidence) between 1 and 1000),
  proposed_by  text not null check (char_length(proposed_by) between 1 and 200),
  proposed_at  timestamptz not null default now()
);

grant select, insert, update, delete on refund_resolution to refunds_app;

-- The sum of a payment's refunds decides how many people have to approve one of them.
create index refund_payment on refund (payment_id);
-- What one person has approved in the last day.
create index refund_approval_of_person on refund_approval (approved_by, at);
-- The operators' list of one merchant's refunds in one state: that merchant may have a long past and none that waits.
create index refund_merchant_queue on refund (merchant_id, state, created_at, refund_id);
-- Decided and not ended, in the order of the operators' list: four states, which refund_queue cannot give in one order.
create index refund_under_way on refund (created_at, refund_id)
  where state in ('EXECUTING', 'SETTLING', 'FAILING', 'REJECTING');
