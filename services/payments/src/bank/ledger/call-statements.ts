/**
 * Parts of the statements in which a payment's first call begins, and is answered: one statement, and one transaction, with
 * the payment's own change.
 */

/** Begins the call of each payment that `claimed` returns; `given` has the given columns. */
export const CALL_OF_CLAIM = `begun as (
    insert into bank_call (payment_id, account_id, number, amount_minor, currency, kind, reference)
    select payment_id, account_id, 1, amount_minor, currency,
      case when state = 'ENROLLING' then 'enrol' when transaction_type = 'PAYMENT' then 'sale' else 'authorize' end,
      payment_id::text
    from claimed
  )`;

/**
 * Notes the bank's answer about each payment that `changed` returns, if the bank caused the change. If the
 * call was not judged, the codes are the payment's and not the call's, and are left out.
 */
export const ANSWER_OF_RECORD = `answer as (
    update bank_call set
      answered_at = now(), outcome = changed.call_outcome, auth_code = changed.auth_code,
      external_transaction_id = case when changed.call_outcome in ('approved', 'declined') then changed.external_transaction_id end,
      result_code = case when changed.call_outcome in ('approved', 'declined') then changed.result_code end
    from changed
    where bank_call.payment_id = changed.payment_id and changed.call_outcome is not null
      and bank_call.answered_at is null and bank_call.kind in ('enrol', 'authorize', 'sale')
  )`;

/** Begins the next call of the payment that `changed` returns: that which the cardholder's authentication leads to. */
export const CALL_OF_COMPLETION = `begun as (
    insert into bank_call (payment_id, account_id, number, amount_minor, currency, kind, reference)
    select payment_id, account_id, coalesce((select max(number) from bank_call where payment_id = changed.payment_id), 0) + 1,
      amount_minor, currency, case transaction_type when 'PAYMENT' then 'sale' else 'authorize' end, payment_id::text
    from changed
  )`;

/** Ends the open call of the payment that `changed` returns. */
export const endOfCall = (outcome: "enrolled" | "not_sent") => `ended as (
    update bank_call set answered_at = now(), outcome = '${outcome}'
    from changed where bank_call.payment_id = changed.payment_id and bank_call.answered_at is null
  )`;
