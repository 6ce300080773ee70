-- What 0090 checks of new rows, of those of before.
set local lock_timeout = '3s';

alter table payment_link validate constraint payment_link_return_url_check;
