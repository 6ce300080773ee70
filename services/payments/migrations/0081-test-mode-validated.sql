-- Rows of before are compared in a transaction of their own, which lets them be written meanwhile.
alter table payment validate constraint payment_account_is_of_its_mode;
alter table checkout validate constraint checkout_success_url_check;
alter table checkout validate constraint checkout_failure_url_check;
