-- Keys of test mode (hk_test_…) have 66 characters, which the version before takes for no key: it would sign them in as
-- live ones.
set local lock_timeout = '3s';
alter table credential
  drop constraint credential_api_key_check,
  add constraint credential_api_key_check check (char_length(api_key) between 27 and 66);
