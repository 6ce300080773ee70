-- What the merchant's plan said when the payment was made: false where its refunds give no commission back.
alter table payment add column refunds_commission boolean;
