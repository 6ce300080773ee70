-- Of a payment, by the merchant's plan: false where its refunds give no commission back.
alter table fact add column refunds_commission boolean;
