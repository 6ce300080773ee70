-- Rows of before are compared in a transaction of their own, which lets payments be written meanwhile.
alter table payment validate constraint payment_account_is_of_its_mode;
