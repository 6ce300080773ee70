-- The account that the refunded payment is stored with, as payments said when it reserved the amount: refunds of one account
-- hold no place of another's. Null for the account of ACQUIRER_URL, for rows from before, and until it is reserved.
alter table refund add column account_id uuid;
